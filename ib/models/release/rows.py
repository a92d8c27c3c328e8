"""The lines of a release: one for each transcript of a model, and one for each scenario.

They are beside leaderboard.json, so that it does not grow with the transcripts. The first line of a file is
a `RowsHeader`.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import Field

from ib.models.common.base import Record
from ib.models.release.leaderboard import (
    SCHEMA_VERSION,
    CheckEntry,
    Leaderboard,
    ModelEntry,
    RecordContradiction,
    ScenarioEntry,
    ScenarioOfModel,
    VoidedVote,
)
from ib.models.release.transcripts import LeftOutReason
from ib.models.scan.gates import OpenGate


class RowsHeader(Record):
    """The first line of a file of lines. It has no stage, so that the file is the same at every stage."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["rows", "scenarios"]
    canary: str
    model_id: str | None = Field(default=None, exclude_if=operator.not_)
    """The model of the transcripts; the key is left out in the file of scenarios."""


class TranscriptRow(ScenarioOfModel):
    """What a release says of one transcript. Empty lists are left out."""

    left_out: LeftOutReason | None = Field(default=None, exclude_if=operator.not_)
    """Why the release does not carry the transcript; the key is left out if it does."""
    open_gates: tuple[OpenGate, ...] = Field(default=(), exclude_if=operator.not_)
    """Gate verdicts that are not settled."""
    record_contradictions: tuple[RecordContradiction, ...] = Field(default=(), exclude_if=operator.not_)
    """Recorded verdicts that their votes do not give."""
    voided_votes: tuple[VoidedVote, ...] = Field(default=(), exclude_if=operator.not_)
    """FAIL votes without a quote that was found."""


def joined(
    board: Leaderboard, rows: Mapping[str, Sequence[TranscriptRow]], scenarios: Iterable[ScenarioEntry]
) -> Leaderboard:
    """A leaderboard with its lines. `rows` has those of each model, by its slug."""
    by_model = [rows.get(model.slug, ()) for model in sorted(board.models, key=lambda one: one.model_id)]
    every = [row for model in by_model for row in model]
    return board.model_copy(
        update={
            "models": tuple(_with_rows(model, rows.get(model.slug, ())) for model in board.models),
            "scenarios": tuple(scenarios),
            "open_gates": tuple(one for row in every for one in row.open_gates),
            "record_contradictions": tuple(one for row in every for one in row.record_contradictions),
            "voided_votes": tuple(one for row in every for one in row.voided_votes),
        }
    )


_OF_ROWS = frozenset(TranscriptRow.model_fields) - frozenset(ScenarioOfModel.model_fields)


def _with_rows(model: ModelEntry, rows: Sequence[TranscriptRow]) -> ModelEntry:
    failed: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for check_id in row.failed_checks:
            failed[check_id].add(row.scenario_id)
    return model.model_copy(
        update={
            "scenarios": tuple(map(_plain, rows)),
            "blindspots": tuple(_with_failed(entry, failed[entry.check_id]) for entry in model.blindspots),
        }
    )


def _with_failed(entry: CheckEntry, failed: set[str]) -> CheckEntry:
    return entry.model_copy(update={"scenarios_failed": tuple(sorted(failed))})


def _plain(row: TranscriptRow) -> ScenarioOfModel:
    """The row without what is listed for the whole release."""
    return ScenarioOfModel.model_construct(**{name: value for name, value in row if name not in _OF_ROWS})
