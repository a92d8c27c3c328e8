"""Support flags: how much a rate may be trusted, said before the rate is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ib.stats.intervals import wilson


class Flag(StrEnum):
    """In order of weight; where several hold, the first is the one shown."""

    NO_DATA = "no_data"
    COUNT_ONLY = "count_only"
    LOW_POWER = "low_power"
    WIDE = "wide"
    ZERO_EVENTS = "zero_events"
    OK = "ok"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From how many cases on a rate is shown, and from what width an interval is wide."""

    count_only_below: int = 5
    low_power_below: int = 30
    wide_from: float = 0.30


def support(k: int, n: int, thresholds: Thresholds) -> tuple[Flag, ...]:
    """The flags of k/n, most important first; `ok` alone where none of the others holds."""
    if n == 0:
        return (Flag.NO_DATA,)
    low, high = wilson(k, n)
    flags = []
    if n < thresholds.count_only_below:
        flags.append(Flag.COUNT_ONLY)
    elif n < thresholds.low_power_below:
        flags.append(Flag.LOW_POWER)
    if high - low >= thresholds.wide_from:
        flags.append(Flag.WIDE)
    if k == 0:
        flags.append(Flag.ZERO_EVENTS)
    return tuple(flags) or (Flag.OK,)
