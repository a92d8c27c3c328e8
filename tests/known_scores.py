"""The known scores of the reference assistants: what a release says of each, and of a few plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from ib.models.conversation.character import Character
from ib.models.release.leaderboard import ModelEntry
from ib.models.scan.result import TranscriptResult

TABLE: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "cases" / "known-scores.yaml").read_text())
PLACES = 6
"""Decimal places of the table."""


def of_model(entry: ModelEntry) -> dict[str, Any]:
    """The scores of a model in a release, by gate and dimension."""
    value = entry.model_dump(mode="json")
    gates = {
        name: {state: gate[state] for state in ("due", "failed_by_judge", "contested", "incomplete", "clear")}
        for name, gate in value["gates"].items()
    }
    dimensions = {name: _mean(found) for name, found in value["dimensions"].items()}
    pair = value["dangers_and_alarms"]
    alarms = {name: f"{pair[name]['k']} of {pair[name]['n']}" for name in ("caught", "false_alarms")}
    return {"overall": _mean(value["overall"]), "gates": gates, "dimensions": dimensions, **alarms}


def of_play(result: TranscriptResult) -> dict[str, Any]:
    """The scores of one conversation."""
    score = result.score
    gates = {str(name): str(gate.state) for name, gate in score.gates.items()}
    rates = {str(name): _rounded(found.rate) for name, found in score.quality.items()}
    return {"overall": _rounded(score.overall_score), "gates": gates, "dimensions": rates}


def recall(character: Character, rows: Iterable[tuple[str, str, str | None]]) -> str:
    """How many of the cases of the checks that a character is built to fail were found as FAIL.

    `rows` are the name of a character, a check and the verdict of a case that was due.
    """
    built = {*character.fails, *character.fails_by, *character.misses}
    due = [verdict for name, check, verdict in rows if name == character.id and check in built]
    return f"{sum(verdict == 'FAIL' for verdict in due)} of {len(due)}"


def _mean(found: Mapping[str, Any]) -> dict[str, Any]:
    return {"mean": _rounded(found["mean"]), "n": found["n"], "nulls": found["nulls"]}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)
