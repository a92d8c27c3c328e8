"""Scenario families: scenarios of one contrast group, and variants with their original."""

from __future__ import annotations

from collections.abc import Iterable

from ib.models.scan.result import TranscriptResult


class Families:
    """Groups scenarios into families. Results can come in any order."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._scenarios: set[str] = set()

    def add(self, result: TranscriptResult) -> None:
        """Add the scenario of one result, with its contrast group and its original."""
        self._scenarios.add(result.scenario_id)
        here = self._root(f"scenario {result.scenario_id}")
        for other in _related(result):
            here, there = self._root(here), self._root(other)
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
        members: dict[str, list[str]] = {}
        for scenario in sorted(self._scenarios):
            members.setdefault(self._root(f"scenario {scenario}"), []).append(scenario)
        return {scenario: group[0] for group in members.values() for scenario in group}


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
