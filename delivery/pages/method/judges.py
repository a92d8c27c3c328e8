"""The page of the judges: every sitting of the exam that the release carries, and sittings side by side."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.pages.page import Page
from delivery.release.sittings import side_by_side
from delivery.release.view import Release
from ib.models.exam.report import FIRST_LINE


def pages(release: Release) -> Iterator[Page]:
    """One page, also where no judge has sat the exam."""
    view: dict[str, object] = {
        "first_line": FIRST_LINE,
        "sittings": release.sittings,
        "pairs": tuple(side_by_side(release.sittings)),
        "own": release.board.judge.identity,
    }
    yield Page("judges.md", "judges.html", "Judges", view)
