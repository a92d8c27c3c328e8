"""Verdicts of the lexical judge, and the replies that it makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from ib.engine.votes.voting import combine
from ib.models.benchmark.check import Check
from ib.models.common.base import Verdict
from ib.models.scan.judge import Answer


@dataclass(frozen=True, slots=True)
class Answered:
    """A verdict of the lexical judge, with its quote and its reason."""

    verdict: Verdict
    code: str | None = None
    turn: int = 1
    quote: str = ""
    reason: str = ""


def first_of(found: Sequence[Answered]) -> Answered:
    """The answer for all of these places: a FAIL before UNCLEAR before PASS."""
    verdict = combine([one.verdict for one in found])
    return next((one for one in found if one.verdict is verdict), Answered(verdict))


def ballot(check: Check, found: Answered, cues: Sequence[Mapping[str, object]] = ()) -> Answer:
    """A reply in the form that judges are asked for."""
    quoted = [{"turn": found.turn, "quote": found.quote}] if found.quote else []
    failed = found.verdict is Verdict.FAIL
    value = {
        "nearest": quoted[0] if quoted and not failed else None,
        "occurrences": quoted if failed else [],
        **({"cues": cues} if cues else {}),
        "reason": found.reason or None,
        "code": found.code or next(iter(check.rationale_codes.of(found.verdict)), None),
        "verdict": found.verdict.value,
    }
    return Answer(orjson.dumps(value).decode())
