"""Support flags: every flag that applies, the most important first."""

from __future__ import annotations

import pytest

from ib.stats.intervals import rate_interval
from ib.stats.support import Flag, Thresholds, support

USUAL = Thresholds()
ORDER = list(Flag)


def test_the_order_of_flags() -> None:
    """The flags go from "no data" to "ok", in the order of importance."""
    assert [flag.value for flag in ORDER] == [
        "no_data",
        "count_only",
        "low_power",
        "wide",
        "zero_events",
        "ok",
    ]


@pytest.mark.parametrize(
    ("k", "n", "flags"),
    [
        (0, 0, ["no_data"]),
        (1, 1, ["count_only", "wide"]),
        (0, 4, ["count_only", "wide", "zero_events"]),
        (2, 4, ["count_only", "wide"]),
        (1, 5, ["low_power", "wide"]),
        (0, 5, ["low_power", "wide", "zero_events"]),
        (0, 29, ["low_power", "zero_events"]),
        (1, 29, ["low_power"]),
        (29, 29, ["low_power"]),
        (15, 30, ["wide"]),
        (0, 30, ["zero_events"]),
        (1, 30, ["ok"]),
        (31, 63, ["ok"]),
        (0, 63, ["zero_events"]),
        (63, 63, ["ok"]),
    ],
)
def test_lesson_40_few_cases_are_flagged(k: int, n: int, flags: list[str]) -> None:
    """1 of 1 gives no rate, 5 cases have low power, and 0 failures get their own flag."""
    assert [flag.value for flag in support(k, n, USUAL)] == flags


def test_flags_of_every_count_follow_their_definitions() -> None:
    """For every k of n up to 70, each flag applies exactly when its rule holds, and `ok` comes alone."""
    for n in range(1, 71):
        for k in range(n + 1):
            low, high = rate_interval(k, n)
            rules = {
                Flag.COUNT_ONLY: n < 5,
                Flag.LOW_POWER: 5 <= n < 30,
                Flag.WIDE: high - low >= 0.30,
                Flag.ZERO_EVENTS: k == 0,
            }
            wanted = tuple(flag for flag in ORDER if rules.get(flag)) or (Flag.OK,)
            assert support(k, n, USUAL) == wanted


def test_flags_follow_the_thresholds_of_the_caller() -> None:
    """Other thresholds give other flags; the scoring configuration sets them."""
    strict = Thresholds(count_only_below=20, low_power_below=100, wide_from=0.05)
    assert support(3, 19, strict) == (Flag.COUNT_ONLY, Flag.WIDE)
    assert support(3, 20, strict) == (Flag.LOW_POWER, Flag.WIDE)
    assert support(50, 100, strict) == (Flag.WIDE,)
    at = rate_interval(3, 40)[1] - rate_interval(3, 40)[0]
    assert support(3, 40, Thresholds(wide_from=at)) == (Flag.WIDE,)
    assert support(3, 40, Thresholds(wide_from=at + 1e-12)) == (Flag.OK,)


@pytest.mark.parametrize(("k", "n"), [(2, 1), (-1, 3), (0, -1)])
def test_an_invalid_proportion_has_no_flags(k: int, n: int) -> None:
    """An impossible count raises ValueError."""
    with pytest.raises(ValueError, match=f"{k}/{n}"):
        support(k, n, USUAL)
