"""Intervals of a proportion, against published worked examples and a second library."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from ib.stats.intervals import (
    RATE_METHOD,
    Z95,
    clopper_pearson,
    exact_upper,
    rate_interval,
    wilson,
    zero_events_upper,
)

ROOT = Path(__file__).resolve().parents[2]

# k, n, Wilson low and high, Clopper-Pearson low and high. 81/263, 15/148, 0/20 and 1/29 are the
# benchmark cases of Newcombe (1998).
TABLE = [
    (0, 1, 0.0, 0.7934506856227626, 0.0, 0.975),
    (1, 1, 0.20654931437723745, 1.0, 0.025000000000000022, 1.0),
    (1, 2, 0.09453120573423074, 0.9054687942657693, 0.01257911709342506, 0.9874208829065749),
    (0, 4, 0.0, 0.4898908364545973, 0.0, 0.6023646356164746),
    (1, 4, 0.04558726080970055, 0.6993581574175981, 0.006309463209709871, 0.8058795503167565),
    (2, 4, 0.15003898915214947, 0.8499610108478506, 0.067585986488543, 0.932414013511457),
    (0, 5, 0.0, 0.43448246478317476, 0.0, 0.5218237501049814),
    (0, 10, 0.0, 0.2775327998628892, 0.0, 0.3084971078187607),
    (1, 10, 0.017876213095072896, 0.4041500267952385, 0.0025285785444617865, 0.4450161170281954),
    (3, 10, 0.10779126740630099, 0.6032218525388546, 0.0667395111777345, 0.6524528500599973),
    (0, 20, 0.0, 0.16112515805281938, 0.0, 0.1684334709830853),
    (1, 29, 0.006113214292762653, 0.17175521879320288, 0.0008726468835799228, 0.1776442954887229),
    (0, 30, 0.0, 0.11351339317396876, 0.0, 0.11570330822202778),
    (15, 148, 0.0623863995307363, 0.16048724172330803, 0.057844010083448576, 0.161650490349479),
    (81, 263, 0.2552885198782742, 0.36620957698280004, 0.25273674558527126, 0.36762192260135135),
    (2, 57, 0.009675664344932881, 0.11920781367625805, 0.004277894940531773, 0.12107066319620115),
    (11, 57, 0.11132746980050533, 0.3134069024776395, 0.1004722285977323, 0.3191097862685582),
    (0, 63, 0.0, 0.05747119958885172, 0.0, 0.05687235233201625),
    (1, 63, 0.002807494213869277, 0.08458525459438397, 0.00040178922908488745, 0.08529570929926301),
    (5, 63, 0.03437584717681855, 0.17270309850904084, 0.026272340644027663, 0.17557594972484783),
    (47, 63, 0.6265881256339354, 0.8371958872667884, 0.6205970714475044, 0.8473301812029235),
    (63, 63, 0.9425288004111484, 1.0, 0.9431276476679837, 1.0),
    (37, 40, 0.8013576647568946, 0.9741639742254119, 0.796135251267101, 0.9842578201489585),
]
UPPER = [
    (1, 0.95),
    (2, 0.7763932022500211),
    (4, 0.5271291954984121),
    (5, 0.4507197283469412),
    (10, 0.2588655508930523),
    (20, 0.13910834066826516),
    (30, 0.09503385285530419),
    (57, 0.05119948367703919),
    (59, 0.049507609888227),
    (63, 0.046438451483938215),
    (299, 0.009969146792899286),
]
COUNTS = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(("k", "n", "low", "high", "exact_low", "exact_high"), TABLE)
def test_worked_examples(
    k: int, n: int, low: float, high: float, exact_low: float, exact_high: float
) -> None:
    """The table of full-precision values is reproduced to 1e-12."""
    assert wilson(k, n) == pytest.approx((low, high), abs=1e-12)
    assert clopper_pearson(k, n) == pytest.approx((exact_low, exact_high), abs=1e-12)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_prints_what_newcombe_printed(k: int, n: int, low: float, high: float) -> None:
    """Newcombe (1998), table I, method 3, to his four decimals."""
    assert tuple(round(x, 4) for x in wilson(k, n)) == (low, high)


@pytest.mark.parametrize("n", [*range(1, 31), 57, 63, 100, 148, 263, 1000], ids=lambda n: f"n={n}")
def test_the_same_as_statsmodels(n: int) -> None:
    """For every k of n, the interval agrees with statsmodels to 1e-9."""
    for k in range(n + 1):
        theirs = proportion_confint(k, n, method="wilson")
        assert wilson(k, n) == pytest.approx(theirs, abs=1e-9)
        for alpha in (0.05, 0.01):
            exact = proportion_confint(k, n, alpha=alpha, method="beta")
            assert clopper_pearson(k, n, alpha) == pytest.approx(exact, abs=1e-9)


@given(COUNTS)
def test_an_interval_contains_its_estimate(count: tuple[int, int]) -> None:
    """0 <= low <= k/n <= high <= 1, and the ends are reached only at k = 0 and k = n."""
    k, n = count
    for low, high in (wilson(k, n), clopper_pearson(k, n)):
        assert 0 <= low <= k / n <= high <= 1
        assert low < high
        assert (low == 0) == (k == 0)
        assert (high == 1) == (k == n)


@given(COUNTS)
def test_failures_and_passes_are_mirror_images(count: tuple[int, int]) -> None:
    """The interval of n - k is one minus that of k."""
    k, n = count
    for interval in (wilson, clopper_pearson):
        low, high = interval(k, n)
        other_low, other_high = interval(n - k, n)
        assert (1 - other_high, 1 - other_low) == pytest.approx((low, high), abs=1e-9)


@given(COUNTS)
def test_one_more_event_moves_both_ends_up(count: tuple[int, int]) -> None:
    """With more failures among the same number of cases, no end of the interval decreases."""
    k, n = count
    if k < n:
        for interval in (wilson, clopper_pearson):
            (low, high), (next_low, next_high) = interval(k, n), interval(k + 1, n)
            assert low < next_low
            assert high <= next_high


@pytest.mark.parametrize("n", [1, 2, 3, 5, 30, 57, 63, 1000, 10_000])
def test_the_ends_are_exact(n: int) -> None:
    """No rounding noise at k = 0 and k = n (the raw formula gives 3e-18 at 0/63)."""
    for interval in (wilson, clopper_pearson):
        assert interval(0, n)[0] == 0.0
        assert interval(n, n)[1] == 1.0


@pytest.mark.parametrize("n", [1, 5, 30, 63])
def test_lesson_27_every_interval_has_a_width(n: int) -> None:
    """Even if all cases agree, the interval reflects the number of cases."""
    for k in (0, n):
        for low, high in (wilson(k, n), clopper_pearson(k, n)):
            assert high - low > 1 / (n + 4)


@pytest.mark.parametrize(("n", "upper"), UPPER)
def test_zero_events(n: int, upper: float) -> None:
    """After 0 failures in n cases, the upper bound is 1 - 0.05^(1/n)."""
    assert zero_events_upper(n) == pytest.approx(upper, abs=1e-12)
    # It is the one-sided exact interval: alpha on one side alone.
    assert zero_events_upper(n) == pytest.approx(clopper_pearson(0, n, 0.10)[1], abs=1e-12)


def test_zero_events_claims() -> None:
    """59 cases without a failure are needed for a bound under 5%, and 299 for a bound under 1%."""
    assert zero_events_upper(58) > 0.05 > zero_events_upper(59)
    assert zero_events_upper(298) > 0.01 > zero_events_upper(299)
    assert all(zero_events_upper(n) <= 3 / n for n in range(1, 500))


@pytest.mark.parametrize(
    ("width", "needed"),
    [
        (0.5, (4, 7, 7, 9, 12)),
        (0.4, (6, 10, 10, 15, 21)),
        (0.3, (9, 15, 18, 28, 39)),
        (0.2, (16, 30, 38, 60, 93)),
        (0.1, (35, 90, 145, 245, 381)),
    ],
)
def test_how_many_cases_a_width_needs(width: float, needed: tuple[int, ...]) -> None:
    """The published number of cases reaches a Wilson width: exactly at p = 0, at least at p = 0.5."""
    low, high = wilson(0, needed[0])
    short_low, short_high = wilson(0, needed[0] - 1)
    assert high - low <= width < short_high - short_low
    half = needed[4]
    assert max(b - a for a, b in (wilson(half // 2, half), wilson((half + 1) // 2, half))) <= width


def test_rates_have_the_interval_of_wilson() -> None:
    """The one place that says which method rates have; among 15 tests, its quantile is at 1 - 0.025/15."""
    assert RATE_METHOD == "Wilson"
    assert rate_interval(4, 12) == wilson(4, 12)
    assert rate_interval(4.5, 12.5, tests=15) == pytest.approx(wilson(4.5, 12.5, 2.935199468866700), abs=1e-9)


def test_one_module_names_the_method_of_rates() -> None:
    """Pages, cards, models and tools take the name from `ib.stats.intervals`; none has its own."""
    folders = [ROOT / name for name in ("ib", "delivery", "tools", "site_src")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".html")]
    named = [path for path in files if RATE_METHOD.lower() in path.read_text("utf-8").lower()]
    assert [path.relative_to(ROOT) for path in named] == [Path("ib/stats/intervals.py")]


@pytest.mark.parametrize(
    ("z", "alpha"), [(1.6448536269514722, 0.10), (Z95, 0.05), (2.5758293035489004, 0.01)]
)
def test_other_levels(z: float, alpha: float) -> None:
    """At other confidence levels, the interval agrees with statsmodels."""
    theirs = proportion_confint(7, 40, alpha=alpha, method="wilson")
    assert wilson(7, 40, z) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 5), (6, 5), (0, -1), (1, 0)])
def test_an_invalid_proportion_is_refused(k: int, n: int) -> None:
    """An invalid proportion raises ValueError and never becomes 0.0."""
    for interval in (wilson, clopper_pearson):
        with pytest.raises(ValueError, match=f"{k}/{n}"):
            interval(k, n)
    if k == 0:
        with pytest.raises(ValueError, match="n >= 1"):
            zero_events_upper(n)


def test_the_exact_upper_bound() -> None:
    """One-sided Clopper-Pearson: with no event it is the bound of zero events, with all events it is 1."""
    assert exact_upper(0, 63) == pytest.approx(zero_events_upper(63), abs=1e-12)
    assert exact_upper(1, 16, 0.025) == pytest.approx(clopper_pearson(1, 16)[1], abs=1e-12)
    assert exact_upper(5, 5) == 1.0
