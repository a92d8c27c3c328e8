"""Guessing among equal options: exact probabilities, against scipy and by hand."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from ib.stats.guessing import least_hits, power, tail


@pytest.mark.parametrize(("k", "n", "p"), [(0, 5, 0.1), (1, 1, 0.125), (3, 20, 0.125), (60, 300, 0.125)])
def test_the_tail_is_that_of_scipy(k: int, n: int, p: float) -> None:
    """P(X >= k), and so 1 at k = 0."""
    assert tail(k, n, p) == pytest.approx(binom.sf(k - 1, n, p), rel=1e-10)


def test_the_least_number_of_hits_is_the_first_that_chance_rarely_reaches() -> None:
    """Two of two among eight is reached in 1 of 64 guesses, so two questions never flag anybody."""
    assert least_hits(2, 8, 0.01) == 3
    assert least_hits(3, 8, 0.01) == 3
    for n in (10, 100, 400):
        least = least_hits(n, 8, 0.01)
        assert tail(least, n, 1 / 8) <= 0.01 < tail(least - 1, n, 1 / 8)


def test_power_grows_from_the_level_to_certainty() -> None:
    """Nothing remembered is flagged at most at the level; everything remembered always."""
    assert power(300, 8, 0.01, 0.0) <= 0.01
    assert power(300, 8, 0.01, 1.0) == pytest.approx(1)
    shares = [power(300, 8, 0.01, share) for share in (0.05, 0.1, 0.2)]
    assert shares == sorted(shares)
