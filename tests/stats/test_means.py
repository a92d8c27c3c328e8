"""The mean over scenarios, with a standard error clustered by family."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from ib.stats.means import clustered_mean

FOUR = list("aaabbbcccddd")
MIXED = [1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0]
CLUSTERED = [1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0]
PAIR_A = [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1]
PAIR_B = [1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1]


def alone(count: int) -> list[str]:
    """Families of one scenario each."""
    return [f"s{i}" for i in range(count)]


@pytest.mark.parametrize(
    ("values", "families", "mean", "se"),
    [
        (MIXED, FOUR, 0.5, 0.09622504486493767),
        (CLUSTERED, FOUR, 0.5, 0.28867513459481287),
        (MIXED, alone(12), 0.5, 0.15075567228888181),
        (CLUSTERED, alone(12), 0.5, 0.15075567228888181),
        (PAIR_A, alone(20), 0.7, 0.10513149660756935),
        (PAIR_B, alone(20), 0.55, 0.11413288653790231),
    ],
)
def test_worked_examples(values: list[float], families: list[str], mean: float, se: float) -> None:
    """The CR1 error over families, which is the plain standard error if each family has one scenario."""
    found = clustered_mean(values, families)
    assert found.mean == pytest.approx(mean, abs=1e-12)
    assert found.se == pytest.approx(se, abs=1e-12)
    assert (found.n, found.clusters) == (len(values), len(set(families)))


def test_paired_difference_and_its_interval() -> None:
    """The mean of paired differences has the paired standard error and Student's interval."""
    # Differences lie in [-1, 1]; a linear map brings them to the scores that the function takes.
    halves = [(a - b + 1) / 2 for a, b in zip(PAIR_A, PAIR_B, strict=True)]
    found = clustered_mean(halves, alone(20))
    assert found.low is not None
    assert found.high is not None
    assert 2 * found.mean - 1 == pytest.approx(0.15, abs=1e-12)
    assert 2 * (found.se or 0) == pytest.approx(0.1094243309804831, abs=1e-12)
    assert 2 * found.low - 1 == pytest.approx(-0.07902775687968744, abs=1e-9)
    assert 2 * found.high - 1 == pytest.approx(0.3790277568796874, abs=1e-9)


def test_perfect_clustering_inflates_the_variance() -> None:
    """A family of equal scores counts as one case: the variance is 11/3 as large."""
    together, apart = clustered_mean(CLUSTERED, FOUR), clustered_mean(CLUSTERED, alone(12))
    assert together.se is not None
    assert apart.se is not None
    assert (together.se / apart.se) ** 2 == pytest.approx(3.6666666666666656, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_the_same_as_statsmodels(seed: int) -> None:
    """Cluster-robust least squares of statsmodels gives the same error and interval."""
    rng = np.random.default_rng(seed)
    families = [f"f{i}" for i in rng.integers(0, 4 + seed, size=40)]
    values = rng.random(40) * 0.6 + 0.2
    codes = np.unique(families, return_inverse=True)[1]
    # statsmodels multiplies by (n-1)/(n-k) as well, which is 1 for a constant alone.
    theirs = sm.OLS(values, np.ones(40)).fit(cov_type="cluster", cov_kwds={"groups": codes})
    found = clustered_mean(list(values), families)
    assert found.mean == pytest.approx(float(theirs.params[0]), abs=1e-9)
    assert found.se == pytest.approx(float(theirs.bse[0]), abs=1e-9)
    reach = student.ppf(0.975, found.clusters - 1) * float(theirs.bse[0])
    assert found.low == pytest.approx(max(0.0, found.mean - reach), abs=1e-9)
    assert found.high == pytest.approx(min(1.0, found.mean + reach), abs=1e-9)


SCORED = st.lists(
    st.tuples(st.floats(0, 1, allow_subnormal=False), st.sampled_from("abcdef")), min_size=1, max_size=30
)


@given(SCORED)
def test_an_interval_contains_its_mean(scored: list[tuple[float, str]]) -> None:
    """0 <= low <= mean <= high <= 1. With one family, there is no error and no interval."""
    found = clustered_mean([v for v, _ in scored], [f for _, f in scored])
    assert 0 <= found.mean <= 1 + 1e-12
    if len({f for _, f in scored}) < 2:
        assert found.se is found.low is found.high is None
    elif found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.mean + 1e-12
        assert found.mean - 1e-12 <= found.high <= 1


@given(SCORED, st.randoms(use_true_random=False))
def test_neither_order_nor_names_matter(scored: list[tuple[float, str]], random: object) -> None:
    """Shuffling scenarios and renaming families does not change the mean and the error."""
    shuffled = list(scored)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one = clustered_mean([v for v, _ in scored], [f for _, f in scored])
    two = clustered_mean([v for v, _ in shuffled], [f"x{ord(f)}" for _, f in shuffled])
    assert two.mean == pytest.approx(one.mean, abs=1e-12)
    assert (one.se is None) == (two.se is None)
    if one.se is not None:
        assert two.se == pytest.approx(one.se, abs=1e-12)


@pytest.mark.parametrize("score", [0.0, 1.0, 0.5, 0.1])
def test_lesson_27_se_0_printed_as_an_interval_without_width(score: float) -> None:
    """Equal scores give no error and no interval, instead of an interval of width 0."""
    found = clustered_mean([score] * 12, alone(12))
    assert found.mean == pytest.approx(score)
    assert (found.low, found.high) == (None, None) or (found.high or 0) - (found.low or 0) > 0.01


def test_one_family_has_no_interval() -> None:
    """One family says nothing about others, so the mean has no interval."""
    found = clustered_mean([0.0, 1.0, 1.0], ["a", "a", "a"])
    assert found.mean == pytest.approx(2 / 3)
    assert (found.n, found.clusters) == (3, 1)
    assert found.se is found.low is found.high is None


def test_the_interval_stays_in_the_range_of_scores() -> None:
    """Two families give a very wide interval, which is cut off at 0 and 1."""
    found = clustered_mean([0.0, 1.0], ["a", "b"])
    assert (found.low, found.high) == (0.0, 1.0)
    assert found.se == pytest.approx(0.5)


def test_other_confidence_levels() -> None:
    """The interval uses the quantile of Student's t with C - 1 degrees of freedom."""
    at_95, at_90 = clustered_mean(MIXED, FOUR), clustered_mean(MIXED, FOUR, alpha=0.10)
    assert at_95.low == pytest.approx(0.5 - 3.182446305284263 * 0.09622504486493767, abs=1e-9)
    assert at_90.low == pytest.approx(0.5 - 2.353363434801823 * 0.09622504486493767, abs=1e-9)
    assert at_90.high == pytest.approx(0.5 + 2.353363434801823 * 0.09622504486493767, abs=1e-9)


@pytest.mark.parametrize(("values", "families"), [([], []), ([1.0], []), ([0.0, 1.0], ["a"])])
def test_lesson_17_there_is_no_mean_without_values(values: list[float], families: list[str]) -> None:
    """No values, or not one family per value, raises ValueError and never gives 0.0."""
    with pytest.raises(ValueError, match="one cluster for each value"):
        clustered_mean(values, families)
