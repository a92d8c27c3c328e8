"""What a new release replaces: the release in its folder, and what would be lost with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from ib.board.figures.lost import Kept, lost
from ib.errors import DataError, UsageError
from ib.models.common.base import STAGE_ORDER, Stage
from ib.models.release.leaderboard import Leaderboard
from ib.models.release.source import EXAMS, GAP
from ib.pipeline.release.release import Release
from ib.store.files.writing import foreign_file
from ib.store.folders.released import (
    LEADERBOARD,
    QA,
    SIGNATURE,
    board_of_any,
    listed_in_any,
    rows_name,
    stage_of_any,
)

BESIDE = {
    EXAMS: "the sittings of the exam for judges; give them again with --exam",
    GAP: "the gap between two draws; give its scan again with --gap",
}
"""Files of a release that no scan of it gives again, and how to keep them."""


def held(out: Path, new: Release, without: Collection[str] = ()) -> tuple[str, tuple[str, ...]] | None:
    """Why somebody should be asked before `new` replaces the release in a folder, and what is lost with it.

    Models in `without` are withdrawn, which is no loss to ask about.
    Returns None if there is nothing to ask: no release, or one of a lower stage of which nothing is lost.
    Raises UsageError as `release_at` does.
    """
    there = release_at(out)
    if there is None:
        return None
    gone = (
        *lost(_kept_in(out), _kept_of(new.leaderboard, new.lines), without),
        *(words for name, words in BESIDE.items() if (out / name).is_file() and name not in new.files),
    )
    if not gone and STAGE_ORDER.index(there) < STAGE_ORDER.index(new.stage):
        return None
    lacks = ", and the new release lacks some of it" if gone else ""
    return f"{out} holds a release of stage {there}{lacks}", gone


def _kept_in(out: Path) -> dict[str, Kept]:
    """What the release in a folder has of each model, whatever the version of its form.

    A model without the usual fields has no conversations.
    """
    found = {}
    for model in board_of_any(out / LEADERBOARD).get("models", ()):
        path = out / rows_name(str(model.get("slug")))
        found[str(model.get("model_id"))] = _kept_at(path, model)
    return found


def _kept_at(path: Path, model: Mapping[str, Any]) -> Kept:
    """What a release has of a model: the rows of its file, or those in its leaderboard."""
    if not path.is_file():
        return _kept(model.get("scenarios", ()))
    with path.open("rb") as file:
        return _kept(_read(file))


def _kept_of(new: Leaderboard, lines: Mapping[str, Iterable[bytes]]) -> dict[str, Kept]:
    return {
        model.model_id: _kept(
            _read(lines[rows_name(model.slug)])
            if rows_name(model.slug) in lines
            else (row.model_dump(mode="json") for row in model.scenarios)
        )
        for model in new.models
    }


def _read(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    """The rows of a file of lines, after its header."""
    return (orjson.loads(line) for line in islice(lines, 1, None))


def _kept(rows: Iterable[Mapping[str, Any]]) -> Kept:
    made = Kept()
    for row in rows:
        made.add(row)
    return made


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
        own = {QA, SIGNATURE, *listed_in_any(out / QA)}
    except DataError:
        own = set()
    return foreign_file(out, own)
