"""Whether scenarios can be played to the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ib.errors import DataError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.conversation.scenario import Scenario
from ib.scenario.lint import Surroundings, unplayable
from ib.store.benchmark.listening import Listenings
from ib.store.benchmark.loading import label
from ib.store.benchmark.scenarios import played_paths
from ib.store.files.places import finding_at


def check_playable(scenarios: Sequence[Scenario], benchmark: Benchmark, root: Path) -> None:
    """Raises DataError for scenarios that cannot be played to the end, before any call is paid for."""
    paths, names = played_paths(root), frozenset(Listenings(root))
    around = Surroundings(benchmark.checks, benchmark.rules, None, benchmark.canary, names)
    findings = []
    for scenario in scenarios:
        path = paths[scenario.scenario_id]
        for problem in unplayable(scenario, around):
            findings.append(finding_at(path, label(path), problem.place.path, problem.found, problem.hint))
    if findings:
        raise DataError(findings)
