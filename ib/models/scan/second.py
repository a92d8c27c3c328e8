"""A second judge: its part of the plan, its answers beside those of the first, and the comparison of both."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ib.models.common.base import Played, Record, Sha256, Unit, Verdict
from ib.models.scan.cost import UnitState
from ib.models.scan.judge import JudgeSpec, Phase

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class SecondPlan(Record):
    """What a second judge is asked. Its answers change no row."""

    judge: JudgeSpec
    """The second judge."""
    share: Share
    """The share of the questions in the sample, which follows from hashes of the questions."""
    planned_questions: Count
    """Questions of the sample that the first judge is asked at once. Others depend on its replies."""
    planned_calls: Count
    """The requests of the first round for these questions: the least calls, if both judges answer all of
    them and nothing comes from a cache."""
    planned_calls_expected: Count
    """The calls that are expected for these questions, second attempts included. Those about gate FAILs come
    on top."""
    planned_calls_max: Count
    """The most calls, if every gate question that the first judge can be asked is a FAIL."""
    planned_units: Count
    """The most units. A unit is one repetition of one question, with its second attempt."""
    estimated_cost_usd: float | None
    """The expected cost of `planned_calls_expected`; null if it is unknown, 0 if nothing is paid."""


class SecondCost(Record):
    """The calls to the second judge, planned and actual. What they cost is in the report's `spending`."""

    judge: str
    """The second judge."""
    planned_calls: Count
    planned_calls_expected: Count
    planned_calls_max: Count
    planned_units: Count
    estimated_cost_usd: float | None
    complete: bool | None = None
    """False if the scan was stopped before every question was asked; null before the first of them."""
    units: dict[UnitState, int] = Field(default_factory=dict)
    """How the planned units ended; their sum is `planned_units`. Empty before the scan."""
    answered: Count | None = None
    """How many replies came in the last session; null before the scan."""
    from_cache: Count | None = None
    """How many answers the cache of earlier scans had, in the last session; null before the scan."""


class SecondOpinion(Played):
    """A line of `second.jsonl`: one question that both judges were asked, with the verdict of each."""

    question: Sha256
    """The id of the question: a hash of the transcript, the check, the phase and the turns. It does not
    depend on the judges, and decides whether the question is in the sample."""
    check_id: str
    phase: Phase
    unit: Unit
    """The kind of window that the question is about."""
    turns: tuple[int, int]
    """The first and the last turn that were judged."""
    ordinal: Count
    """The number of the question among those of the check, for example of the claim that is compared."""
    sampled: bool
    """True if the question is in the sample."""
    gate_fail: bool
    """True if the check is a gate check and the first judge's verdict is FAIL."""
    first: Verdict
    """The verdict of the first judge's votes."""
    second: Verdict | None
    """The verdict of the second judge's votes; null if it did not answer."""


class JudgeAgreement(Record):
    """The agreement of two judges on the sample. All four verdicts count."""

    n: Count
    """Questions of the sample that both judges answered."""
    agreed: Count
    """Those of them with the same verdict of both."""
    rate: float | None
    """agreed/n; null if there are too few questions to show a rate."""
    low: float | None
    """The lower end of the 95% interval, which takes the questions as independent."""
    high: float | None
    kappa: float | None
    """Cohen's kappa; null if there are too few questions, or if all verdicts are the same."""
    ac1: float | None
    """Gwet's AC1; null if there are too few questions, or if all verdicts are the same."""
    support: tuple[str, ...]
    """How well the number of questions supports the rate, the most important flag first."""


class ComparedJudges(Record):
    """Two judges compared on the questions that both were asked."""

    questions: Count
    """Questions that the second judge was asked: the sample, and all FAILs of gate checks."""
    unanswered: Count
    """Those of them that it did not answer."""
    agreement: JudgeAgreement
    """On the sample alone: FAILs of gate checks are selected, so they say nothing about agreement."""
    rows: Count
    """Rows with a question that both judges answered."""
    rows_changed: Count
    """Those of them with another verdict if the second judge's answers replaced the first's."""
    fails_removed: Count
    """Changed rows that are FAIL by the first judge."""
    fails_added: Count
    """Changed rows that would be FAIL."""
    gate_fails: Count
    """FAILs of the first judge on questions of gate checks that the second judge answered."""
    gate_fails_not_shared: Count
    """Those of them to which the second judge's verdict is not FAIL."""


class ComparedCheck(ComparedJudges):
    """The two judges compared on one check."""

    check_id: str


class SecondJudging(Record):
    """What a second judge said, beside the first judge, whose verdicts are published."""

    judge: JudgeSpec
    """The second judge."""
    share: Share
    """The share of the questions in the sample."""
    all_checks: ComparedJudges
    """All checks together."""
    checks: tuple[ComparedCheck, ...]
    """Each check on which the second judge was asked."""
