"""What exam items among the questions of a scan say, pooled over gate checks, beside the judge's exam."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ib.models.exam.report import Outcome
from ib.models.exam.sentinels import SentinelPlan
from ib.stats.drift import LEVEL, POWER, drift, least_rate


def sentinel_lines(plan: SentinelPlan, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What a scan says about its sentinels, in sentences. Nothing is said about single checks."""
    wrong, n = sum(one.wrong for one in outcomes), len(outcomes)
    said = f"Sentinels: {wrong:,} of {n:,} exam items were answered wrongly, pooled over gate checks."
    if not outcomes or plan.exam_wrong is None or plan.exam_n is None:
        yield f"{said} {NO_EXAM}"
        return
    found = drift(wrong, n, plan.exam_wrong, plan.exam_n)
    test = (
        f"In its exam, the judge got {plan.exam_wrong:,} of {plan.exam_n:,} wrong "
        f"(Fisher's exact test: p {_p(found.p)})."
    )
    if found.alarm:
        yield f"ALARM: the judge differs from its exam. {said} {test}"
    else:
        yield f"{said} {test} No alarm, which is raised below {LEVEL}."
    yield power_words(plan, n)


NO_EXAM = "There is no exam of this judge to compare with; name one with --exam."


def power_words(plan: SentinelPlan, n: int) -> str:
    """Which change of the judge the alarm would find among n answers; empty without an exam."""
    if plan.exam_wrong is None or plan.exam_n is None:
        return ""
    rate = least_rate(n, plan.exam_wrong, plan.exam_n)
    if rate is None:
        return f"Power: with {n:,} items, no error rate raises the alarm in {POWER:.0%} of scans."
    return (
        f"Power: an error rate of {rate:.1%} or more raises the alarm in at least {POWER:.0%} of scans; "
        f"a smaller rise above the exam's {plan.exam_wrong / plan.exam_n:.1%} is missed more often."
    )


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"= {p:.4f}"
