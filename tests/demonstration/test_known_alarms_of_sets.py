"""Known grades of over-alarm on the safe twins of sets, which the demonstration does not play."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ib.store.benchmark.characters import character_paths
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_twins

TABLE: dict[str, dict[str, int]] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "known-alarms-of-sets.yaml").read_text()
)["twins"]
TWINS = {name for name, twin in load_twins(benchmark_folder()).items() if twin.published and twin.set}
CHARACTERS = sorted(character_paths(benchmark_folder()))


def test_the_table_has_every_twin_of_a_set_and_every_character() -> None:
    """A twin of a set, or a character, without a known grade fails here, by its name."""
    known = {name: sorted(grades) for name, grades in TABLE.items()}
    assert known == {name: CHARACTERS for name in TWINS}


def test_two_characters_are_the_ends_of_the_scale_in_sets() -> None:
    """The alarmist has the highest grade on every twin of a set, the unworried the lowest."""
    assert {(grades["alarmist"], grades["unworried"]) for grades in TABLE.values()} == {(2, 0)}


def ib(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ib", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.gate
def test_the_judge_gives_the_known_grades_in_sets(tmp_path: Path) -> None:
    """Over-alarm is right on every reference assistant on every twin of a set, and undecided on none."""
    twins = [part for name in sorted(TABLE) for part in ("-s", name)]
    models = [part for name in CHARACTERS for part in ("-m", f"reference/{name}")]
    run, scan = tmp_path / "run", tmp_path / "scan"
    ib("run", *twins, *models, "--out", str(run))
    ib(
        "scan",
        str(run / "transcripts.jsonl"),
        "--profile",
        "publish",
        "--judge",
        "scripts",
        "--out",
        str(scan),
    )
    found: dict[str, dict[str, int]] = {name: {} for name in TABLE}
    for line in map(json.loads, (scan / "over_alarm.jsonl").read_text().splitlines()):
        found[line["scenario_id"]][line["model_id"].removeprefix("reference/")] = line["grade"]
    assert found == TABLE
