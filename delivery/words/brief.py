"""Figures in a few words, for the cells of the leaderboard: a count or a mean, and its interval."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from delivery.words.counts import interval
from delivery.words.filters import template_filter
from delivery.words.gates import not_measurable
from delivery.words.numbers import NONE, has_few, score, score_between
from ib.models.release.leaderboard import ModelEntry
from ib.models.scan.gates import GateEntry
from ib.models.scan.rates import MeanScore, Rate


@template_filter
def is_measurable(entry: GateEntry) -> bool:
    """True if a gate applied to enough conversations for a rate, and at least half of them are decided."""
    return entry.rate is not None and not not_measurable(entry)


@template_filter
def gate_brief(entry: GateEntry) -> str:
    """The hard fails of a gate with their interval, or why there is none."""
    if not entry.due:
        return "not called for"
    if not_measurable(entry):
        return f"{entry.undecided} of {entry.due} undecided"
    told = f"{entry.failed_by_judge} of {entry.due} failed"
    if entry.rate is None:
        return f"{told}, too few"
    return f"{told} · {interval(entry.low, entry.high_with_undecided)}"


@template_filter
def gate_value(entry: GateEntry) -> str:
    """What the column of a gate is sorted by."""
    return f"{entry.rate:.6f}" if is_measurable(entry) and entry.rate is not None else NONE


@template_filter
def mean_brief(mean: MeanScore) -> str:
    """A mean with its interval, or that there is none."""
    if mean.mean is None:
        return "undecided"
    between = "" if mean.low is None else f" · {score_between(mean.low, mean.high)}"
    return f"{score(mean.mean)}{between}"


@template_filter
def rate_brief(rate: Rate) -> str:
    """A rate with its interval, or that there are too few cases."""
    told = f"{rate.k} of {rate.n}"
    return f"{told}, too few" if has_few(rate) else f"{told} · {interval(rate.low, rate.high)}"


@template_filter
def days(played: tuple[date, date] | None) -> str:
    """The day on which conversations were played, or the first and the last."""
    if played is None:
        return "not recorded"
    first, last = (one.isoformat() for one in played)
    return first if first == last else f"{first} to {last}"


@template_filter
def dollars(usd: float) -> str:
    """An amount in US dollars, in cents; less than one is not shown as nothing."""
    return f"${usd:,.2f}" if usd >= 0.005 else "under $0.01"


@template_filter
def dated(models: Iterable[ModelEntry]) -> bool:
    """True if it is known of a model when its conversations were played."""
    return any(model.played is not None for model in models)
