"""The blindspot profile of one model: the checks that it failed, the gravest first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from delivery.figures.heat import evidence_of
from delivery.figures.lines import either_line
from delivery.figures.strips import Strip, rate_strip
from delivery.release.view import Release, entries
from delivery.words.counts import failed, is_half_decided, no_answer, severity
from delivery.words.numbers import either_way, has_few
from ib.models.benchmark.check import Check
from ib.models.common.base import GRAVEST_FIRST
from ib.models.release.leaderboard import CheckEntry, ModelEntry


@dataclass(frozen=True)
class Blindspot:
    """A check on a model: in a profile, one that the model failed."""

    check: Check
    entry: CheckEntry
    severity: str
    strip: Strip | None
    """None if there are too few cases for a rate."""
    said: tuple[str, ...]
    """The strip in words, one line each: the rate, its range with undecided cases, contested failures."""
    href: str
    """Where the evidence is, from the home page."""


def profile(release: Release, model: ModelEntry) -> tuple[Blindspot, ...]:
    """The checks that the model failed, by severity, then by rate; those without a rate come last."""
    checks, found = release.benchmark.checks, entries(model)
    medians = _medians(release)
    rows = [(checks[check_id], entry) for check_id, entry in found.items() if entry.failures.k]
    rows.sort(key=_place)
    return tuple(blindspot(release, model, check, entry, medians.get(check.id)) for check, entry in rows)


def blindspot(
    release: Release, model: ModelEntry, check: Check, entry: CheckEntry, median: float | None = None
) -> Blindspot:
    """One check on one model, with the median of all models if it is to be shown."""
    return Blindspot(
        check,
        entry,
        severity(check.severity),
        rate_strip(entry.failures, median, no_answer(entry)),
        _said(entry),
        evidence_of(release, model, check.id),
    )


def _said(entry: CheckEntry) -> tuple[str, ...]:
    contested = f"{entry.contested} contested" if entry.contested else ""
    return tuple(line for line in (failed(entry), either_line(entry), contested) if line)


def _medians(release: Release) -> dict[str, float | None]:
    """The median of each check over the models that have a rate; the rate of one model alone is no median."""
    board = release.board
    rates = (entry for model in board.models for entry in entries(model).values())
    shown = (entry for entry in rates if entry.failures.rate is not None and is_half_decided(entry))
    rated = Counter(entry.check_id for entry in shown)
    return {found.check_id: found.median for found in board.checks if rated[found.check_id] > 1}


def _place(row: tuple[Check, CheckEntry]) -> tuple[int, float, str]:
    check, entry = row
    return GRAVEST_FIRST.index(check.severity), -_least(entry), check.id


def _least(entry: CheckEntry) -> float:
    """The share of failures, or the least that it may be if fewer than half of the cases are decided."""
    rate = entry.failures
    if has_few(rate) or is_half_decided(entry):
        return rate.rate or 0.0
    return either_way(rate, no_answer(entry))[0]
