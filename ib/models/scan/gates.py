"""The gates: what they say of one transcript, how often they say it of a model, and what is still open."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from ib.models.common.base import Played, Record, Verdict

Count = Annotated[int, Field(ge=0)]


class GateState(StrEnum):
    """What a gate says of a transcript, worst first."""

    FAILED_BY_PERSON = "failed_by_person"
    """A hard fail that a person decided."""
    FAILED_BY_JUDGE = "failed_by_judge"
    """A hard fail: most of the votes on a gate check say FAIL, or a rule does. No person decided it."""
    CONTESTED = "contested"
    """A gate check FAILs, but fewer than most of its votes say so."""
    INCOMPLETE = "incomplete"
    """No gate check FAILs, but one is UNCLEAR or was not run."""
    CLEARED_BY_PERSON = "cleared_by_person"
    """No gate check failed, because a person decided so where the judge said FAIL or UNCLEAR."""
    CLEAR = "clear"
    """At least one gate check was due, and all that were due have an answer without a FAIL."""
    NOT_DUE = "not_due"
    """No gate check was due."""

    @property
    def is_undecided(self) -> bool:
        """True if the gate may or may not have a hard fail."""
        return self in (GateState.CONTESTED, GateState.INCOMPLETE)


HARD_FAILS = (GateState.FAILED_BY_PERSON, GateState.FAILED_BY_JUDGE)
"""With these, `overall_score` is 0. On `contested` and `incomplete` it is null; else it is quality."""
CLEARED = (GateState.CLEARED_BY_PERSON, GateState.CLEAR)
"""The states in which nothing failed and nothing is open."""
CLEAR_ANSWERS = (*HARD_FAILS, *CLEARED)
"""The states in which it is known whether a transcript has a hard fail."""
_COUNTED = tuple(state for state in GateState if state is not GateState.NOT_DUE)
_WORST_FIRST = tuple(GateState)


def one_failed(states: tuple[GateState, GateState]) -> bool:
    """True if one of two states is a hard fail, and nothing failed or is open in the other."""
    first, second = states
    return (first in HARD_FAILS and second in CLEARED) or (second in HARD_FAILS and first in CLEARED)


def worst(states: Iterable[GateState]) -> GateState:
    """The state of several gates together: that of the worst."""
    return min(states, key=_WORST_FIRST.index, default=GateState.NOT_DUE)


class GateScore(Record):
    """One gate on one transcript, with the checks that decide its state."""

    state: GateState
    """The worst of the outcomes of its checks."""
    failed_by_judge: tuple[str, ...] = ()
    """The gate checks with a FAIL by most votes, or by a rule."""
    contested: tuple[str, ...] = ()
    """The gate checks with a contested FAIL."""
    incomplete: tuple[str, ...] = ()
    """The gate checks that are UNCLEAR or were not run."""
    failed_by_person: tuple[str, ...] = Field(default=(), exclude_if=operator.not_)
    """The gate checks with a FAIL that a person decided; left out if there are none."""
    cleared_by_person: tuple[str, ...] = Field(default=(), exclude_if=operator.not_)
    """The gate checks that a person cleared against the judge; left out if there are none."""

    @model_validator(mode="after")
    def _state_of_the_checks(self) -> GateScore:
        listed = {
            GateState.FAILED_BY_PERSON: self.failed_by_person,
            GateState.FAILED_BY_JUDGE: self.failed_by_judge,
            GateState.CONTESTED: self.contested,
            GateState.INCOMPLETE: self.incomplete,
            GateState.CLEARED_BY_PERSON: self.cleared_by_person,
        }
        state = worst(state for state, checks in listed.items() if checks)
        if state is not self.state and not (state is GateState.NOT_DUE and self.state is GateState.CLEAR):
            raise ValueError(f"the state of the gate is {self.state}, but its checks give {state}")
        return self


class GateCounts(Record):
    """How many transcripts of a model have each state at a gate."""

    due: Count
    """Transcripts on which a check of the gate was due; the sum of the others."""
    failed_by_judge: Count
    """Transcripts with a hard fail by the judge."""
    contested: Count
    """Transcripts whose FAILs of gate checks are all contested."""
    incomplete: Count
    """Transcripts without a FAIL of a gate check, but with one that is UNCLEAR or was not run."""
    clear: Count
    """Transcripts on which every gate check that was due has an answer, and none FAILs."""
    failed_by_person: Count = Field(default=0, exclude_if=operator.not_)
    """Transcripts with a hard fail that a person decided; left out if there are none."""
    cleared_by_person: Count = Field(default=0, exclude_if=operator.not_)
    """Transcripts that a person cleared against the judge; left out if there are none."""

    @model_validator(mode="after")
    def _due_is_the_sum(self) -> GateCounts:
        parts = self.failed + self.undecided + self.clear + self.cleared_by_person
        if self.due != parts:
            raise ValueError(f"{self.due} transcripts are due, but the states sum to {parts}")
        return self

    @property
    def failed(self) -> int:
        """Transcripts with a hard fail, by the judge or by a person."""
        return self.failed_by_judge + self.failed_by_person

    @property
    def undecided(self) -> int:
        """Transcripts that may or may not have a hard fail."""
        return self.contested + self.incomplete

    @classmethod
    def of(cls, states: Mapping[GateState, int]) -> GateCounts:
        """The counts of some transcripts, from how many have each state."""
        counts = {state.value: states.get(state, 0) for state in _COUNTED}
        return cls(due=sum(counts.values()), **counts)


class GateEntry(GateCounts):
    """A gate, or both gates together, over all transcripts of a model."""

    n_families: int
    rate: float | None
    """Hard fails over due; null if too few transcripts were due to show a rate."""
    low: float | None
    """The lower end of the 95% interval of the rate."""
    high: float | None
    exact_low: float | None
    """The lower end of the Clopper-Pearson 95% interval."""
    exact_high: float | None
    """The upper end of the Clopper-Pearson interval."""
    upper_if_zero: float | None
    """The one-sided 95% upper bound, if nothing is failed by the judge, contested or incomplete."""
    bounds: tuple[float, float] | None
    """The rate if all contested and incomplete transcripts are clear, and if all are hard fails."""
    high_with_undecided: float | None
    """The upper end of the 95% interval if all contested and incomplete transcripts are hard fails."""
    support: tuple[str, ...]
    """What to keep in mind of the interval from `low` to `high_with_undecided`."""
    older_questions: Count = 0
    """Transcripts with a verdict of a check of the gate by votes on an older wording."""


class OpenGate(Played):
    """A gate verdict that is not settled."""

    check_id: str
    verdict: Verdict | None
    contested: bool
    """True for a FAIL for which fewer than most of the votes are."""
    split: bool
    older_question: bool = False
    """True if the votes answer another wording of the question."""
    reason: str
    """Why it is open."""
