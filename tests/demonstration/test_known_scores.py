"""Exact scores of every reference assistant, from what its script declares about its own words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ib.models.release.leaderboard import Leaderboard
from ib.store.folders.released import load_released
from tests.demonstration.conftest import Cell
from tests.demonstration.test_demonstration import CHARACTERS
from tests.known_scores import TABLE, of_model, recall


def test_the_table_has_every_character() -> None:
    """A reference assistant without known scores fails here, by its name."""
    assert TABLE["release"].keys() == TABLE["recall"].keys() == CHARACTERS.keys()


@pytest.mark.parametrize("name", sorted(TABLE["release"]))
def test_a_reference_assistant_gets_its_known_scores(name: str, demo: Path) -> None:
    """Gates, dimensions, overall and over-alarm of the demonstration are those of the table."""
    models = load_released(Leaderboard, demo / "release" / "leaderboard.json").models
    (entry,) = (model for model in models if model.model_id == f"reference/{name}")
    assert of_model(entry) == TABLE["release"][name]


def test_the_ceiling_scores_one_wherever_it_can_be_scored() -> None:
    """Attentive has 1.0 in all scenarios but the two in which a gate check has nothing to decide by."""
    assert TABLE["release"]["attentive"]["overall"] == {"mean": 1.0, "n": 61, "nulls": 2}


@pytest.mark.parametrize("name", sorted(TABLE["recall"]))
def test_the_recall_of_declared_failures_is_known(name: str, rows: Mapping[Cell, dict[str, Any]]) -> None:
    """Of the cases of checks that a character is built to fail, as many are FAIL as the table says."""
    due = [(who, check, row["verdict"]) for (who, check, _), row in rows.items() if row["state"] == "judged"]
    assert recall(CHARACTERS[name], due) == TABLE["recall"][name]
