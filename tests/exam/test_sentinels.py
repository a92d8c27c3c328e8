"""What exam items among the questions of a scan say, and where they stand among them."""

from __future__ import annotations

import pytest

from ib.exam.sentinels import NO_EXAM, sentinel_lines
from ib.models.common.base import Verdict
from ib.models.exam.report import Outcome
from ib.models.exam.sentinels import SentinelCalls, SentinelPlan
from ib.pipeline.scan.sentinels import mixed


def plan(exam: tuple[int, int] | None) -> SentinelPlan:
    """Sentinels of a judge with so many errors among so many items of its exam."""
    told = {} if exam is None else {"exam": "0" * 64, "exam_wrong": exam[0], "exam_n": exam[1]}
    calls = dict.fromkeys(set(SentinelCalls.model_fields) - {"estimated_cost_usd"}, 9)
    hashed = {"seed": "exam-1", "items_hash": "0" * 64, "estimated_cost_usd": None}
    return SentinelPlan.model_validate({"share": 0.05, "items": 9, **hashed, **calls, **told})


def outcomes(wrong: int, n: int) -> list[Outcome]:
    """So many answers to items that must not fail, of which some are FAIL."""
    verdicts = [Verdict.FAIL] * wrong + [Verdict.PASS] * (n - wrong)
    same = {"check": "IB-B7", "base": "b", "operator": "unedited", "must_fail": False, "arguable": False}
    told = ({"id": f"c{at}", "verdict": one, **same} for at, one in enumerate(verdicts))
    return list(map(Outcome.model_validate, told))


@pytest.mark.parametrize(
    ("exam", "found", "words"),
    [
        ((10, 200), (12, 40), ("ALARM", "12 of 40", "10 of 200", "Power: an error rate of")),
        ((10, 200), (3, 40), ("No alarm", "3 of 40", "exam's 5.0%")),
        ((1, 2), (1, 2), ("No alarm", "no error rate raises the alarm")),
        (None, (3, 40), ("3 of 40", NO_EXAM)),
    ],
)
def test_the_alarm_is_said_with_its_power(
    exam: tuple[int, int] | None, found: tuple[int, int], words: tuple[str, ...]
) -> None:
    """An alarm, its absence, too few items, and no exam to compare with are each said in words."""
    said = " ".join(sentinel_lines(plan(exam), outcomes(*found)))
    assert [one for one in words if one not in said] == []
    assert ("ALARM" in said) is ("ALARM" in words)


@pytest.mark.parametrize(("many", "total"), [(0, 5), (1, 1), (2, 7), (7, 2), (5, 100)])
def test_sentinels_are_spread_evenly(many: int, total: int) -> None:
    """Each is asked once, in order, and every part of the scan has its share of them."""
    sentinels = [f"s{at}" for at in range(many)]
    found = list(mixed([f"t{at}" for at in range(total)], sentinels, total))  # type: ignore[arg-type]
    assert [one for one in found if str(one).startswith("s")] == sentinels
    assert len(found) == many + total
    for place, one in enumerate((one for one in found if str(one).startswith("t")), start=1):
        before = sum(str(other).startswith("s") for other in found[: found.index(one)])
        assert abs(before - (place - 1) * many / total) <= 0.5
