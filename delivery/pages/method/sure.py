"""How sure a reader can be: who judged, how often a judge errs, and what so few conversations cannot tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from delivery.pages.page import Page
from delivery.release.view import Release
from delivery.words.brief import is_measurable
from ib.models.benchmark.calibration import CalibrationStatus
from ib.models.benchmark.check import Check
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS, Bucket
from ib.models.release.leaderboard import ModelEntry
from ib.stats.intervals import rate_interval
from ib.stats.power import ALPHA, POWER

HALF = 0.5
"""The difference that the page asks checks for."""


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
        "findable": tuple(findable(release)),
        "small_checks": small_checks(release),
        "limits": {"half": HALF, "alpha": ALPHA, "power": POWER},
        "sittings": release.sittings,
        "judge_sat": bool(release.exam),
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


def findable(release: Release) -> Iterator[dict[str, Any]]:
    """For each gate: the families of the pair of models with the most, and the least difference it can show.

    Empty if no two models are compared.
    """
    for gate in GATE_BUCKETS if release.board.comparisons else ():
        most = max((one.gates[gate] for one in release.board.comparisons), key=lambda one: one.n_families)
        yield {"name": BUCKET_NAMES[gate], "families": most.n_families, "least": most.detectable}


def small_checks(release: Release) -> dict[str, int]:
    """How many checks can show a difference of half of the families, and how many none at all."""
    least = [one.detectable for one in release.board.checks]
    return {
        "half": sum(one is not None and one <= HALF for one in least),
        "none": sum(one is None for one in least),
    }
