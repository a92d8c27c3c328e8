"""Rates corrected by people, against closed forms, the definition over single verdicts, and by simulation."""

from __future__ import annotations

import random
from fractions import Fraction
from math import sqrt

import pytest

from benchmarks.corrected import Trial
from ib.stats.corrected import Sampled, corrected
from ib.stats.design import Estimate, NotEstimable
from ib.stats.intervals import wilson


def verdicts(
    stratum: str, size: int, machine: bool, said: list[bool], families: int = 1_000_000
) -> list[Sampled]:
    """A stratum whose first verdicts were read; each verdict is a family, or as many as are named."""
    return [
        Sampled(stratum, f"{stratum}-{at}" if families > size else str(at % families), machine, people)
        for at, people in enumerate([*said, *[None] * (size - len(said))])
    ]


def found(population: list[Sampled]) -> Estimate:
    result = corrected(population)
    assert isinstance(result, Estimate)
    return result


STRATA = [
    *verdicts("fail", 20, True, [True] * 6 + [False] * 2),
    *verdicts("pass", 180, False, [True] + [False] * 29),
]


def test_the_rate_is_that_of_the_machine_plus_the_weighted_differences() -> None:
    """Two strata by hand: 20 FAILs less 2 of 8, and 180 PASSes plus 1 of 30, are 15 + 6 of 200."""
    assert found(STRATA).rate == pytest.approx(21 / 200, abs=1e-15)


def test_the_rate_is_horvitz_thompson_where_the_machine_is_alike_in_a_stratum() -> None:
    """Sum of what people said over the probability to be drawn, over the number of verdicts."""
    probability = {"fail": Fraction(8, 20), "pass": Fraction(30, 180)}
    total = sum(1 / probability[one.stratum] for one in STRATA if one.people)
    assert found(STRATA).rate == pytest.approx(float(total / 200), abs=1e-15)


def test_a_uniform_sample_is_corrected_by_its_mean_difference() -> None:
    """One stratum with verdicts of both kinds: k / N of the machine plus the mean of people minus machine."""
    read = [Sampled("all", str(n), n < 8, n in (0, 1, 2, 3, 4, 20)) for n in range(40)]
    population = [*read, *(Sampled("all", str(n), n < 60) for n in range(40, 200))]
    machine = (8 + 20) / 200
    assert found(population).rate == pytest.approx(machine + (6 - 8) / 40, abs=1e-15)


def test_when_all_is_read_the_rate_is_that_of_people_whatever_the_machine_said() -> None:
    """A census: the machine cancels out of the rate."""
    for machine in (True, False):
        population = [Sampled("s", str(n % 30), machine, n % 5 == 0) for n in range(60)]
        assert found(population).rate == pytest.approx(0.2, abs=1e-15)


def test_the_interval_of_one_alike_stratum_is_wilsons() -> None:
    """Independent verdicts of one kind, each a family: nothing but the interval of k of n."""
    population = verdicts("pass", 1000, False, [True] * 8 + [False] * 92)
    mine, (low, high) = found(population), wilson(8, 100)
    assert (mine.low, mine.high) == pytest.approx((low, high), abs=2e-4)


def test_the_distances_of_strata_add_as_squares() -> None:
    """MOVER by hand, for families that add no variance: one verdict of each stratum in every family."""
    population = [
        *verdicts("fail", 40, True, [True] * 20 + [False] * 20, families=40),
        *verdicts("pass", 40, False, [False] * 20 + [True] * 20, families=40),
    ]
    mine, (low, high) = found(population), wilson(20, 40)
    assert mine.rate == pytest.approx(0.5)
    reach = sqrt(2 * (0.5 * (high - 0.5)) ** 2)
    assert (mine.low, mine.high) == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-12)
    assert low == pytest.approx(1 - high)


def test_a_stratum_without_an_error_keeps_its_distance() -> None:
    """0 errors of 10 read PASSes, of 1,000, may be up to 27.8%: the upper end says so."""
    population = [
        *verdicts("fail", 20, True, [True] * 20),
        *verdicts("pass", 1000, False, [False] * 10),
    ]
    mine, upper = found(population), wilson(0, 10)[1]
    assert mine.rate == pytest.approx(20 / 1020)
    assert mine.high >= 20 / 1020 + 1000 / 1020 * upper - 1e-12


def test_verdicts_that_are_alike_in_a_family_widen_the_interval() -> None:
    """The same answers in few families have a wider interval than in many."""
    said = [n // 10 % 4 == 0 for n in range(80)]
    wide, narrow = (
        found([Sampled("s", str(n // each), False, yes) for n, yes in enumerate(said)]) for each in (10, 1)
    )
    assert wide.rate == narrow.rate
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_the_order_of_verdicts_changes_nothing() -> None:
    """Sums are exact, so every order gives the same bits."""
    mixed = STRATA.copy()
    random.Random(3).shuffle(mixed)  # noqa: S311 - an order, no secret
    assert corrected(mixed) == corrected(STRATA)


@pytest.mark.parametrize(
    ("population", "reason"),
    [
        (verdicts("s", 90, True, [True] * 4 + [False] * 50), "4 sampled failures; 5 are needed"),
        ([], "0 sampled failures; 5 are needed"),
        (
            [*verdicts("s", 9, True, [True] * 9), *verdicts("t", 3, False, [])],
            "1 strata without a verdict that people decided",
        ),
        (verdicts("s", 9, True, [True] * 9, families=1), "only one scenario family"),
    ],
    ids=["few", "none", "stratum", "family"],
)
def test_what_cannot_be_estimated_has_a_reason(population: list[Sampled], reason: str) -> None:
    """Fewer than five sampled failures, an unread stratum, and a single family give no estimate."""
    assert corrected(population) == NotEstimable(reason)


@pytest.mark.parametrize("design", ["uniform", "stratified"])
def test_the_interval_holds_its_coverage(design: str) -> None:
    """Of 300 samples of 150 from 24 families, at least 93% of the intervals have the true rate."""
    outcome = Trial(rate=0.1, families=24, alike=0.1, design=design, n=150, times=300).run()
    assert outcome.estimated > 0.9
    assert outcome.coverage >= 0.93
