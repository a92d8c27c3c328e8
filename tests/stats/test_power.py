"""What a comparison can find, against the binomial distribution of scipy."""

from __future__ import annotations

import pytest
from scipy.stats import binom, binomtest

from ib.stats.power import least_difference


@pytest.mark.parametrize("families", [6, 8, 20, 36, 56, 64, 200])
def test_the_least_difference_is_found_four_times_in_five(families: int) -> None:
    """With a little less, the exact test rejects in fewer than 80% of samples."""
    found = least_difference(families)
    assert found is not None

    def power(share: float) -> float:
        return sum(
            float(binom.pmf(k, families, share))
            for k in range(1, families + 1)
            if binomtest(k, k, 0.5).pvalue < 0.05
        )

    assert power(found) == pytest.approx(0.8, abs=1e-6)
    assert power(found - 0.01) < 0.8


def test_five_families_can_show_nothing() -> None:
    """Six families that differ the same way are the fewest that give p below 0.05."""
    assert [least_difference(n) for n in range(6)] == [None] * 6
    assert least_difference(6) == pytest.approx(0.8 ** (1 / 6), abs=1e-6)


def test_more_families_find_smaller_differences_and_stricter_levels_larger_ones() -> None:
    """With 20 families, only differences of about 37 points are found."""
    found = [least_difference(n) or 1.0 for n in range(6, 80)]
    assert found == sorted(found, reverse=True)
    assert least_difference(20) == pytest.approx(0.3665, abs=5e-4)
    strict = least_difference(20, alpha=0.05 / 28)
    assert strict is not None
    assert strict > 0.45
    with pytest.raises(ValueError, match="not negative"):
        least_difference(-1)
