"""The files of lines of a leaderboard that a test made in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ib.models.common.canonical import compact
from ib.models.release.leaderboard import Leaderboard, ModelEntry, ScenarioOfModel
from ib.models.release.rows import RowsHeader, TranscriptRow


def rows_of(board: Leaderboard, model: ModelEntry, **fields: Any) -> list[TranscriptRow]:
    """The rows of a model, each with what the leaderboard lists of its transcript."""
    return [_row(board, model, met, fields) for met in model.scenarios]


def _row(
    board: Leaderboard, model: ModelEntry, met: ScenarioOfModel, fields: dict[str, Any]
) -> TranscriptRow:
    place = (model.model_id, met.scenario_id, met.epoch)
    lists = {name: getattr(board, name) for name in ("open_gates", "record_contradictions", "voided_votes")}
    told = {
        name: tuple(one for one in found if (one.model_id, one.scenario_id, one.epoch) == place)
        for name, found in lists.items()
    }
    return TranscriptRow(**dict(met), **told, **fields)


def files_of(board: Leaderboard) -> dict[str, bytes]:
    """The bytes of the files of lines, by name."""
    return {
        "scenarios.jsonl": _bytes(RowsHeader(kind="scenarios", canary=board.canary), board.scenarios),
        **{
            f"rows/{model.slug}.jsonl": _bytes(
                RowsHeader(kind="rows", canary=board.canary, model_id=model.model_id), rows_of(board, model)
            )
            for model in board.models
        },
    }


def _bytes(*lines: Any) -> bytes:
    header, rest = lines
    return b"".join(compact(line) + b"\n" for line in (header, *rest))


def write(board: Leaderboard, folder: Path) -> None:
    """Write the files of lines of a leaderboard into the folder of its release."""
    for name, data in files_of(board).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


class InMemory:
    """Lines in memory, as the gate reads them."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.data.splitlines(keepends=True))
