"""Up to four models check by check: a dot with its interval for each, one row a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from delivery.figures.heat import evidence_of
from delivery.figures.profile import Blindspot, blindspot
from delivery.figures.rows import without_case
from delivery.release.view import Release, entries
from delivery.words.counts import is_half_decided, no_answer, severity
from delivery.words.numbers import has_few
from ib.models.benchmark.check import Check
from ib.models.common.base import GRAVEST_FIRST
from ib.models.release.leaderboard import CheckEntry, ModelEntry

HEATMAP_FROM = 5
"""From so many models on, their checks are a heatmap."""


@dataclass(frozen=True)
class Lane:
    """One check on one model."""

    model: ModelEntry
    found: Blindspot | None
    """None if the check has no case with a clear answer; then `said` says why."""
    said: str
    href: str | None


@dataclass(frozen=True)
class Line:
    """One check on every model."""

    check: Check
    severity: str
    lanes: tuple[Lane, ...]


@dataclass(frozen=True)
class Dots:
    """The checks of a release with few models, the gravest first, then those that failed most."""

    failed: tuple[Line, ...]
    """At least one model failed, if in one case: the gravest failures are often in few."""
    sparse: tuple[Line, ...]
    """No model has enough cases for a rate, and none failed."""
    passed: tuple[Line, ...]
    """At least one model has enough cases for a rate, and none failed."""


def dots(release: Release) -> Dots | None:
    """The checks of up to four models. Returns None for more: those have a heatmap."""
    if len(release.models) >= HEATMAP_FROM:
        return None
    found = {model.slug: entries(model) for model in release.models}
    groups: dict[str, list[tuple[float, Line]]] = {"failed": [], "sparse": [], "passed": []}
    for check in release.benchmark.checks.values():
        here = [(model, found[model.slug].get(check.id)) for model in release.models]
        lanes = tuple(_lane(release, model, check, entry) for model, entry in here)
        met = [entry for _, entry in here if entry is not None]
        line = Line(check, severity(check.severity), lanes)
        groups[_group(met)].append((_most(met), line))
    return Dots(**{name: _sorted(lines) for name, lines in groups.items()})


def _sorted(lines: list[tuple[float, Line]]) -> tuple[Line, ...]:
    def place(one: tuple[float, Line]) -> tuple[int, float, str]:
        return GRAVEST_FIRST.index(one[1].check.severity), -one[0], one[1].check.id

    return tuple(line for _, line in sorted(lines, key=place))


def _group(met: Sequence[CheckEntry]) -> str:
    if any(entry.failures.k for entry in met):
        return "failed"
    return "passed" if any(_is_rated(entry) for entry in met) else "sparse"


def _is_rated(entry: CheckEntry) -> bool:
    return not has_few(entry.failures) and is_half_decided(entry)


def _most(met: Sequence[CheckEntry]) -> float:
    """The highest rate of a model."""
    return max((entry.failures.k / entry.failures.n for entry in met if entry.failures.n), default=0.0)


def _lane(release: Release, model: ModelEntry, check: Check, entry: CheckEntry | None) -> Lane:
    if entry is not None and (entry.failures.n or entry.searched):
        return Lane(model, blindspot(release, model, check, entry), "", evidence_of(release, model, check.id))
    open_ = entry is not None and no_answer(entry)
    href = evidence_of(release, model, check.id) if release.items(model).get(check.id) else None
    return Lane(model, None, "no clear answer" if open_ else without_case(entry), href)
