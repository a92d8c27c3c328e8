"""Rates, means and coverage, with their counts, intervals and flags."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import pytest

from ib.board.figures.rates import coverage, mean_score, rate
from ib.board.figures.tally import CheckTally, ScoreTally
from ib.models.common.base import Verdict
from ib.models.scan.result import BucketScore
from tests.build import FAIL, NA, PASS, UNCLEAR, benchmark, check, row, scoring

LIMITS = scoring().support

WORLDS = [(k, n, u) for n in range(0, 41) for k in range(n + 1) for u in (0, 1, 3)]


def test_every_small_rate_has_all_its_parts() -> None:
    """Every rate up to n = 40 has k, n, interval, bounds and flags, in the right order."""
    for k, n, unclear in WORLDS:
        found = rate(k, n, unclear, n, LIMITS, exact=True)
        assert (found.k, found.n, found.unclear) == (k, n, unclear)
        assert found.rate == (k / n if n >= 5 and n >= unclear else None)
        assert (found.bounds is None) is (unclear == 0)
        if unclear and found.bounds is not None:
            assert found.bounds == (k / (n + unclear), (k + unclear) / (n + unclear))
        assert (found.upper_if_zero is None) is not (n > 0 and k == 0 and n >= unclear)
        if 0 < n < unclear:
            assert (found.rate, found.low, found.high, found.exact_low) == (None, None, None, None)
            continue
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


SCORES: tuple[tuple[float | None, tuple[float, float] | None], ...] = (
    (0.0, (0.0, 0.0)),  # a hard fail
    (0.75, (0.5, 1.0)),
    (1.0, (1.0, 1.0)),
    (None, (0.0, 0.75)),
    (None, None),  # nothing was due
)


def possible(bounds: tuple[float, float] | None) -> tuple[float | None, ...]:
    """What one transcript may score: its ends, or nothing."""
    return (None,) if bounds is None else bounds


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_bounds_of_a_mean_are_those_of_all_completions(size: int) -> None:
    """The least and the greatest mean, if every transcript scores the least or the most that it can.

    Transcripts in which nothing was due are in neither; there are no bounds if nothing is open.
    """
    for world in combinations_with_replacement(SCORES, size):
        tally = ScoreTally()
        for at, (value, ends) in enumerate(world):
            tally.add(value, ends, f"s{at}")
        found = tally.overall(
            sum(one == SCORES[0] for one in world), {f"s{at}": f"f{at}" for at in range(size)}
        )
        known = [value for value, _ in world if value is not None]
        means = []
        for scores in product(*(possible(ends) for _, ends in world)):
            told = [value for value in scores if value is not None]
            means += [sum(told) / len(told)] if told else []
        is_open = bool(means) and min(means) < max(means)
        assert found.bounds == (pytest.approx((min(means), max(means))) if is_open else None)
        open_ = sum(value is None and ends is not None for value, ends in world)
        shown = len(known) >= open_ and any(known)
        assert found.mean == (pytest.approx(sum(known) / len(known)) if shown else None)
        assert (found.n, found.nulls) == (len(known), size - len(known))
        if found.mean is not None and found.bounds is not None and not open_:
            assert found.bounds[0] <= found.mean <= found.bounds[1]


def test_a_mean_of_hard_fails_alone_is_not_shown() -> None:
    """Six hard fails and one open transcript have a range, not the mean 0; seven have neither."""
    family = {f"s{at}": f"f{at}" for at in range(7)}
    tally, all_fail = ScoreTally(), ScoreTally()
    for at in range(7):
        all_fail.add(0.0, (0.0, 0.0), f"s{at}")
    for at in range(6):
        tally.add(0.0, (0.0, 0.0), f"s{at}")
    tally.add(None, (0.0, 0.7), "s6")
    found = tally.overall(6, family)
    assert (found.mean, found.n, found.nulls) == (None, 6, 1)
    assert found.bounds == pytest.approx((0.0, 0.1))
    found = all_fail.overall(7, family)
    assert (found.mean, found.n, found.bounds) == (None, 7, None)


def test_a_dimension_of_which_8_percent_is_decided_has_a_range() -> None:
    """The few decided checks say nothing of the rest."""
    tally = ScoreTally()
    for at in range(26):
        failed = BucketScore(
            passes=0, failures=1, undecided=0 if at < 20 else 2, rate=0.0 if at < 20 else None
        )
        tally.add_bucket(failed, f"s{at}")
    family = {f"s{at}": f"f{at}" for at in range(60)}
    assert tally.dimension(family).mean == 0.0
    for at in range(26, 60):
        tally.add_bucket(BucketScore(passes=0, failures=0, undecided=9, rate=None), f"s{at}")
    found = tally.dimension(family)
    assert (found.mean, found.low, found.high, found.n) == (None, None, None, 20)
    assert found.bounds == pytest.approx((0.0, (6 * 2 / 3 + 34) / 60))


def test_a_rate_of_a_check_that_was_mostly_not_run_is_a_range() -> None:
    """18 of 18 found, 45 not run: 29% to 100%, and no rate of 1.0 in any file."""
    tally = CheckTally()
    item = check("IB-F1-a")
    for at in range(63):
        tally.add(row(item, FAIL if at < 18 else None), f"s{at}")
    found = tally.failures(item, benchmark(item), {f"s{at}": f"f{at}" for at in range(63)})
    assert (found.k, found.n, found.unclear) == (18, 18, 0)
    assert (found.rate, found.low, found.high) == (None, None, None)
    assert found.bounds == (18 / 63, 1.0)
