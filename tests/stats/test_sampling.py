"""Rates of a whole from a stratified sample, against closed forms and by simulation."""

from __future__ import annotations

from math import sqrt

import pytest

from benchmarks.sampling import Trial
from ib.stats.design import Estimate, NotEstimable
from ib.stats.intervals import clopper_pearson
from ib.stats.sampling import Design, Drawn, Sample, allocated, expected_width

ALONE = Design((100, 900), (50, 100), ((100, 0), (0, 900)))
"""Two strata, each case a cluster of its own."""


def alone(design: Design = ALONE) -> Sample:
    """A sample in which each case is a cluster of its own."""
    strata = [at for at, n in enumerate(design.drawn) for _ in range(n)]
    counts = [tuple(int(at == one) for at in range(len(design.sizes))) for one in strata]
    return Sample(design, [Drawn(one, str(at), counts[at]) for at, one in enumerate(strata)])


def answered(*strata: tuple[int, int, int]) -> list[bool | None]:
    """Failures, passes and undecided cases of each stratum."""
    return [said for k, passed, rest in strata for said in [True] * k + [False] * passed + [None] * rest]


def found(sample: Sample, failed: list[bool | None]) -> Estimate:
    result = sample.rate(failed)
    assert isinstance(result, Estimate)
    return result


def test_the_rate_is_horvitz_thompson() -> None:
    """10 of 50 of 100, and 2 of 100 of 900: 20 + 18 failures of 1,000."""
    assert found(alone(), answered((10, 40, 0), (2, 98, 0))).rate == pytest.approx(38 / 1000, abs=1e-15)


def test_the_rate_is_over_the_decided_cases_of_the_whole() -> None:
    """Half of the first stratum is undecided: 20 + 18 failures of 50 + 900 decided cases."""
    assert found(alone(), answered((10, 15, 25), (2, 98, 0))).rate == pytest.approx(38 / 950, abs=1e-15)


def test_the_interval_of_one_stratum_is_exact() -> None:
    """A simple random sample of independent cases has the interval of Clopper and Pearson."""
    mine = found(alone(Design((10_000,), (100,), ((10_000,),))), answered((8, 92, 0)))
    assert (mine.low, mine.high) == pytest.approx(clopper_pearson(8, 100), abs=2e-3)


def test_a_stratum_without_a_failure_keeps_its_distance() -> None:
    """0 of 100 in a stratum of 900 may be up to 3.6%: the upper end says so."""
    mine, upper = found(alone(), answered((10, 40, 0), (0, 100, 0))), clopper_pearson(0, 100)[1]
    own = 0.1 * (clopper_pearson(10, 50)[1] - 0.2)
    assert mine.high >= 0.02 + sqrt((0.9 * upper) ** 2 + own**2) - 1e-12


def test_cases_that_are_alike_in_a_cluster_widen_the_interval() -> None:
    """The same answers of 10 users have a wider interval than those of 100."""
    failed: list[bool | None] = [at // 10 % 3 == 0 for at in range(100)]
    few = Sample(
        Design((1000,), (100,), ((100_000,),)), [Drawn(0, str(at // 10), (100,)) for at in range(100)]
    )
    many = alone(Design((1000,), (100,), ((1000,),)))
    one, other = found(few, failed), found(many, failed)
    assert one.rate == other.rate
    assert one.high - one.low > 1.8 * (other.high - other.low)


@pytest.mark.parametrize(
    ("sample", "failed", "reason"),
    [
        (alone(), answered((4, 46, 0), (0, 100, 0)), "4 sampled failures; 5 are needed"),
        (
            Sample(Design((90,), (9,), ((8100,),)), [Drawn(0, "u", (90,))] * 9),
            answered((9, 0, 0)),
            "all decided cases are of one cluster",
        ),
    ],
    ids=["few", "cluster"],
)
def test_what_cannot_be_estimated_has_a_reason(
    sample: Sample, failed: list[bool | None], reason: str
) -> None:
    """Fewer than five sampled failures and a single cluster give no estimate."""
    assert sample.rate(failed) == NotEstimable(reason)


def test_a_few_failures_give_an_upper_limit_that_counts_clusters() -> None:
    """No failure of 100 cases of ten users is like none of ten cases; no decided case gives no limit."""
    sample = Sample(
        Design((1000,), (100,), ((100_000,),)), [Drawn(0, str(at % 10), (100,)) for at in range(100)]
    )
    assert sample.at_most(answered((0, 100, 0))) == pytest.approx(clopper_pearson(0, 10)[1], abs=1e-12)
    assert sample.at_most([None] * 100) is None


def test_shares_follow_size_and_weight_and_stay_in_their_limits() -> None:
    """4 times 100 against 800 divides 60 as 20 to 40; small strata give all they have, or two at least."""
    assert allocated({"a": 100, "b": 800}, {"a": 4, "b": 1}, 60) == {"a": 20, "b": 40}
    assert allocated({"a": 5, "b": 800, "c": 1}, {"a": 4, "b": 1, "c": 1}, 500) == {"a": 5, "b": 494, "c": 1}
    assert allocated({"a": 9, "b": 100_000}, {"a": 1, "b": 1}, 100) == {"a": 2, "b": 98}
    sizes = {"a": 7, "b": 11, "c": 13}
    for n in range(6, 32):
        taken = allocated(sizes, {"a": 4, "b": 2, "c": 1}, n)
        assert sum(taken.values()) == n
        assert all(2 <= taken[name] <= size for name, size in sizes.items())
    with pytest.raises(ValueError, match="at least 6"):
        allocated(sizes, dict.fromkeys(sizes, 1), 5)


def test_an_expected_width_is_that_of_the_estimator() -> None:
    """Without clusters, the planned width is the one that the estimator gives if the rate is met exactly."""
    mine = found(alone(), answered((5, 45, 0), (10, 90, 0)))
    assert expected_width(ALONE, 0.1) == pytest.approx(mine.high - mine.low, rel=0.05)
    assert expected_width(ALONE, 0.01) is None
    alike = Design((100, 900), (50, 100), ((1000, 9000), (9000, 81_000)))
    assert (expected_width(alike, 0.1) or 0) > 1.2 * (expected_width(ALONE, 0.1) or 0)


def test_the_interval_holds_its_coverage() -> None:
    """Of 60 samples with more weight on phrases, 93% of the intervals have the true rate (see the study)."""
    seen = Trial(1 / 50, 0.05, 500, times=60).run()["hints"]
    assert seen.estimated == 60
    assert seen.held >= 0.93 * seen.estimated
