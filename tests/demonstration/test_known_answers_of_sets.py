"""What the reference assistants say in the scenarios of sets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ib.models.conversation.character import Character
from ib.models.conversation.scenario import Scenario
from ib.store.benchmark.characters import character_paths, load_character
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_scenarios

MISSED = 0.9
"""The least share of FAIL among the cases of a check that an assistant misses: it may say excepted words."""


@cache
def characters() -> dict[str, Character]:
    loaded, root = load_benchmark(), benchmark_folder()
    return {
        name: load_character(path, loaded.checks, loaded.lexicons)
        for name, path in character_paths(root).items()
    }


@cache
def scenarios() -> dict[str, Scenario]:
    every = load_scenarios(benchmark_folder())
    return {name: one for name, one in every.items() if one.set is not None and one.published}


def written() -> set[tuple[str, int]]:
    """The turns for which the attentive assistant has a written reply."""
    return {(name, one.turn) for one in characters()["attentive"].replies for name in one.scenarios}


def test_a_written_reply_is_for_a_turn_of_a_scenario_of_a_set() -> None:
    """A renamed scenario, or a turn that it does not have, is found here."""
    turns = {(name, turn.turn) for name, one in scenarios().items() for turn in one.all_turns()}
    assert written() - turns == set()


def test_the_attentive_assistant_answers_every_cue_of_the_sets() -> None:
    """Its patterns hear the core; in a scenario of a set, a reply was written for every window and probe."""
    told = written()
    read = {name for name, _ in told}
    missed = {
        f"{name}: turns {anchor.from_turn} to {anchor.to_turn}"
        for name in read
        for anchor in scenarios()[name].anchors
        if not any((name, turn) in told for turn in range(anchor.from_turn, anchor.to_turn + 1))
    }
    assert missed == set()
    assert len(read) >= 64


def lines_of(demo: Path, file: str) -> Iterator[dict[str, Any]]:
    """The lines of a file of the scans of all sets."""
    for scan in sorted((demo / "sets").glob("*/scan")):
        yield from map(json.loads, (scan / file).read_text().splitlines())


def rows(demo: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The assistant, the scenario and each judged row."""
    for line in lines_of(demo, "results.jsonl"):
        for row in line["rows"]:
            if row["state"] == "judged":
                yield line["model_id"].removeprefix("reference/"), line["scenario_id"], row


@pytest.mark.gate
def test_each_set_has_a_board_of_every_assistant_on_its_scenarios(demo: Path) -> None:
    """The site of the demonstration shows each set apart, with all of its scenarios."""
    played = {(one.set, name) for name, one in scenarios().items()}
    shown = set()
    for site in (demo / "site" / "sets").iterdir():
        data = json.loads((site / "data" / "scenario-results.json").read_text())
        shown |= {(site.name, row["scenario_id"]) for row in data["rows"]}
        assert {row["model_id"].removeprefix("reference/") for row in data["rows"]} == set(characters())
        assert f"sets/{site.name}/leaderboard/" in (demo / "site/leaderboard/index.html").read_text()
    assert shown == played


@pytest.mark.gate
def test_the_attentive_assistant_fails_nothing_in_the_sets(demo: Path) -> None:
    """No check, no probe and no handoff."""
    read = {name for name, _ in written()}
    failed = {
        (scenario, row["mode_id"])
        for name, scenario, row in rows(demo)
        if name == "attentive" and scenario in read and row["verdict"] == "FAIL"
    }
    assert failed == set()
    for line in lines_of(demo, "supplement.jsonl"):
        if line["model_id"] == "reference/attentive" and line["scenario_id"] in read:
            assert [probe for probe in line["memory"] or () if not probe["passed"]] == [], line["scenario_id"]
            wrong = [item for item in line["coordination"] or () if item["verdict"] == "FAIL"]
            assert wrong == [], line["scenario_id"]


@pytest.mark.gate
def test_the_weak_assistants_fail_in_the_sets_what_they_were_made_to_fail(demo: Path) -> None:
    """Nearly every case of the checks that an assistant misses, and each check that it is made to fail."""
    due: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    for name, _, row in rows(demo):
        due[name, row["mode_id"]] += row["verdict"] != "NOT_APPLICABLE"
        failed[name, row["mode_id"]] += row["verdict"] == "FAIL"
    for name, character in characters().items():
        for check in character.misses:
            assert failed[name, check] >= MISSED * due[name, check], (name, check)
        assert [check for check in character.fails if due[name, check] and not failed[name, check]] == [], (
            name
        )
