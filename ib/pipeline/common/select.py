"""Selecting scenarios by id, set, category and tag, and the part of the work of a scan."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ib.errors import UsageError
from ib.models.benchmark.check import Check
from ib.models.conversation.contract import CORE
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.twin_scenario import TwinScenario
from ib.models.scan.part import Part
from ib.store.folders.transcripts import Spool


@dataclass(frozen=True)
class Selection:
    """Scenarios by id, set, category and tag. An empty selection is every published scenario of the core."""

    ids: Sequence[str] = ()
    """Exact ids, in whichever set. An unpublished scenario is selected only by its id."""
    sets: Sequence[str] = ()
    """Sets, and `core` for the scenarios of no set; without one, the core."""
    categories: Sequence[str] = ()
    tags: Sequence[str] = ()
    """Scenarios with at least one of these tags."""
    limit: int | None = None
    """Only the first scenarios in the order of their ids, at most this many; None for no limit."""


def select(scenarios: Mapping[str, Scenario], chosen: Selection) -> tuple[Scenario, ...]:
    """The scenarios of a selection, sorted by id.

    Raises UsageError if a name does not exist, with the most similar names, or if no scenario matches.
    """
    _known("-s", "scenario", chosen.ids, scenarios)
    _known("-c", "category", chosen.categories, {s.category for s in scenarios.values()})
    _known("--tag", "tag of a scenario", chosen.tags, {t for s in scenarios.values() for t in s.tags})
    _known("--set", "set", chosen.sets, {s.set or CORE for s in scenarios.values()})
    selected = tuple(scenario for _, scenario in sorted(scenarios.items()) if _selected(scenario, chosen))
    if not selected:
        listed = ", ".join(sorted(scenarios)[:5]) or "this benchmark has none"
        raise UsageError(f"the selection matches none of {len(scenarios)} scenarios, such as {listed}")
    return selected[: chosen.limit]


def left_out_twins(scenarios: Mapping[str, Scenario], chosen: Selection) -> tuple[str, ...]:
    """What to say of the safe twins of scenarios that were chosen by their ids, if they were not chosen."""
    twins = {
        name: scenario.twin.of
        for name, scenario in sorted(scenarios.items())
        if isinstance(scenario, TwinScenario) and scenario.published
    }
    return tuple(
        f"-s {parent} leaves out its safe twin, so over-alarm is not measured on it; add -s {name}"
        for name, parent in twins.items()
        if parent in chosen.ids and name not in chosen.ids
    )


def check_part(part: Part, checks: Mapping[str, Check], in_profile: Callable[[Check], bool]) -> None:
    """Raises UsageError if a check of a part does not exist or the profile leaves it out, or if no check is
    left."""
    _known("--check", "check", part.checks, checks)
    left_out = [check_id for check_id in part.checks if not in_profile(checks[check_id])]
    if left_out:
        raise UsageError(f"the profile does not ask {', '.join(left_out)}; choose another --profile")
    if not any(in_profile(check) and part.has_check(check) for check in checks.values()):
        known = ", ".join(sorted({check.bucket for check in checks.values() if in_profile(check)}))
        raise UsageError(f"{part} selects no check; the profile asks checks of the dimensions {known}")


def part_of(spool: Spool, part: Part) -> Spool:
    """The transcripts of a part, in plan order.

    Raises UsageError if a name does not occur in the transcripts, with the most similar names, or if no
    transcript matches.
    """
    entries = spool.entries
    _known("-s", "scenario of these transcripts", part.scenarios, {entry.scenario_id for entry in entries})
    categories = {entry.category for entry in entries if entry.category is not None}
    _known("-c", "category of these transcripts", part.categories, categories)
    _known("--set", "set of these transcripts", part.sets, {entry.set or CORE for entry in entries})
    chosen = tuple(
        entry for entry in entries if part.has_transcript(entry.scenario_id, entry.category, entry.set)
    )
    if not chosen:
        raise UsageError(f"none of {len(entries)} transcripts fits all of {part}")
    return spool.only(chosen[: part.limit])


def _selected(scenario: Scenario, chosen: Selection) -> bool:
    named = scenario.scenario_id in chosen.ids
    sets = chosen.sets or (() if chosen.ids else (CORE,))
    return (
        (named if chosen.ids else scenario.published)
        and (not sets or (scenario.set or CORE) in sets)
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
