"""The leaderboard: every model with its gates, scores and findings. Its order is no ranking."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.figures.heat import heatmap
from delivery.pages.page import Page
from delivery.release.references import field, here
from delivery.release.view import Release


def pages(release: Release) -> Iterator[Page]:
    """The leaderboard. Models of open logs do not stand in one table."""
    if not release.board.open_logs:
        view = {"field": field(release), "here": here(release), "heat": heatmap(release)}
        yield Page("leaderboard.md", "leaderboard.html", "Leaderboard", view)
