"""Rates, means and coverage, with their counts, intervals and flags."""

from __future__ import annotations

import pytest

from ib.board.rates import coverage, mean_score, rate
from ib.models.base import Verdict
from tests.build import FAIL, NA, PASS, UNCLEAR, scoring

LIMITS = scoring().support

WORLDS = [(k, n, u) for n in range(0, 41) for k in range(n + 1) for u in (0, 1, 3)]


def test_every_small_rate_has_all_its_parts() -> None:
    """Every rate up to n = 40 has k, n, interval, bounds and flags, in the right order."""
    for k, n, unclear in WORLDS:
        found = rate(k, n, unclear, n, LIMITS, exact=True)
        assert (found.k, found.n, found.unclear) == (k, n, unclear)
        assert found.rate == (k / n if n >= 5 else None)
        assert (found.bounds is None) is (unclear == 0)
        if unclear and found.bounds is not None:
            assert found.bounds == (k / (n + unclear), (k + unclear) / (n + unclear))
        assert (found.upper_if_zero is None) is not (n > 0 and k == 0)
        if n == 0:
            assert (found.low, found.high, found.exact_low, found.support) == (None, None, None, ("no_data",))
            continue
        assert found.low is not None
        assert found.high is not None
        assert found.low <= k / n <= found.high
        assert found.exact_low is not None
        assert found.exact_high is not None
        assert found.exact_low <= k / n <= found.exact_high
        expected = ["count_only"] if n < 5 else ["low_power"] if n < 30 else []
        expected += ["wide"] if found.high - found.low >= 0.3 else []
        expected += ["zero_events"] if k == 0 else []
        assert list(found.support) == (expected or ["ok"])


def test_lesson_27_zero_failures_do_not_give_certainty() -> None:
    """0 of 20 has an upper bound and an interval with a width, never [0, 0]."""
    found = rate(0, 20, 0, 20, LIMITS, exact=True)
    assert (found.low, found.exact_low) == (0.0, 0.0)
    assert found.high == pytest.approx(0.16112515805281938, abs=1e-9)
    assert found.exact_high == pytest.approx(0.1684334709830853, abs=1e-9)
    assert found.upper_if_zero == pytest.approx(0.13910834066826516, abs=1e-9)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(1, 10, 0.017876213095072896, 0.4041500267952385), (81, 263, 0.2552885198782742, 0.36620957698280004),
     (47, 63, 0.6265881256339354, 0.8371958872667884), (63, 63, 0.9425288004111484, 1.0)],
)  # fmt: skip
def test_the_interval_is_wilsons(k: int, n: int, low: float, high: float) -> None:
    """The interval matches published figures."""
    found = rate(k, n, 0, n, LIMITS)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.exact_low is None


def test_a_rate_of_fewer_than_five_is_a_count() -> None:
    """1 of 1 is shown as 1/1, without 100%."""
    found = rate(1, 1, 0, 1, LIMITS)
    assert (found.rate, found.support[0]) == (None, "count_only")


def test_lesson_17_nulls_are_counted_and_left_out_of_the_mean() -> None:
    """A transcript without a score does not count as 0."""
    found = mean_score([(1.0, "a"), (None, "b"), (0.5, "c"), (None, "d")])
    assert (found.mean, found.n, found.nulls, found.n_families) == (0.75, 2, 2, 2)
    none = mean_score([(None, "a")])
    assert (none.mean, none.n, none.nulls, none.se) == (None, 0, 1, None)
    assert none.n_families == 0


def test_lesson_27_one_family_has_no_standard_error() -> None:
    """A mean over one family has no standard error and no interval, instead of 0."""
    found = mean_score([(1.0, "a"), (1.0, "a")])
    assert (found.mean, found.se, found.low, found.high) == (1.0, None, None, None)


def test_means_are_clustered_by_family() -> None:
    """Perfectly clustered scores have the larger standard error."""
    scores = [1.0] * 3 + [0.0] * 3 + [1.0] * 3 + [0.0] * 3
    clustered = mean_score([(s, f"f{i // 3}") for i, s in enumerate(scores)])
    assert clustered.se == pytest.approx(0.28867513459481287, abs=1e-12)
    assert (clustered.n, clustered.n_families) == (12, 4)


def test_lesson_05_checks_that_were_not_run_lower_coverage() -> None:
    """Eligible rows without a verdict stay in the denominator, and UNCLEAR does not count as covered."""
    verdicts = {PASS: 3, FAIL: 1, NA: 2, UNCLEAR: 2}
    found = coverage(verdicts, 10)
    assert (found.covered, found.decided, found.eligible) == (0.6, 0.4, 10)
    assert coverage(dict.fromkeys(Verdict, 0), 0).covered is None


@pytest.mark.parametrize(
    ("verdict", "covered", "decided"),
    [(PASS, 1.0, 1.0), (FAIL, 1.0, 1.0), (NA, 1.0, 0.0), (UNCLEAR, 0.0, 0.0)],
)
def test_a_missing_verdict_counts_as_zero(verdict: Verdict, covered: float, decided: float) -> None:
    """With only one kind of verdict, the other kinds count as 0."""
    found = coverage({verdict: 2}, 2)
    assert (found.covered, found.decided) == (covered, decided)
