"""The first page: the idea, and three findings. Models of open logs do not stand in one table."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.pages.page import Page
from delivery.release.references import field
from delivery.release.view import Release


def pages(release: Release) -> Iterator[Page]:
    """The first page of a release."""
    if release.board.open_logs:
        yield Page("index.md", "home_logs.html", "Results", {"asked": release.asked})
        return
    yield Page("index.md", "home.html", "Findings", {"field": field(release)})
