"""One page of the site, before it is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Page:
    """One file of the build folder, before it is rendered."""

    path: str
    """Path of the Markdown file in the build folder."""
    template: str
    title: str
    view: Mapping[str, object] = field(default_factory=dict)
    search: bool = True
    """True if the search of the site includes the text of the page, and search engines may list the page.
    Pages with quotes are not included."""
    by_title: bool = False
    """True if the search of the site finds a page by its title alone, although its text is not included."""

    @property
    def root(self) -> str:
        """The relative path from the page to the home page."""
        folders = self.path.removesuffix(".md").removesuffix("index").strip("/")
        return "../" * (folders.count("/") + 1) if folders else "./"
