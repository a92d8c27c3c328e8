"""A strip: one rate with its interval as a dot and a line, in a row of a table that has the same in words."""

from __future__ import annotations

from dataclasses import dataclass

from delivery.words.filters import template_filter
from delivery.words.gates import not_measurable
from delivery.words.numbers import either_way, has_few
from ib.models.release.findings import CountOf, FieldRate
from ib.models.scan.gates import GateEntry
from ib.models.scan.rates import Rate, half_decided

WIDTH = 1000
"""The length of the axis from 0% to 100%, in units of the drawing."""


@dataclass(frozen=True)
class Strip:
    """The positions of the marks on the axis."""

    at: int | None
    """The rate. None if fewer than half of the cases are decided; then there is no interval either, and `low`
    equals `high`."""
    low: int
    high: int
    down_to: int | None = None
    """How low the undecided cases allow the rate to be, if that is below `low`."""
    up_to: int | None = None
    """How high the undecided cases allow the rate or its interval to be, if that is above `high`."""
    contested: int | None = None
    """The rate if the contested failures are failures."""
    median: int | None = None
    """The median of all models."""


@dataclass(frozen=True)
class Pill:
    """The positions of a rate over all models: from the least to the most share, and its interval."""

    least: int
    most: int
    low: int
    high: int


@dataclass(frozen=True)
class Bar:
    """The conversations of a gate as parts of one bar, with the interval of the failures beneath."""

    failed: int
    """Where the failed part ends."""
    undecided: int
    """Where the undecided part ends, which begins where the failed one ends; the rest is clear."""
    low: int
    high: int
    up_to: int | None
    """How high the undecided conversations allow the interval to be, if that is above `high`."""


def place(share: float) -> int:
    """The position of a share on the axis."""
    return round(share * WIDTH)


@template_filter
def gate_strip(entry: GateEntry) -> Strip | None:
    """The hard fails by the judge of a gate. Returns None if too few were due, or more than half is open."""
    if entry.rate is None or entry.low is None or entry.high is None or not_measurable(entry):
        return None
    high = place(entry.high)
    up_to = None if entry.high_with_undecided is None else place(entry.high_with_undecided)
    return Strip(
        place(entry.rate),
        place(entry.low),
        high,
        up_to=up_to if entry.undecided and up_to is not None and up_to > high else None,
        contested=place((entry.failed + entry.contested) / entry.due) if entry.contested else None,
    )


@template_filter
def gate_bar(entry: GateEntry) -> Bar | None:
    """A gate as a bar. Returns None where `gate_strip` does."""
    strip = gate_strip(entry)
    if strip is None:
        return None
    ends = place(entry.failed / entry.due), place((entry.failed + entry.undecided) / entry.due)
    return Bar(*ends, strip.low, strip.high, strip.up_to)


@template_filter
def field_pill(rate: FieldRate) -> Pill:
    """A rate over all models."""
    least, most = rate.shares
    return Pill(place(least), place(most), place(rate.low), place(rate.high))


@template_filter
def count_pill(count: CountOf) -> Pill:
    """A share without an interval, drawn from 0."""
    at = place(count.k / count.n)
    return Pill(0, at, 0, at)


@template_filter
def count_strip(count: CountOf) -> Strip:
    """A share without an interval."""
    at = place(count.k / count.n)
    return Strip(at, at, at)


@template_filter
def rate_strip(rate: Rate, median: float | None = None, undecided: int = 0) -> Strip | None:
    """A rate. Returns None if there are too few cases for a rate.

    `undecided` cases are not in the rate; they extend the line to the rates that they allow. If fewer than
    half of the cases are decided, there is only that line.
    """
    if has_few(rate):
        return None
    if rate.rate is None:
        undecided = undecided or rate.unclear
    lowest, highest = (place(end) for end in either_way(rate, undecided))
    if rate.rate is None or rate.low is None or rate.high is None or not half_decided(rate.n, undecided):
        return Strip(None, lowest, lowest, up_to=highest)
    low, high = place(rate.low), place(rate.high)
    return Strip(
        place(rate.rate),
        low,
        high,
        down_to=lowest if lowest < low else None,
        up_to=highest if highest > high else None,
        median=None if median is None else place(median),
    )
