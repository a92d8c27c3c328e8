"""The outcome of a transcript at a gate. Every count of hard fails uses this rule."""

from __future__ import annotations

from enum import StrEnum

from ib.models.base import Bucket, Verdict
from ib.models.result import TranscriptResult


class Outcome(StrEnum):
    HARD_FAIL = "hard_fail"
    CLEAR = "clear"
    """At least one check of the gate passed, and no check is open."""
    OPEN = "open"
    """No hard fail, but at least one due check of the gate has no clear answer."""
    NO_CASE = "no_case"
    """No check of the gate was due and applicable."""


def outcome(result: TranscriptResult, gate: Bucket | None = None) -> Outcome:
    """The outcome of a transcript at one gate, or over all gates if `gate` is None."""
    rows = [row for row in result.rows if row.gate is not None and gate in (None, row.gate)]
    if any(row.hard_fail for row in rows):
        return Outcome.HARD_FAIL
    if any(row.gate_open_question for row in rows):
        return Outcome.OPEN
    return Outcome.CLEAR if any(row.verdict is Verdict.PASS for row in rows) else Outcome.NO_CASE
