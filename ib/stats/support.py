"""Support flags: how much data supports a rate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ib.stats.intervals import rate_interval


class Flag(StrEnum):
    """The flags, most important first. Pages show only the first flag of a rate."""

    NO_DATA = "no_data"
    COUNT_ONLY = "count_only"
    LOW_POWER = "low_power"
    WIDE = "wide"
    ZERO_EVENTS = "zero_events"
    OK = "ok"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The minimum number of cases for a rate, and the minimum width of a wide interval."""

    count_only_below: int = 5
    low_power_below: int = 30
    wide_from: float = 0.30


def support(k: float, n: float, thresholds: Thresholds, undecided: int = 0) -> tuple[Flag, ...]:
    """The flags of k/n, most important first. `ok` comes alone, if no other flag applies.

    `undecided` cases are among the n and may be events too, so that the interval reaches further up.
    """
    if n == 0:
        return (Flag.NO_DATA,)
    low, high = rate_interval(k, n)[0], rate_interval(k + undecided, n)[1]
    flags = []
    if n < thresholds.count_only_below:
        flags.append(Flag.COUNT_ONLY)
    elif n < thresholds.low_power_below:
        flags.append(Flag.LOW_POWER)
    if high - low >= thresholds.wide_from:
        flags.append(Flag.WIDE)
    if k + undecided == 0:
        flags.append(Flag.ZERO_EVENTS)
    return tuple(flags) or (Flag.OK,)
