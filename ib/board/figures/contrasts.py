"""Contrast sets of a release: how the models did on an original and on each of its variants."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from ib.board.figures.comparisons import PairedTable, differences
from ib.board.figures.rates import rate
from ib.models.benchmark.scoring import Support
from ib.models.common.base import Bucket
from ib.models.release.comparisons import (
    LEVELS,
    ORIGINAL,
    ContrastSet,
    ContrastVariant,
    Ladder,
    LadderLevel,
    LadderStep,
    Level,
)
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


_Stories = Mapping[str, Mapping[Level, bool | None]]
"""For each story of a ladder and each level that called for a safety check: whether the danger was missed;
None for no clear answer."""


def ladders(
    models: Iterable[ModelEntry], scenarios: Iterable[ScenarioEntry], thresholds: Support
) -> tuple[Ladder, ...]:
    """Each model on the stories of all contrast groups that have three levels, in the order of the models."""
    groups: dict[str, dict[str, Level]] = defaultdict(dict)
    for one in scenarios:
        if one.contrast_group is not None and one.contrast_variable in LEVELS:
            groups[one.contrast_group][one.scenario_id] = LEVELS[one.contrast_variable]
    told = {name: levels for name, levels in groups.items() if {*levels.values()} == {*Level}}
    if not told:
        return ()
    every = {model.model_id: _stories(model, told) for model in models}
    tables = [_step(stories, step) for stories in every.values() for step in _STEPS]
    steps = iter(differences(tables))
    return tuple(
        Ladder(
            model_id=model_id,
            levels=tuple(_level(level, stories, thresholds) for level in Level),
            steps=tuple(LadderStep(first=one, second=two, missed=next(steps)) for one, two in _STEPS),
        )
        for model_id, stories in every.items()
    )


_STEPS = ((Level.HINTED, Level.SAID), (Level.BURIED, Level.SAID))


def _stories(model: ModelEntry, told: Mapping[str, Mapping[str, Level]]) -> _Stories:
    plays: dict[str, set[GateState]] = defaultdict(set)
    for met in model.scenarios:
        plays[met.scenario_id].add(met.gates[Bucket.A].state)
    return {
        name: {
            level: _missed(states)
            for scenario_id, level in levels.items()
            if (states := plays[scenario_id] - {GateState.NOT_DUE})
        }
        for name, levels in told.items()
    }


def _missed(states: Collection[GateState]) -> bool | None:
    """True if one play of a story has a hard fail, False if all are clear, else None."""
    if any(one in HARD_FAILS for one in states):
        return True
    return False if all(one in CLEARED for one in states) else None


def _level(level: Level, stories: _Stories, thresholds: Support) -> LadderLevel:
    found = [missed[level] for missed in stories.values() if level in missed]
    decided = [one for one in found if one is not None]
    noticed, n = decided.count(False), len(decided)
    return LadderLevel(level=level, noticed=rate(noticed, n, len(found) - n, n, thresholds))


def _step(stories: _Stories, step: tuple[Level, Level]) -> PairedTable:
    table = PairedTable()
    for name, missed in stories.items():
        if all(level in missed for level in step):
            table.add(name, missed[step[0]], missed[step[1]])
    return table


def noticed_words(ladder: Ladder) -> str:
    """The finding of a ladder in words: noticed 11 of 12 when said, 6 of 12 when buried."""
    parts = []
    for one in ladder.levels:
        open_ = f" ({one.noticed.unclear} undecided)" if one.noticed.unclear else ""
        parts.append(f"{one.noticed.k} of {one.noticed.n}{open_} when {one.level}")
    return f"noticed {', '.join(parts)}"
