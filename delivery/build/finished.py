"""How mkdocs is kept from reading finished HTML as Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from delivery.build.policy import with_policy

_UNUSED = ("assets/javascripts/lunr/", "assets/stylesheets/palette.", "partials/")
"""Files of the theme that the site never loads: word lists of languages other than English, colors, and
parts of pages."""


_MAP = re.compile(r"\n?(?://|/\*)# sourceMappingURL=\S+(?: \*/)?\s*\Z")


class Finished(BasePlugin):  # type: ignore[no-untyped-call,type-arg] # mkdocs has no types for plugins
    """Puts the body of each page into the theme as it is, and keeps at most one body in memory."""

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Leave out the files that no page uses, and source maps. Make one of the site's own style sheets."""
        for file in list(files):
            if file.src_uri.startswith(_UNUSED) or file.src_uri.endswith(".map"):
                files.remove(file)
        config.extra["assets"] = _assets([file.src_uri for file in files])
        _join_sheets(files, config)
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, **_: Any) -> str:
        """Give the Markdown parser nothing to do.

        Raises PluginError if the front matter could not be read: mkdocs then drops all of it without a word.
        """
        if "title" not in page.meta:
            raise PluginError(f"the front matter of {page.file.src_uri} cannot be read")
        return ""

    @event_priority(100)
    def _before_search(self, /, context: Any, *, page: Page, **_: Any) -> Any:
        """Give the search what it may index: the body, or only the title."""
        page.content = f"<h1>{page.title}</h1>" if page.meta.get("search_title") else _body(page)
        return context

    @event_priority(-100)
    def _after_search(self, /, context: Any, *, page: Page, **_: Any) -> Any:
        """Give the theme the body."""
        page.content = _body(page)
        return context

    on_page_context = CombinedEvent(_before_search, _after_search)

    def on_post_page(self, output: str, *, page: Page, **_: Any) -> str:
        """Let go of the body, and give the finished page its policy."""
        page.content = ""
        return with_policy(output)

    def on_post_template(self, output: str, *, template_name: str, **_: Any) -> str:
        """Give the page for missing addresses its policy."""
        return with_policy(output) if template_name.endswith(".html") else output

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Remove the comments that name source maps, because the maps are left out."""
        for path in (Path(config.site_dir) / "assets").rglob("*"):
            if path.suffix in {".css", ".js"}:
                path.write_text(_MAP.sub("", path.read_text("utf-8")), "utf-8")


def _body(page: Page) -> str:
    """The body of a page: its file without the front matter."""
    return page.file.content_string.split("---\n", 2)[2]


def _assets(names: list[str]) -> dict[str, object]:
    """The files of the theme that pages load. Their names carry hashes that change with each version."""
    return {
        "sheet": _one(names, "assets/stylesheets/main.", ".min.css"),
        "bundle": _one(names, "assets/javascripts/bundle.", ".min.js"),
        "worker": _one(names, "assets/javascripts/workers/search.", ".min.js"),
    }


def _join_sheets(files: Files, config: MkDocsConfig) -> None:
    """Put the style sheets of `ib/` together, in the order of their names: each page loads one of them."""
    own = sorted(
        (file for file in files.css_files() if file.src_uri.startswith("ib/")), key=lambda f: f.src_uri
    )
    for file in own:
        files.remove(file)
    text = "".join(file.content_string for file in own)
    files.append(File.generated(config, "ib/site.css", content=text))


def _one(names: list[str], start: str, end: str) -> str:
    """The only name of a form. Raises PluginError if the theme has none, or several."""
    found = [name for name in names if name.startswith(start) and name.endswith(end)]
    if len(found) != 1:
        raise PluginError(f"the theme has {len(found)} files {start}*{end}; the site needs exactly one")
    return found[0]
