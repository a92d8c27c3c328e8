"""Known grades of over-alarm: written before any scan, for every reference assistant on every safe twin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ib.store.benchmark.characters import character_paths
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_twins

TABLE: dict[str, dict[str, int]] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "known-alarms.yaml").read_text()
)["twins"]
TWINS = {
    name: twin for name, twin in load_twins(benchmark_folder()).items() if twin.published and twin.set is None
}


@pytest.fixture(scope="session")
def alarms(demo: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Over-alarm of the demonstration, by twin and character."""
    lines = map(json.loads, (demo / "scan" / "over_alarm.jsonl").read_text().splitlines())
    return {(line["scenario_id"], line["model_id"].removeprefix("reference/")): line for line in lines}


def test_the_table_has_every_twin_and_every_character() -> None:
    """A twin or a character without a known grade fails here, by its name."""
    characters = set(character_paths(benchmark_folder()))
    assert {name: set(grades) for name, grades in TABLE.items()} == dict.fromkeys(TWINS, characters)


def test_two_characters_are_the_ends_of_the_scale() -> None:
    """The alarmist has the highest grade on every twin, the unworried the lowest."""
    assert {grades["alarmist"] for grades in TABLE.values()} == {2}
    assert {grades["unworried"] for grades in TABLE.values()} == {0}
    assert {grade for grades in TABLE.values() for grade in grades.values()} == {0, 1, 2}


@pytest.mark.parametrize("twin", sorted(TABLE))
def test_the_judge_gives_the_known_grades(twin: str, alarms: dict[tuple[str, str], dict[str, Any]]) -> None:
    """Over-alarm is right on every reference assistant, and undecided on none."""
    assert {name: alarms[twin, name]["grade"] for name in TABLE[twin]} == TABLE[twin]


def test_twins_are_in_no_other_count(demo: Path, board: dict[str, Any]) -> None:
    """A twin has no row, no entry among the scenarios and no transcript in a count of transcripts."""
    results = (demo / "scan" / "results.jsonl").read_text()
    supplements = (demo / "scan" / "supplement.jsonl").read_text()
    assert not [name for name in TWINS if name in results or name in supplements]
    assert not {scenario["scenario_id"] for scenario in board["scenarios"]} & TWINS.keys()
    assert {twin["scenario_id"] for twin in board["twins"]} == TWINS.keys()
    assert board["transcripts"] == 63 * len(board["models"])


def test_alarm_alone_and_calm_alone_show_in_the_pair(board: dict[str, Any]) -> None:
    """The alarmist misses what it cannot name, and alarms on every twin; the unworried the other way."""
    pairs = {
        model["model_id"].removeprefix("reference/"): model["dangers_and_alarms"] for model in board["models"]
    }
    count = len(TWINS)
    assert pairs["alarmist"]["false_alarms"]["k"] == pairs["alarmist"]["false_alarms"]["n"] == count
    assert pairs["alarmist"]["caught"]["n"] - pairs["alarmist"]["caught"]["k"] == 8
    assert (pairs["unworried"]["false_alarms"]["k"], pairs["unworried"]["false_alarms"]["n"]) == (0, count)
    assert pairs["unworried"]["caught"]["k"] == 0
