"""How mkdocs is kept from reading finished HTML as Markdown."""

from __future__ import annotations

from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

_UNUSED = ("assets/javascripts/lunr/",)
"""Files of the theme that the site never loads: word lists of languages other than English."""


class Finished(BasePlugin):  # type: ignore[no-untyped-call,type-arg] # mkdocs has no types for plugins
    """Puts the body of each page into the theme as it is, and keeps at most one body in memory."""

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Leave out the files that no page uses, and source maps."""
        for file in list(files):
            if file.src_uri.startswith(_UNUSED) or file.src_uri.endswith(".map"):
                files.remove(file)
        return files

    def on_page_markdown(self, markdown: str, **_: Any) -> str:
        """Give the Markdown parser nothing to do."""
        return ""

    @event_priority(100)
    def on_page_context(self, context: Any, *, page: Page, **_: Any) -> Any:
        """Read the body, first of all plugins: the search indexes it."""
        page.content = page.file.content_string.split("---\n", 2)[2]
        return context

    def on_post_page(self, output: str, *, page: Page, **_: Any) -> str:
        """Let go of the body."""
        page.content = ""
        return output
