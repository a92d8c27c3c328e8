"""Loading scenarios and safe twins: one strict JSON file each, read on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ib.errors import DataError, Finding, Findings
from ib.store.benchmark.drawing import Drawing
from ib.store.benchmark.listening import Listenings
from ib.store.files.validation import load_yaml

if TYPE_CHECKING:
    from ib.models.conversation.contract import CorpusContract
    from ib.models.conversation.scenario import Scenario
    from ib.models.conversation.twin_scenario import TwinScenario
    from ib.scenario.drawing import DrawKey

FOLDER = "scenarios"
TWINS = "twins"
CONTRACT = "configs/scenarios.yaml"


def scenario_paths(root: Path) -> dict[str, Path]:
    """The scenario files of a benchmark, by id, without its twins. The id is the file name."""
    return _paths(sorted((root / FOLDER).rglob("*.json")))


def twin_paths(root: Path) -> dict[str, Path]:
    """The files of the safe twins, by id. The id is the file name."""
    return _paths(sorted((root / TWINS).rglob("*.json")))


def played_paths(root: Path) -> dict[str, Path]:
    """The files of everything that can be played, by id: scenarios and twins."""
    return _paths([*sorted((root / FOLDER).rglob("*.json")), *twin_paths(root).values()])


def _paths(files: Iterable[Path]) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for path in files:
        first = paths.setdefault(path.stem, path)
        if first != path:
            found = f"{path.stem!r} is also the id of {first}"
            raise DataError.one(str(path), None, "scenario_id", found, "one file per scenario")
    return paths


class Scenarios(Mapping[str, "Scenario"]):
    """The scenarios and twins of a benchmark in one draw, each loaded on first use."""

    def __init__(self, root: Path, key: DrawKey | None = None) -> None:
        self.paths = played_paths(root)
        self.drawing = Drawing(root, self.paths, key)
        self._twins = twin_paths(root)
        self._listenings = Listenings(root)
        self._loaded: dict[str, Scenario] = {}

    def __getitem__(self, scenario_id: str) -> Scenario:
        if scenario_id not in self._loaded:
            load = load_twin if scenario_id in self._twins else load_scenario
            self._loaded[scenario_id] = load(self.paths[scenario_id], self.drawing, self._listenings)
        return self._loaded[scenario_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __contains__(self, scenario_id: object) -> bool:
        return scenario_id in self.paths


Played = TypeVar("Played", bound="Scenario")


def load_scenarios(root: Path, key: DrawKey | None = None) -> dict[str, Scenario]:
    """Load every scenario of a benchmark, in the draw of a key; without one, in the public draw.

    Raises DataError with all findings about all files.
    """
    return _load_each(root, sorted((root / FOLDER).rglob("*.json")), load_scenario, key)


def load_twins(root: Path, key: DrawKey | None = None) -> dict[str, TwinScenario]:
    """Load every safe twin of a benchmark, as `load_scenarios` does."""
    return _load_each(root, sorted((root / TWINS).rglob("*.json")), load_twin, key)


def load_played(root: Path, key: DrawKey | None = None) -> dict[str, Scenario]:
    """Load everything that can be played: scenarios and twins. Raises DataError as `load_scenarios` does, and
    if a twin has the id of a scenario."""
    played_paths(root)
    return {**load_scenarios(root, key), **load_twins(root, key)}


def _load_each(
    root: Path,
    files: Iterable[Path],
    load: Callable[[Path, Drawing, Listenings], Played],
    key: DrawKey | None,
) -> dict[str, Played]:
    listenings = Listenings(root)
    drawing = Drawing(root, {path.stem: path for path in (root / FOLDER).rglob("*.json")}, key)
    findings = Findings()
    loaded: dict[str, Played] = {}
    for path in files:
        try:
            scenario = load(path, drawing, listenings)
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


def load_scenario(path: Path, drawing: Drawing, listenings: Listenings) -> Scenario:
    """Load one scenario as drawn, with the listenings that its branches name.

    Raises DataError with file, line and key of every finding.
    """
    from ib.models.conversation.scenario import Scenario  # slow to import, and not every scan needs one

    return _named(drawing.load(Scenario, path), path, listenings)


def load_twin(path: Path, drawing: Drawing, listenings: Listenings) -> TwinScenario:
    """Load one safe twin, as `load_scenario` does."""
    from ib.models.conversation.twin_scenario import (
        TwinScenario,  # slow to import, and not every scan needs one
    )

    return _named(drawing.load(TwinScenario, path), path, listenings)


def _named(scenario: Played, path: Path, listenings: Listenings) -> Played:
    """The scenario with its listenings. Raises DataError if its file has another name than its id."""
    if path.stem != scenario.scenario_id:
        found = f"{scenario.scenario_id!r} in a file named {path.name}"
        raise DataError.one(str(path), 1, "scenario_id", found, repr(path.stem))
    return listenings.heard_by(scenario, path)


def load_contract(root: Path) -> CorpusContract | None:
    """The contract of the corpus (tags, sizes, counts). Returns None if the benchmark has none."""
    from ib.models.conversation.contract import CorpusContract

    path = root / CONTRACT
    return load_yaml(CorpusContract, path) if path.is_file() else None
