"""The exact test of McNemar, and p values adjusted for the number of tests."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binomtest
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_elsewhere
from statsmodels.stats.multitest import multipletests

from ib.stats.intervals import rate_interval
from ib.stats.means import clustered_mean
from ib.stats.paired import alike_interval, benjamini_hochberg, holm, mcnemar
from ib.stats.ratios import clustered_ratio

TEN = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216]
HOLM = [0.01, 0.072, *[0.312] * 5, *[0.615] * 3]
BH = [0.01, 0.04, *[0.084] * 3, 0.1, 0.10571428571428572, *[0.216] * 3]
FIFTEEN = [1e-4, 4e-4, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719]
FIFTEEN += [0.6528, 0.7590, 1.0]
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize(("b", "c"), [(b, c) for b, c in product(range(14), repeat=2) if b + c])
def test_mcnemar_is_the_exact_binomial_test(b: int, c: int) -> None:
    """For every small pair of counts, the p value is that of two other libraries."""
    assert mcnemar(b, c) == pytest.approx(binomtest(b, b + c).pvalue, abs=1e-12)
    elsewhere = mcnemar_elsewhere([[0, b], [c, 0]], exact=True).pvalue
    assert mcnemar(b, c) == pytest.approx(min(1.0, elsewhere), abs=1e-12)


@pytest.mark.parametrize("difference", [-1.0, -0.5, 0.0, 1.0])
@pytest.mark.parametrize("families", [1, 2, 7, 26])
def test_alike_families_may_hide_others(difference: float, families: int) -> None:
    """The ends are the means if the share that may differ has the lowest and the highest difference."""
    seen = beta.ppf(0.05, families, 1)
    low, high = alike_interval(difference, families)
    assert low == pytest.approx(seen * difference - (1 - seen))
    assert high == pytest.approx(seen * difference + (1 - seen))
    assert -1 <= low <= difference <= high <= 1


def test_mcnemar_oracles() -> None:
    """Published figures: 12 to 0 gives 0.000488, 11 to 0 gives 0.000977, and no differing case gives 1."""
    assert mcnemar(12, 0) == pytest.approx(0.00048828125, abs=1e-15)
    assert mcnemar(0, 11) == pytest.approx(0.0009765625, abs=1e-15)
    assert mcnemar(0, 0) == 1.0
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


def test_adjusted_p_values() -> None:
    """Holm and Benjamini-Hochberg of a worked example."""
    assert holm(TEN) == pytest.approx(HOLM, abs=1e-12)
    assert benjamini_hochberg(TEN) == pytest.approx(BH, abs=1e-12)
    assert sum(p <= 0.05 for p in holm(FIFTEEN)) == 3
    assert sum(p <= 0.05 for p in benjamini_hochberg(FIFTEEN)) == 4
    assert holm([]) == benjamini_hochberg([]) == ()


@settings(max_examples=25)  # in a run of all tests, each call of statsmodels takes half a second
@given(p_values)
def test_adjusted_p_values_in_another_library(values: list[float]) -> None:
    """Both adjustments equal those of statsmodels, in any order, and BH <= Holm where p <= Holm."""
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1], abs=1e-12)
    elsewhere = multipletests(values, method="fdr_bh")[1]
    assert benjamini_hochberg(values) == pytest.approx(elsewhere, abs=1e-12)
    for p, sure, exploratory in zip(values, holm(values), benjamini_hochberg(values), strict=True):
        assert p <= sure + 1e-15
        assert exploratory <= sure + 1e-15


def test_a_mean_of_differences_reaches_below_zero() -> None:
    """The interval of a mean of differences is cut at -1 and not at 0."""
    values, families = [-1.0, 0.0, -1.0, 0.0, 0.0], list("abcde")
    assert clustered_mean(values, families, lowest=-1.0).low == pytest.approx(-1.0)
    assert clustered_mean(values, families).low == 0.0


def test_a_ratio_that_was_chosen_is_wider() -> None:
    """With one case a family, the interval is that of a rate, widened after Bonferroni."""
    counts = [(1, 1)] * 4 + [(0, 1)] * 8
    plain, chosen = clustered_ratio(counts), clustered_ratio(counts, tests=15)
    effective = plain.effective_n
    assert (plain.low, plain.high) == pytest.approx(rate_interval(4 / 12 * effective, effective))
    ends = rate_interval(4 / 12 * effective, effective, tests=15)
    assert (chosen.low, chosen.high) == pytest.approx(ends, abs=1e-9)
