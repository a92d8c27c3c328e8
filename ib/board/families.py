"""Scenario families: a contrast group, or a variant and what it varies, are one."""

from __future__ import annotations

from collections.abc import Iterable

from ib.models.result import TranscriptResult


def families(results: Iterable[TranscriptResult]) -> dict[str, str]:
    """The family of each scenario, named by the first scenario in it, whatever chain joins them."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        parents.setdefault(name, name)
        while parents[name] != name:
            parents[name] = parents[parents[name]]
            name = parents[name]
        return name

    scenarios: set[str] = set()
    for result in results:
        scenarios.add(result.scenario_id)
        here = root(f"scenario {result.scenario_id}")
        for other in _related(result):
            here, there = root(here), root(other)
            parents[max(here, there)] = min(here, there)
    members: dict[str, list[str]] = {}
    for scenario in sorted(scenarios):
        members.setdefault(root(f"scenario {scenario}"), []).append(scenario)
    return {scenario: group[0] for group in members.values() for scenario in group}


def _related(result: TranscriptResult) -> Iterable[str]:
    if result.contrast_group is not None:
        yield f"group {result.contrast_group}"
    if result.variant_of is not None:
        yield f"scenario {result.variant_of}"
