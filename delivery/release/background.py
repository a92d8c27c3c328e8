"""Data that the pages show but a release does not contain: texts of scenarios, and reference assistants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check, Due
from ib.models.benchmark.site import NEUTRAL, SiteConfig
from ib.models.conversation.character import Character
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.twin_scenario import TwinScenario
from ib.models.release.leaderboard import ModelEntry, ScenarioEntry
from ib.store.benchmark.characters import character_paths, load_character
from ib.store.benchmark.guides import LoadedGuide, load_guides
from ib.store.benchmark.scenarios import load_contract, load_scenarios, load_twins
from ib.store.benchmark.site import load_site

PREFIX = "reference/"
"""The prefix of the model ids of reference assistants."""


@dataclass(frozen=True)
class Background:
    """The scenarios, reference assistants (characters) and safe twins of a benchmark, by id."""

    scenarios: Mapping[str, Scenario] = field(default_factory=dict)
    characters: Mapping[str, Character] = field(default_factory=dict)
    twins: Mapping[str, TwinScenario] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    """What pages call a tag or a value of a persona's context, where the code does not read well."""
    site: SiteConfig = NEUTRAL
    """How the site introduces itself."""
    guides: tuple[LoadedGuide, ...] = ()
    """The guides of the site, signed or not."""

    def title(self, scenario_id: str) -> str | None:
        """The title of a scenario or twin. Returns None if the background does not have it."""
        found = self.scenarios.get(scenario_id) or self.twins.get(scenario_id)
        return None if found is None else found.title

    def character(self, model: ModelEntry) -> Character | None:
        """The character of a model. Returns None if the model is not a reference assistant."""
        if not model.model_id.startswith(PREFIX):
            return None
        return self.characters.get(model.model_id.removeprefix(PREFIX))


def load_background(root: Path, benchmark: Benchmark) -> Background:
    """Load the background from a benchmark folder. Raises DataError with every problem found."""
    characters = {
        name: load_character(path, benchmark.checks, benchmark.lexicons)
        for name, path in character_paths(root).items()
    }
    contract = load_contract(root)
    names = {} if contract is None else contract.names
    site = load_site(root, benchmark.checks, characters)
    guides = load_guides(root, site)
    return Background(load_scenarios(root), characters, load_twins(root), names, site, guides)


def due(scenario: Scenario, checks: Mapping[str, Check]) -> tuple[Check, ...]:
    """The checks that are due for a scenario, without suppressed ones."""
    named = scenario.circumstances
    return tuple(check for check in checks.values() if check.due(named) is Due.YES)


def is_as_played(entry: ScenarioEntry, scenario: Scenario) -> bool:
    """True if the transcripts of a release were played from exactly this text of the scenario."""
    return entry.scenario_hash == scenario.played_hash
