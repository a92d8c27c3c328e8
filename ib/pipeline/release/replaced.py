"""What a new release replaces: the release in its folder, and what would be lost with it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ib.board.figures.lost import lost
from ib.errors import DataError, UsageError
from ib.models.common.base import STAGE_ORDER, Stage
from ib.models.release.leaderboard import Leaderboard
from ib.store.files.writing import foreign_file
from ib.store.folders.released import LEADERBOARD, QA, board_of_any, listed_in_any, stage_of_any


def held(out: Path, new: Leaderboard, without: Collection[str] = ()) -> tuple[str, tuple[str, ...]] | None:
    """Why somebody should be asked before `new` replaces the release in a folder, and what is lost with it.

    Models in `without` are withdrawn, which is no loss to ask about.

    Returns None if there is nothing to ask: no release, or one of a lower stage of which nothing is lost.
    Raises UsageError as `release_at` does.
    """
    there = release_at(out)
    if there is None:
        return None
    gone = tuple(lost(board_of_any(out / LEADERBOARD), new, without))
    if not gone and STAGE_ORDER.index(there) < STAGE_ORDER.index(new.stage):
        return None
    without = ", and the new release lacks some of it" if gone else ""
    return f"{out} holds a release of stage {there}{without}", gone


def release_at(out: Path) -> Stage | None:
    """The stage of the release in a folder. Returns None if the folder holds no release.

    Raises UsageError if the folder holds a file of no release, because replacing would delete it.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; choose a folder")
    foreign = _foreign(out)
    if foreign is not None:
        raise UsageError(
            f"{out} holds {foreign}, which is not part of a release; move it, or choose another folder"
        )
    path = out / LEADERBOARD
    return stage_of_any(path) if path.exists() else None


def _foreign(out: Path) -> str | None:
    """The first file of a folder that its release does not list."""
    try:
        own = {QA, *listed_in_any(out / QA)}
    except DataError:
        own = set()
    return foreign_file(out, own)
