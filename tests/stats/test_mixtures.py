"""The interval of a mean with rare zeros, against its parts, and where Student's t fails."""

from __future__ import annotations

import random

import pytest
from scipy.stats import t as student

from ib.stats.intervals import wilson
from ib.stats.means import clustered_mean
from ib.stats.mixtures import METHOD, mixed_mean


def test_the_ends_are_the_products_of_the_ends() -> None:
    """Ten families with one score each, two of them zero: Wilson's share times Student's mean."""
    others = [0.9, 0.8, 0.7, 0.95, 0.85, 0.6, 0.9, 0.75]
    found = mixed_mean([0.0, 0.0, *others], [str(n) for n in range(10)])
    effective = 10 * (student.isf(0.025, 9) / student.isf(0.025, 9)) ** 2
    low, high = wilson(8, effective)
    mean = clustered_mean(others, [str(n) for n in range(8)])
    assert mean.low is not None
    assert mean.high is not None
    assert (found.low, found.high) == pytest.approx((low * mean.low, high * mean.high))
    assert found.mean == pytest.approx(sum(others) / 10)
    assert found.se == clustered_mean([0.0, 0.0, *others], [str(n) for n in range(10)]).se


def test_no_zero_seen_does_not_mean_that_there_is_none() -> None:
    """Eight families at 0.9: the low end leaves room for zeros, where Student's t has no interval at all."""
    names = [str(n) for n in range(8)]
    assert clustered_mean([0.9] * 8, names).low is None
    found = mixed_mean([0.9] * 8, names)
    assert found.low is not None
    assert found.low < 0.9 * (1 - wilson(0, 8)[1]) + 1e-12
    assert found.high is not None
    assert 0.9 < found.high <= 1


@pytest.mark.parametrize(
    ("values", "families"), [([0.5, 0.0], ["a", "a"]), ([0.0, 0.0], ["a", "b"])], ids=["one family", "zeros"]
)
def test_there_is_no_interval_without_families_or_without_scores(
    values: list[float], families: list[str]
) -> None:
    """One family, or zeros alone, say nothing of how sure the mean is."""
    found = mixed_mean(values, families)
    assert (found.low, found.high) == (None, None)


def test_the_interval_contains_the_mean_and_does_not_depend_on_the_order() -> None:
    """For 200 samples of families of several sizes."""
    source = random.Random(7)  # noqa: S311 - samples, no secret
    for _ in range(200):
        scored = [
            (0.0 if source.random() < 0.2 else source.random(), f"f{source.randrange(9)}") for _ in range(20)
        ]
        found = mixed_mean(*zip(*scored, strict=True))
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.mean <= found.high <= 1
        source.shuffle(scored)
        assert mixed_mean(*zip(*scored, strict=True)) == found


def test_the_method_is_named() -> None:
    """A file says which interval its overall scores have."""
    assert "Wilson" in METHOD
    assert "Student t" in METHOD
