"""How the questions of a check are put to one judge: unit by unit, or all at once to a recording.

This module alone knows that a recording of votes has one answer a repetition for a whole check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ib.engine.prompts import Question
from ib.engine.voting import Stop
from ib.models.base import Unit
from ib.models.check import Check
from ib.models.judge import Granularity, JudgeRequest, Phase, UnitSpan


class Units(Protocol):
    """What differs between judges of one granularity and another."""

    @property
    def asks_again(self) -> bool:
        """Whether the judge is asked again after an answer that does not count."""

    @property
    def looks_ahead(self) -> bool:
        """Whether verifiers ask for lexicon hits before the judge has answered."""

    def whole(self, check: Check, turns: int, phase: Phase, subject: Sequence[str] = ()) -> Question | None:
        """The one question in place of all questions of a check; None if each unit has its own."""

    def votes(self, planned: int, stop: Stop, recorded: Callable[[], int]) -> tuple[int, Stop]:
        """How many votes a question gets, and the stop rule."""

    def most(self, first_round: Sequence[JudgeRequest], checks: Mapping[str, Check]) -> int | None:
        """The most requests that a first round may lead to; None if that depends on the replies."""


@dataclass(frozen=True, slots=True)
class EachUnit:
    """A judge that is asked about each unit of a check by itself."""

    asks_again: bool = True
    looks_ahead: bool = True

    def whole(self, check: Check, turns: int, phase: Phase, subject: Sequence[str] = ()) -> Question | None:
        return None

    def votes(self, planned: int, stop: Stop, recorded: Callable[[], int]) -> tuple[int, Stop]:
        return planned, stop

    def most(self, first_round: Sequence[JudgeRequest], checks: Mapping[str, Check]) -> int | None:
        """K votes a unit and one for each graded item, each with a second attempt."""
        if any(request.phase is Phase.EXTRACT for request in first_round):
            return None  # as many as there are claims
        graded = sum(request.check_id not in checks for request in first_round)
        votes = sum(checks[check_id].routing.repetitions for check_id in _units(first_round, checks))
        return 2 * (votes + graded)


def _units(requests: Iterable[JudgeRequest], checks: Mapping[str, Check]) -> Iterable[str]:
    """The check of each unit that is asked about."""
    units = {(r.check_id, r.unit, r.phase) for r in requests if r.check_id in checks}
    return (check_id for check_id, _, _ in units)


@dataclass(frozen=True, slots=True)
class WholeCheck:
    """A recording: one question a check over the whole transcript, and every recorded vote counts."""

    asks_again: bool = False
    looks_ahead: bool = False

    def whole(self, check: Check, turns: int, phase: Phase, subject: Sequence[str] = ()) -> Question | None:
        return Question(check, UnitSpan(Unit.SESSION_STATE, 1, turns), phase, tuple(subject))

    def votes(self, planned: int, stop: Stop, recorded: Callable[[], int]) -> tuple[int, Stop]:
        return max(planned, recorded()), Stop.NONE

    def most(self, first_round: Sequence[JudgeRequest], checks: Mapping[str, Check]) -> int | None:
        return len(first_round)


def units_of(granularity: Granularity) -> Units:
    """How questions are put to a judge of this granularity."""
    return WholeCheck() if granularity is Granularity.CHECK else EachUnit()
