"""Sittings of the exam for judges that a release carries, with their figures counted from the outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from ib.exam.rates import rate
from ib.exam.report import Told, compared, report_of
from ib.models.benchmark.check import CheckId
from ib.models.common.base import Bucket
from ib.models.exam.report import CheckSitting, ExamComparison, ExamRate, ExamReport
from ib.models.release.exams import CarriedSitting, ExamSource

PLANTED = "planted:"
"""What the names of judges with planted errors begin with."""


@dataclass(frozen=True)
class ShownSitting:
    """One sitting as pages show it."""

    number: int
    """Its place among the sittings of the release, from 1."""
    carried: CarriedSitting
    report: ExamReport
    older: bool
    """True if it was about an older wording of the questions than that of the release."""

    @property
    def judge(self) -> str:
        """The name of the judge."""
        return self.carried.judge.model

    @property
    def planted(self) -> bool:
        """True if the judge is a program whose errors were planted."""
        return self.judge.startswith(PLANTED)

    @property
    def check_ids(self) -> frozenset[CheckId]:
        """The checks that were asked."""
        return frozenset(one.check for one in self.report.checks)

    def of_check(self, check_id: CheckId) -> CheckSitting | None:
        """What it says of a check; None if the check was not asked."""
        return next((one for one in self.report.checks if one.check == check_id), None)

    def specificity(self, checks: frozenset[CheckId]) -> ExamRate:
        """Of the items of some checks that must not FAIL: those that got none."""
        cases = (one for one in self.carried.outcomes if one.in_rates and one.check in checks)
        error = self.report.label_error or 0.0
        return rate(((one.base, not one.wrong) for one in cases if not one.must_fail), error)


@dataclass(frozen=True)
class FalseAlarms:
    """How many of the questions without a failure would be failed, at the specificity of an exam."""

    questions: int
    count: float
    low: float
    high: float


def false_alarms(questions: int, specificity: ExamRate) -> FalseAlarms | None:
    """The false alarms among so many questions; None without a question or without an item."""
    share, low, high = specificity.share, specificity.low, specificity.high
    if not questions or share is None or low is None or high is None:
        return None
    return FalseAlarms(questions, questions * (1 - share), questions * (1 - high), questions * (1 - low))


def shown_sittings(source: ExamSource | None, benchmark_hash: str) -> tuple[ShownSitting, ...]:
    """The sittings of a release, the newest first. `benchmark_hash` is that of the release."""
    carried = () if source is None else sorted(source.sittings, key=lambda one: one.day, reverse=True)
    return tuple(
        ShownSitting(number, one, _report(one), one.plan.benchmark_hash != benchmark_hash)
        for number, one in enumerate(carried, start=1)
    )


def _report(one: CarriedSitting) -> ExamReport:
    told = Told(one.judge.model, one.label_error, one.dollars, one.answered, one.judge.with_hints)
    return report_of(one.plan, one.outcomes, set(one.several).__contains__, told)


def side_by_side(
    sittings: tuple[ShownSitting, ...],
) -> Iterator[tuple[ShownSitting, ShownSitting, ExamComparison]]:
    """Each pair of sittings with the same items."""
    for one, other in combinations(sittings, 2):
        if one.report.items_hash == other.report.items_hash:
            outcomes = (one.carried.outcomes, other.carried.outcomes)
            yield one, other, compared((one.report, other.report), outcomes)


def exam_of(
    sittings: tuple[ShownSitting, ...], identity: str, gates: dict[Bucket, frozenset[CheckId]]
) -> dict[Bucket, tuple[frozenset[CheckId], ExamRate]]:
    """For each gate: the checks of a judge's newest exam on the questions of today, with its specificity.

    Empty without such an exam.
    """
    own = (one for one in sittings if not one.older and one.carried.judge.identity == identity)
    exam = next(own, None)
    if exam is None:
        return {}
    asked = {gate: checks & exam.check_ids for gate, checks in gates.items()}
    return {gate: (checks, exam.specificity(checks)) for gate, checks in asked.items() if checks}
