"""Loading scenarios: one strict JSON file per scenario, read on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ib.errors import DataError, Finding, Findings
from ib.store.listening import Listenings
from ib.store.validation import load_json, load_yaml

if TYPE_CHECKING:
    from ib.models.contract import CorpusContract
    from ib.models.scenario import Scenario

FOLDER = "scenarios"
CONTRACT = "configs/scenarios.yaml"


def scenario_paths(root: Path) -> dict[str, Path]:
    """The scenario files of a benchmark, by id. The id is the file name."""
    paths: dict[str, Path] = {}
    for path in sorted((root / FOLDER).rglob("*.json")):
        first = paths.setdefault(path.stem, path)
        if first != path:
            found = f"{path.stem!r} is also the id of {first}"
            raise DataError.one(str(path), None, "scenario_id", found, "one file per scenario")
    return paths


class Scenarios(Mapping[str, "Scenario"]):
    """The scenarios of a benchmark, each loaded on first use."""

    def __init__(self, root: Path) -> None:
        self.paths = scenario_paths(root)
        self._listenings = Listenings(root)
        self._loaded: dict[str, Scenario] = {}

    def __getitem__(self, scenario_id: str) -> Scenario:
        if scenario_id not in self._loaded:
            self._loaded[scenario_id] = load_scenario(self.paths[scenario_id], self._listenings)
        return self._loaded[scenario_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __contains__(self, scenario_id: object) -> bool:
        return scenario_id in self.paths


def load_scenarios(root: Path) -> dict[str, Scenario]:
    """Load every scenario of a benchmark. Raises DataError with all findings about all files."""
    findings = Findings()
    loaded: dict[str, Scenario] = {}
    listenings = Listenings(root)
    for path in sorted((root / FOLDER).rglob("*.json")):
        try:
            scenario = load_scenario(path, listenings)
        except DataError as error:
            findings.extend(error.findings)
            continue
        if scenario.scenario_id in loaded:
            found = f"{scenario.scenario_id!r} given twice"
            findings.add(Finding.at(str(path), 1, "scenario_id", found, "one file per scenario"))
        loaded[scenario.scenario_id] = scenario
    if findings:
        raise DataError(findings)
    return loaded


def load_scenario(path: Path, listenings: Listenings) -> Scenario:
    """Load one scenario with the listenings that its branches name.

    Raises DataError with file, line and key of every finding.
    """
    from ib.models import scenario as models  # slow to import, and not every scan needs one

    name = str(path)
    scenario = load_json(models.Scenario, path)
    if path.stem != scenario.scenario_id:
        found = f"{scenario.scenario_id!r} in a file named {path.name}"
        raise DataError.one(name, 1, "scenario_id", found, repr(path.stem))
    return listenings.heard_by(scenario, path)


def load_contract(root: Path) -> CorpusContract | None:
    """The contract of the corpus (tags, sizes, counts). Returns None if the benchmark has none."""
    from ib.models.contract import CorpusContract

    path = root / CONTRACT
    return load_yaml(CorpusContract, path) if path.is_file() else None
