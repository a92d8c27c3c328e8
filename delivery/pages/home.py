"""The first page: what was found. Models of open logs do not stand in one table."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.figures.heat import heatmap
from delivery.pages.page import Page
from delivery.release.references import field, here
from delivery.release.view import Release


def pages(release: Release) -> Iterator[Page]:
    """The first page of a release."""
    view: dict[str, object] = {"asked": release.asked}
    if release.board.open_logs:
        yield Page("index.md", "home_logs.html", "Results", view)
        return
    view |= {"field": field(release), "here": here(release)}
    yield Page("index.md", "home.html", "Findings", view | {"heat": heatmap(release)})
