"""How sure a reader can be: who judged, how often a judge errs, and what so few conversations cannot tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from delivery.pages.page import Page
from delivery.release.view import Release
from delivery.words.brief import is_measurable
from ib.models.benchmark.check import CalibrationStatus, Check
from ib.models.common.base import GATE_BUCKETS, Bucket
from ib.models.release.leaderboard import ModelEntry
from ib.stats.intervals import rate_interval


@dataclass(frozen=True)
class Power:
    """What checks with so many cases can tell."""

    cases: int
    """The most conversations with a clear answer that any model has."""
    upper: float | None
    """How high the rate may be if none of them is a failure; None without a case."""
    checks: tuple[Check, ...]


def pages(release: Release) -> Iterator[Page]:
    """One page, which the strip under every heading links."""
    board = release.board
    view: dict[str, object] = {
        "example": _example(release),
        "families": len({one.family for one in board.scenarios}),
        "compared": sum(one.calibration == CalibrationStatus.VALIDATED for one in board.checks),
        "powers": () if board.open_logs else powers(release),
    }
    yield Page("sure.md", "sure.html", "How sure is this?", view)


def _example(release: Release) -> tuple[ModelEntry, Bucket] | None:
    """The first gate of the first model that has an interval. Returns None if there is none."""
    every = ((model, gate) for model in release.models for gate in GATE_BUCKETS)
    return next((one for one in every if is_measurable(one[0].gates[one[1]])), None)


def powers(release: Release) -> tuple[Power, ...]:
    """The checks by how many clear answers the model with the most of them has, fewest first."""
    most: dict[str, int] = dict.fromkeys(release.benchmark.checks, 0)
    for model in release.models:
        for entry in model.blindspots:
            if entry.check_id in most:
                most[entry.check_id] = max(most[entry.check_id], entry.failures.n)
    return tuple(_power(release, cases, most) for cases in sorted(set(most.values())))


def _power(release: Release, cases: int, most: dict[str, int]) -> Power:
    checks = tuple(release.benchmark.checks[name] for name, count in most.items() if count == cases)
    return Power(cases, rate_interval(0, cases)[1] if cases else None, checks)
