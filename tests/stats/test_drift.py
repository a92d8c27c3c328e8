"""The alarm about a judge that differs from its exam: exact p values, and the power that is stated."""

from __future__ import annotations

import pytest
from scipy.stats import binom, fisher_exact

from ib.stats.drift import LEVEL, drift, least_rate, power

COUNTS = [(3, 10, 20, 200), (0, 40, 12, 200), (9, 40, 12, 200), (40, 40, 0, 60), (2, 5, 2, 5), (0, 7, 0, 30)]


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_the_p_value_is_that_of_fisher(counts: tuple[int, int, int, int]) -> None:
    """Equal to scipy's, in both directions."""
    wrong, n, exam_wrong, exam_n = counts
    table = [[wrong, n - wrong], [exam_wrong, exam_n - exam_wrong]]
    assert drift(*counts).p == pytest.approx(fisher_exact(table).pvalue, abs=1e-9)


def test_a_judge_that_has_not_changed_rarely_raises_the_alarm() -> None:
    """At the rate of its exam, the chance of an alarm is near the level, or below it."""
    for n, wrong, exam_n in ((30, 10, 200), (100, 10, 200), (200, 0, 200)):
        assert power(n, wrong, exam_n, wrong / exam_n) <= 2 * LEVEL


def test_the_power_is_the_sum_over_what_raises_the_alarm() -> None:
    """Computed again with scipy: 60 answers, 8 of 200 wrong in the exam, now wrong in 20%."""
    alarming = [k for k in range(61) if fisher_exact([[k, 60 - k], [8, 192]]).pvalue < LEVEL]
    assert power(60, 8, 200, 0.2) == pytest.approx(binom.pmf(alarming, 60, 0.2).sum(), abs=1e-9)


def test_the_least_rate_has_the_power_that_is_stated() -> None:
    """It is found with a chance of 80%, and a smaller rate is not. One answer finds no rate."""
    found = least_rate(60, 8, 200)
    assert found is not None
    assert power(60, 8, 200, found) == pytest.approx(0.8, abs=1e-6)
    assert power(60, 8, 200, found - 0.01) < 0.8
    assert least_rate(1, 100, 200) is None


def test_no_answers_are_refused() -> None:
    """Zero answers say nothing about a judge."""
    with pytest.raises(ValueError, match="found 0/0"):
        drift(0, 0, 1, 10)
