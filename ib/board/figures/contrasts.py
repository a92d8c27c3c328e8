"""Contrast sets of a release: how the models did on an original and on each of its variants."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ib.models.common.base import Bucket
from ib.models.release.comparisons import ORIGINAL, ContrastSet, ContrastVariant
from ib.models.release.leaderboard import ModelEntry, ScenarioEntry
from ib.models.scan.gates import CLEAR_ANSWERS, CLEARED, HARD_FAILS, GateCounts, GateState
from ib.models.scan.result import TranscriptResult


class Families:
    """Groups scenarios into families. Results can come in any order."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._scenarios: set[str] = set()

    def add(self, result: TranscriptResult) -> None:
        """Add the scenario of one result, with its contrast group and its original."""
        self._scenarios.add(result.scenario_id)
        for other in _related(result):
            here, there = self._root(f"scenario {result.scenario_id}"), self._root(other)
            self._parents[max(here, there)] = min(here, there)

    def _root(self, name: str) -> str:
        parents = self._parents
        parents.setdefault(name, name)
        while parents[name] != name:
            parents[name] = parents[parents[name]]
            name = parents[name]
        return name

    def names(self) -> dict[str, str]:
        """The family of each scenario, named by the first scenario in it."""
        first: dict[str, str] = {}
        found = {}
        for scenario in sorted(self._scenarios):
            name = f"scenario {scenario}"
            alone = name not in self._parents
            found[scenario] = scenario if alone else first.setdefault(self._root(name), scenario)
        return found


def families(results: Iterable[TranscriptResult]) -> dict[str, str]:
    """The family of each scenario of some results."""
    made = Families()
    for result in results:
        made.add(result)
    return made.names()


def _related(result: TranscriptResult) -> Iterable[str]:
    if result.contrast_group is not None:
        yield f"group {result.contrast_group}"
    if result.variant_of is not None:
        yield f"scenario {result.variant_of}"


_States = Mapping[tuple[str, int | None], GateState]
"""The state of the safety gate in each play of a scenario, by model and epoch."""


def contrast_sets(
    models: Iterable[ModelEntry], scenarios: Iterable[ScenarioEntry]
) -> tuple[ContrastSet, ...]:
    """Every contrast set with an original and at least one variant, by the name of its group."""
    states = _states(models)
    groups: dict[str, list[ScenarioEntry]] = defaultdict(list)
    for scenario in scenarios:
        if scenario.contrast_group is not None:
            groups[scenario.contrast_group].append(scenario)
    made = (_set(group, members, states) for group, members in sorted(groups.items()))
    return tuple(one for one in made if one is not None)


def _states(models: Iterable[ModelEntry]) -> Mapping[str, _States]:
    found: dict[str, dict[tuple[str, int | None], GateState]] = defaultdict(dict)
    for model in models:
        for met in model.scenarios:
            found[met.scenario_id][model.model_id, met.epoch] = met.gates[Bucket.A].state
    return found


def _set(group: str, members: Sequence[ScenarioEntry], states: Mapping[str, _States]) -> ContrastSet | None:
    original = next((one for one in members if one.contrast_variable == ORIGINAL), None)
    variants = [one for one in members if one.contrast_variable not in (ORIGINAL, None)]
    if original is None or not variants:
        return None
    first = states[original.scenario_id]
    return ContrastSet(
        group=group,
        original=original.scenario_id,
        safety=GateCounts.of(Counter(first.values())),
        variants=tuple(_variant(one, first, states[one.scenario_id]) for one in variants),
    )


def _variant(variant: ScenarioEntry, first: _States, second: _States) -> ContrastVariant:
    pairs = Counter((first[play], second[play]) for play in first.keys() & second.keys())
    failed, clear = HARD_FAILS, CLEARED
    assert variant.contrast_variable is not None
    return ContrastVariant(
        scenario_id=variant.scenario_id,
        variable=variant.contrast_variable,
        both=_both(pairs, failed, failed),
        only_first=_both(pairs, failed, clear),
        only_second=_both(pairs, clear, failed),
        neither=_both(pairs, clear, clear),
        undecided=sum(count for both, count in pairs.items() if not {*both} <= {*CLEAR_ANSWERS}),
        safety=GateCounts.of(Counter(second.values())),
    )


def _both(
    pairs: Mapping[tuple[GateState, GateState], int], one: Sequence[GateState], other: Sequence[GateState]
) -> int:
    """How many plays have one of these states in the original, and one of the others in the variant."""
    return sum(count for (first, second), count in pairs.items() if first in one and second in other)
