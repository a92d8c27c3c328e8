"""Selecting scenarios by id, category and tag."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ib.errors import UsageError
from ib.models.scenario import Scenario


@dataclass(frozen=True)
class Selection:
    """Scenarios by id, category and tag. An empty selection means every published scenario."""

    ids: Sequence[str] = ()
    """Exact ids. An unpublished scenario is selected only by its id."""
    categories: Sequence[str] = ()
    tags: Sequence[str] = ()
    """Scenarios with at least one of these tags."""


def select(scenarios: Mapping[str, Scenario], chosen: Selection) -> tuple[Scenario, ...]:
    """The scenarios of a selection, sorted by id.

    Raises UsageError if a name does not exist, with the most similar names, or if no scenario matches.
    """
    _known("-s", "scenario", chosen.ids, scenarios)
    _known("-c", "category", chosen.categories, {s.category for s in scenarios.values()})
    _known("--tag", "tag of a scenario", chosen.tags, {t for s in scenarios.values() for t in s.tags})
    selected = tuple(scenario for _, scenario in sorted(scenarios.items()) if _selected(scenario, chosen))
    if not selected:
        listed = ", ".join(sorted(scenarios)[:5]) or "this benchmark has none"
        raise UsageError(f"the selection matches none of {len(scenarios)} scenarios, such as {listed}")
    return selected


def _selected(scenario: Scenario, chosen: Selection) -> bool:
    named = scenario.scenario_id in chosen.ids
    return (
        (named if chosen.ids else scenario.published)
        and (not chosen.categories or scenario.category in chosen.categories)
        and (not chosen.tags or not set(chosen.tags).isdisjoint(scenario.tags))
    )


def _known(option: str, kind: str, names: Sequence[str], known: Collection[str]) -> None:
    """Raises UsageError for the first unknown name."""
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, sorted(known), n=3)
            listed = (
                f"did you mean {', '.join(close)}?" if close else f"known: {', '.join(sorted(known)[:8])}"
            )
            raise UsageError(f"{option} {name!r} is not a {kind}; {listed}")
