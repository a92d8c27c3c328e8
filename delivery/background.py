"""What a release does not carry and its pages show: the scenarios as written, the reference assistants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ib.models.base import Scope
from ib.models.benchmark import Benchmark
from ib.models.canonical import digest
from ib.models.character import Character
from ib.models.check import Check
from ib.models.leaderboard import ModelEntry, ScenarioEntry
from ib.models.scenario import Scenario
from ib.models.transcript import Anchor
from ib.store.characters import character_paths, load_character
from ib.store.scenarios import load_scenarios

PREFIX = "reference/"
"""How the ids of models begin that are reference assistants."""
ANY = "any"
"""The tag that every scenario meets."""


@dataclass(frozen=True)
class Background:
    """The scenarios and the characters of a benchmark, by their ids."""

    scenarios: Mapping[str, Scenario] = field(default_factory=dict)
    characters: Mapping[str, Character] = field(default_factory=dict)

    def character(self, model: ModelEntry) -> Character | None:
        """The reference assistant that a model is, or None."""
        if not model.model_id.startswith(PREFIX):
            return None
        return self.characters.get(model.model_id.removeprefix(PREFIX))


def load_background(root: Path, benchmark: Benchmark) -> Background:
    """The background from the folder of a benchmark; DataError with everything that does not fit."""
    characters = {
        name: load_character(path, benchmark.checks, benchmark.lexicons)
        for name, path in character_paths(root).items()
    }
    return Background(load_scenarios(root), characters)


def due(scenario: Scenario, checks: Mapping[str, Check]) -> tuple[Check, ...]:
    """The checks that the tags of a scenario make due, without those that they set aside."""
    named = {*scenario.tags, *(risk.cue for risk in scenario.risk_triggers), scenario.category}
    return tuple(
        check
        for check in checks.values()
        if _asked(check, named) and named.isdisjoint(check.routing.suppressed_by_tags)
    )


def _asked(check: Check, named: set[str]) -> bool:
    wanted = check.eligibility.scenario_tags_any
    return check.scope is Scope.UNIVERSAL or ANY in wanted or not named.isdisjoint(wanted)


def is_as_played(entry: ScenarioEntry, scenario: Scenario) -> bool:
    """Whether the transcripts of a release were played from this very text of the scenario."""
    return entry.scenario_hash == played_hash(scenario)


def played_hash(scenario: Scenario) -> str:
    """What the transcripts played from a scenario are hashed to, by the recipe of the engine."""
    contrast = scenario.contrast
    anchors = [Anchor(**anchor.model_dump()).model_dump(mode="json") for anchor in scenario.anchors]
    return digest(
        {
            "scenario_id": scenario.scenario_id,
            "category": scenario.category,
            "tags": scenario.tags,
            "risk_triggers": [risk.model_dump(mode="json") for risk in scenario.risk_triggers],
            "eligible_checks": None,
            "anchors": anchors,
            "jurisdiction": scenario.jurisdiction,
            "contrast": [contrast.group, contrast.variable] if contrast else [None, None],
            "variant_of": scenario.variant_of,
            "opening": next(scenario.all_turns()).user_message,
            "played": digest(scenario),
        }
    )
