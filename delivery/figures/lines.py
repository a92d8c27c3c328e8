"""The numbers of a chart in words, in one short line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import floor

from delivery.words.counts import either_share, interval, is_half_decided, no_answer, rated
from delivery.words.filters import template_filter
from delivery.words.gates import not_measurable
from delivery.words.numbers import NONE, either_way, has_few, percent, whole_points
from ib.board.figures.findings import SIGNIFICANT
from ib.models.release.comparisons import PairedDifference
from ib.models.release.findings import BoardFinding, CountOf, FieldRate, PairDiffers
from ib.models.release.leaderboard import CheckEntry
from ib.models.scan.gates import GateEntry
from ib.models.scan.rates import Rate, half_decided
from ib.store.files.wording import counted

TOO_FEW = "too few cases to compare"


@template_filter
def rate_line(rate: Rate) -> str:
    """A rate: k of n, its percentage and its interval; only the count if there are too few cases.

    If fewer than half of the cases are decided, the range that counts the others either way comes first.
    """
    if not rate.n:
        return "no clear answer" if rate.unclear else "not due"
    if has_few(rate):
        return _too_few(rate.k, rate.n)
    if rate.rate is None or not half_decided(rate.n, rate.unclear):
        ends = interval(*either_way(rate, rate.unclear))
        return f"{ends}, depending on {rate.unclear} undecided; {rate.k} of {rate.n} decided"
    return rated(rate.k, rate.n, percent(rate.rate), rate.low, rate.high)


def _too_few(k: int, n: int) -> str:
    """A count of so few cases that no percentage and no interval is shown."""
    return f"{k} of {n} · {TOO_FEW}"


@template_filter
def count_line(count: CountOf) -> str:
    """A count without an interval: k of n and its percentage."""
    return f"{count.k} of {count.n} · {percent(count.k / count.n)}"


@template_filter
def gate_line(entry: GateEntry) -> str:
    """A gate: hard fails by the judge of the transcripts that were due, with the interval.

    If transcripts are undecided there is no share, because two ranges in one line are taken for one: the
    interval leaves room for the undecided.
    """
    if not entry.due:
        return "not due"
    if entry.rate is None:
        return _too_few(entry.failed, entry.due)
    if said := not_measurable(entry):
        return said
    ends = entry.low, entry.high_with_undecided
    if entry.undecided:
        return f"{entry.failed} of {entry.due} · 95% interval {interval(*ends)}"
    return rated(entry.failed, entry.due, percent(entry.rate), *ends)


def either_line(entry: CheckEntry) -> str:
    """The range of a check's rate if its undecided cases are passes or failures.

    Few cases have only the number of undecided ones. The text is empty if there are none, or if `failed` has
    the range already.
    """
    undecided = no_answer(entry)
    if undecided and has_few(entry.failures):
        return f"{undecided} undecided"
    return either_share(entry) if undecided and is_half_decided(entry) else ""


@template_filter
def field_line(rate: FieldRate, noun: str) -> str:
    """A rate over all models: k of n, with its percentage and interval in parentheses."""
    least, most = rate.shares
    share = percent(least) if least == most else interval(least, most)
    return f"{rate.k} of {rate.n} {noun} ({share}; 95% interval {interval(rate.low, rate.high)})"


@template_filter
def ends_line(rate: FieldRate) -> str:
    """The interval of a rate over all models."""
    return f"95% interval {interval(rate.low, rate.high)}"


@template_filter
def by_kind(findings: Iterable[BoardFinding]) -> Mapping[str, BoardFinding]:
    """The findings by their kind. A release has at most one of a kind."""
    return {one.kind: one for one in findings}


@template_filter
def p_value(p: float) -> str:
    """A p value with its sign; below 0.001 only the bound is given.

    A value that rounding would move up to the limit of significance has a fourth digit, rounded down.
    """
    if p < 0.001:
        return "p < 0.001"
    if p < SIGNIFICANT <= round(p, 3):
        return f"p = {floor(p * 10_000) / 10_000:.4f}"
    return f"p = {p:.3f}"


@template_filter
def differs(found: PairedDifference) -> bool:
    """True if the two models differ after adjustment for all pairs, in families and in cases alike."""
    return found.adjusted < SIGNIFICANT and found.is_consistent


@template_filter
def difference_line(found: PairedDifference | PairDiffers, fewest: int) -> str:
    """The difference of two models in percentage points, with its interval; none below `fewest` cases."""
    if found.difference is None or found.low is None or found.high is None:
        return "no shared case with two clear answers"
    if found.n < fewest:
        return TOO_FEW
    ends = f"{points(found.low, '')} to {points(found.high)}"
    return f"{points(found.difference)} (95% interval {ends})"


@template_filter
def gap(found: PairedDifference, as_listed: bool, fewest: int) -> str:
    """The difference in points without the word, for a cell; with the models swapped unless `as_listed`.

    A dash if there are fewer than `fewest` cases.
    """
    if found.difference is None or found.n < fewest:
        return NONE
    return points(found.difference if as_listed else -found.difference, "")


def points(difference: float, noun: str = "point") -> str:
    """A difference of shares in percentage points, with its sign; without the noun if it is empty."""
    rounded = whole_points(difference)
    sign = "+" if rounded > 0 else "\N{MINUS SIGN}" if rounded < 0 else ""
    return sign + (counted(abs(rounded), noun) if noun else str(abs(rounded)))
