"""The blindspot profile of one model: the checks that it failed, the gravest first."""

from __future__ import annotations

from dataclasses import dataclass

from delivery.charts.heat import evidence_of
from delivery.charts.strips import Strip, rate_strip
from delivery.counts import no_answer, severity
from delivery.release import Release, entries
from ib.models.base import Severity
from ib.models.check import Check
from ib.models.leaderboard import CheckEntry, ModelEntry

_GRAVEST_FIRST = tuple(reversed(Severity))


@dataclass(frozen=True)
class Blindspot:
    """A check that the model failed."""

    check: Check
    entry: CheckEntry
    severity: str
    strip: Strip | None
    """None if there are too few cases for a rate."""
    href: str
    """Where the evidence is, from the home page."""


def profile(release: Release, model: ModelEntry) -> tuple[Blindspot, ...]:
    """The checks that the model failed, by severity, then by rate; those without a rate come last."""
    checks, found = release.benchmark.checks, entries(model)
    medians = {summary.check_id: summary.median for summary in release.board.checks}
    failed = [(checks[check_id], entry) for check_id, entry in found.items() if entry.failures.k]
    failed.sort(key=_place)
    return tuple(
        Blindspot(
            check,
            entry,
            severity(check.severity),
            rate_strip(entry.failures, medians.get(check.id), no_answer(entry)),
            evidence_of(release, model, check.id),
        )
        for check, entry in failed
    )


def _place(row: tuple[Check, CheckEntry]) -> tuple[int, float, str]:
    check, entry = row
    return _GRAVEST_FIRST.index(check.severity), -(entry.failures.rate or 0.0), check.id
