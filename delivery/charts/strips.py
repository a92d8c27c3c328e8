"""A strip: one rate with its interval as a dot and a line, in a row of a table that has the same in words."""

from __future__ import annotations

from dataclasses import dataclass

from ib.models.findings import CountOf
from ib.models.gates import GateEntry
from ib.models.rates import Rate

WIDTH = 1000
"""The length of the axis from 0% to 100%, in units of the drawing."""


@dataclass(frozen=True)
class Strip:
    """The positions of the marks on the axis."""

    at: int
    """The rate."""
    low: int
    high: int
    up_to: int | None = None
    """The upper end of the interval if all undecided cases are failures."""
    contested: int | None = None
    """The rate if the contested failures are failures."""
    median: int | None = None
    """The median of all models."""


def place(share: float) -> int:
    """The position of a share on the axis."""
    return round(share * WIDTH)


def gate_strip(entry: GateEntry) -> Strip | None:
    """The confirmed hard fails of a gate. Returns None if too few transcripts were due for a rate."""
    if entry.rate is None or entry.low is None or entry.high is None:
        return None
    up_to = entry.high_with_undecided if entry.undecided else None
    return Strip(
        place(entry.rate),
        place(entry.low),
        place(entry.high),
        up_to=None if up_to is None else place(up_to),
        contested=place((entry.confirmed + entry.contested) / entry.due) if entry.contested else None,
    )


def count_strip(count: CountOf) -> Strip:
    """A share without an interval."""
    at = place(count.k / count.n)
    return Strip(at, at, at)


def rate_strip(rate: Rate, median: float | None = None) -> Strip | None:
    """A rate. Returns None if there are too few cases for a rate."""
    if rate.rate is None or rate.low is None or rate.high is None:
        return None
    middle = None if median is None else place(median)
    return Strip(place(rate.rate), place(rate.low), place(rate.high), median=middle)
