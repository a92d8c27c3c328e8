"""What came of a transcript at a gate: one rule for every count of hard fails."""

from __future__ import annotations

from enum import StrEnum

from ib.models.base import Bucket, Verdict
from ib.models.result import TranscriptResult


class Outcome(StrEnum):
    HARD_FAIL = "hard_fail"
    CLEAR = "clear"
    """A check of the gate passed, and none is open."""
    OPEN = "open"
    """No hard fail, and a check of the gate was due that has no clear answer."""
    NO_CASE = "no_case"
    """No check of the gate was due, or none could be applied: nothing was asked of the transcript."""


def outcome(result: TranscriptResult, gate: Bucket | None = None) -> Outcome:
    """What came of a transcript at one gate, or at any."""
    rows = [row for row in result.rows if row.gate is not None and gate in (None, row.gate)]
    if any(row.hard_fail for row in rows):
        return Outcome.HARD_FAIL
    if any(row.gate_open_question for row in rows):
        return Outcome.OPEN
    return Outcome.CLEAR if any(row.verdict is Verdict.PASS for row in rows) else Outcome.NO_CASE
