"""The interval of a ratio of counts in clusters, against statsmodels over the single cases."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

from ib.stats.intervals import rate_interval
from ib.stats.ratios import clustered_ratio, either_way

Counts = list[tuple[int, int]]
WORLDS: list[Counts] = [
    [(3, 3), (0, 3), (3, 3), (0, 3)],
    [(2, 3), (1, 3), (2, 3), (1, 3)],
    [(1, 40), (0, 25), (7, 30), (0, 8), (2, 61), (0, 12)],
    [(5, 20), (5, 20)],
    [(1, 1), (0, 1), (1, 1), (1, 1), (0, 1)],
    [(9, 10), (10, 10), (7, 10), (3, 4)],
]


def theirs(counts: Counts, tests: int = 1) -> tuple[float, float, float]:
    """The effective n and the interval, from a regression of single cases on a constant."""
    cases = [(one, family) for family, (k, n) in enumerate(counts) for one in [1] * k + [0] * (n - k)]
    values, families = np.array([c[0] for c in cases], dtype=float), np.array([c[1] for c in cases])
    n, clusters = len(values), len(set(families))
    fitted = sm.OLS(values, np.ones(n)).fit()
    clustered = fitted.get_robustcov_results("cluster", groups=families).bse[0] ** 2
    independent = float(np.var(values, ddof=1)) / n
    tail = 0.025 / tests
    lost = (student.isf(tail, n - 1) / student.isf(tail, clusters - 1)) ** 2
    effective = float(n / max(1.0, clustered / independent) * lost)
    low, high = proportion_confint(values.mean() * effective, effective, alpha=2 * tail, method="wilson")
    return effective, low, high


@pytest.mark.parametrize("tests", [1, 4])
@pytest.mark.parametrize("counts", WORLDS, ids=str)
def test_the_interval_is_that_of_a_regression_on_single_cases(counts: Counts, tests: int) -> None:
    """The CR1 error of statsmodels, the design effect, Student's quantiles of scipy and Wilson's interval."""
    found = clustered_ratio(counts, tests)
    assert (found.k, found.n) == (sum(k for k, _ in counts), sum(n for _, n in counts))
    assert (found.effective_n, found.low, found.high) == pytest.approx(theirs(counts, tests), abs=1e-10)


def test_the_variance_of_families_that_are_all_alike_is_eleven_thirds() -> None:
    """The worked example of perfect clustering: 12 cases are worth 36/11, less the degrees of freedom."""
    lost = (student.ppf(0.975, 11) / student.ppf(0.975, 3)) ** 2
    assert clustered_ratio(WORLDS[0]).effective_n == pytest.approx(12 * 3 / 11 * lost)


def test_families_that_differ_less_than_chance_do_not_narrow_the_interval() -> None:
    """A design effect below 1 is taken to be 1."""
    found = clustered_ratio([(1, 2)] * 20)
    assert found.effective_n == pytest.approx(40 * (student.ppf(0.975, 39) / student.ppf(0.975, 19)) ** 2)


@pytest.mark.parametrize("k", [0, 30])
def test_without_a_design_effect_each_family_is_one_case(k: int) -> None:
    """If no turn has the failure, or all have it, or if there is one family."""
    found = clustered_ratio([(k, 30)] * 6)
    assert (found.effective_n, found.low, found.high) == (6.0, *rate_interval(6 if k else 0, 6))
    assert clustered_ratio([(3, 30)]).effective_n == 1.0


def test_undecided_cases_are_counted_either_way() -> None:
    """The lower end has them as no events, and the upper end as events."""
    low, high = either_way([(2, 4, 1), (0, 3, 2), (3, 5, 0)], 3)
    assert low == clustered_ratio([(2, 5), (0, 5), (3, 5)], 3).low
    assert high == clustered_ratio([(3, 5), (2, 5), (3, 5)], 3).high


def test_the_order_of_families_and_families_without_a_chance_change_nothing() -> None:
    """The same bytes in any order of results."""
    found = {clustered_ratio([(0, 0), *counts]) for counts in permutations(WORLDS[2])}
    assert found == {clustered_ratio(WORLDS[2])}
    assert clustered_ratio(WORLDS[2]).clusters == 6


@pytest.mark.parametrize("counts", [[], [(0, 0)], [(2, 1)], [(-1, 3)], [(1, 0)]], ids=str)
def test_counts_that_are_no_ratio_are_refused(counts: Counts) -> None:
    """A ratio of nothing never becomes 0."""
    with pytest.raises(ValueError, match="a ratio needs cases"):
        clustered_ratio(counts)


def test_the_interval_covers_the_share_of_turns_that_come_in_families() -> None:
    """It covers in at least 90 % of draws, and the interval over single turns in less than 75 %."""
    random = np.random.default_rng(2026)
    ours = plain = 0
    for _ in range(400):
        n = random.integers(5, 40, size=40)
        k = random.binomial(n, random.beta(0.3, 2.7, size=40))  # mean 0.1, correlation 0.25
        found = clustered_ratio(list(zip(k.tolist(), n.tolist(), strict=True)))
        ours += found.low <= 0.1 <= found.high
        low, high = rate_interval(found.k, found.n)
        plain += low <= 0.1 <= high
    assert ours >= 0.90 * 400
    assert plain < 0.75 * 400
