"""How a check is put to a judge: one question per unit, or one for the whole check.

Recordings of votes answer whole checks, with one vote per repetition. Only this module knows that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ib.engine.questions.prompts import Question
from ib.engine.questions.replies import objects
from ib.engine.votes.voting import Quota
from ib.models.benchmark.check import Check
from ib.models.common.base import Unit
from ib.models.common.reason import NotRunReason, Reason
from ib.models.scan.judge import Granularity, JudgeSpec, Phase, UnitSpan

PROMPT_HASH = "prompt_hash"
"""The key of a recorded reply that says which prompt it answers."""


class Units(Protocol):
    """Everything that depends on the granularity of a judge."""

    @property
    def asks_again(self) -> bool:
        """True if the judge is asked once more after an invalid answer."""

    @property
    def screens(self) -> bool:
        """True if a screening question can stand for a check's own question."""

    @property
    def missing(self) -> NotRunReason:
        """Why a check is not run if no question was answered."""

    @property
    def looks_ahead(self) -> bool:
        """True if verifiers need lexicon hits before the judge has answered."""

    def whole(self, check: Check, turns: int) -> Question | None:
        """The one question that replaces all questions of a check; None if each unit has its own."""

    def votes(self, planned: Quota, recorded: Callable[[], int]) -> Quota:
        """How many votes are taken on a question. `recorded` returns how many a recording has."""

    def is_older(self, reply: str, prompt_hash: str | None) -> bool:
        """True if a reply answers another wording of the question than that of this prompt."""


@dataclass(frozen=True, slots=True)
class EachUnit:
    """A judge that is asked one question for each unit of a check."""

    asks_again: bool = True
    screens: bool = True
    missing: NotRunReason = Reason.NO_JUDGE
    looks_ahead: bool = True

    def whole(self, check: Check, turns: int) -> Question | None:
        return None

    def votes(self, planned: Quota, recorded: Callable[[], int]) -> Quota:
        return planned

    def is_older(self, reply: str, prompt_hash: str | None) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class WholeCheck:
    """A recording: one question for each check over the whole transcript. Every recorded vote counts."""

    asks_again: bool = False
    screens: bool = False
    missing: NotRunReason = Reason.NOT_RECORDED
    looks_ahead: bool = False

    def whole(self, check: Check, turns: int) -> Question | None:
        return Question(check, UnitSpan(Unit.SESSION_STATE, 1, turns), Phase.DECIDE)

    def votes(self, planned: Quota, recorded: Callable[[], int]) -> Quota:
        return Quota(max(planned.asked, recorded()))

    def is_older(self, reply: str, prompt_hash: str | None) -> bool:
        """A recorded vote answers the prompt whose hash its record has; without one, an older wording."""
        answered = next((answer.get(PROMPT_HASH) for answer in objects(reply)[-1:]), None)
        return answered is None or answered != prompt_hash


def units_of(granularity: Granularity) -> Units:
    """The `Units` for a judge of this granularity."""
    return WholeCheck() if granularity is Granularity.CHECK else EachUnit()


def units_for(spec: JudgeSpec) -> Units:
    """The `Units` for a judge."""
    return units_of(spec.granularity)


def answers_questions_of(second: JudgeSpec, first: JudgeSpec) -> bool:
    """True if a second judge can answer the questions of a first one. A recording has votes on whole checks
    only; any other judge can answer about a whole check too."""
    return first.is_recording or not second.is_recording
