"""The first page. Models of open logs do not stand in one table."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.pages.page import Page
from delivery.release import Release


def pages(release: Release) -> Iterator[Page]:
    """The first page of a release."""
    view = {"asked": release.asked}
    if release.board.open_logs:
        yield Page("index.md", "home_logs.html", "Results", view)
    else:
        yield Page("index.md", "home.html", "Leaderboard", view)
