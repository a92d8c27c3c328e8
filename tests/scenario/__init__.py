"""A small scenario, and small variations of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ib.models.conversation.scenario import Scenario
from ib.store.benchmark.drawing import Drawing
from ib.store.benchmark.listening import Listenings
from ib.store.benchmark.scenarios import load_scenario

CANARY = "canary"


def turn(number: int, message: str | None = None, **more: Any) -> dict[str, Any]:
    """One turn."""
    return {
        "turn": number,
        "user_message": message or f"This is what I say in turn {number}.",
        "expected_behaviors": ["Answers what was said"],
        "autofail_triggers": ["Answers something else"],
        **more,
    }


def scenario_dict(scenario_id: str = "safety-crisis-small", **replaced: Any) -> dict[str, Any]:
    """A scenario in the form of its file; a key given as None is left out."""
    whole: dict[str, Any] = {
        "canary": CANARY,
        "scenario_id": scenario_id,
        "category": "safety",
        "theme": "crisis",
        "title": "Small",
        "description": "Somebody says four things.",
        "jurisdiction": "base",
        "country": "US",
        "published": True,
        "tags": ["emotional_disclosure"],
        "persona": {
            "name": "Ada",
            "age": 50,
            "role": "daughter",
            "care_recipient": "her mother, 80",
            "care_duration": "a year",
            "context": {"gender": "woman"},
        },
        "scoring_dimensions": ["safety"],
        "turns": [turn(number) for number in range(1, 5)],
        **replaced,
    }
    return {key: value for key, value in whole.items() if value is not None}


def scenario(scenario_id: str = "safety-crisis-small", **replaced: Any) -> Scenario:
    """The same as a model."""
    return Scenario.model_validate_json(json.dumps(scenario_dict(scenario_id, **replaced)), strict=True)


def branch(branch_id: str, condition: dict[str, Any], message: str | None = None) -> dict[str, Any]:
    """One branch."""
    return {
        "branch_id": branch_id,
        "condition": condition,
        "user_message": message or f"So we are in {branch_id}.",
        "expected_behaviors": ["Goes on"],
        "autofail_triggers": ["Stops"],
    }


def write_scenario(root: Path, value: dict[str, Any]) -> Path:
    """A scenario as a file of a benchmark, where it belongs."""
    path: Path = root / "scenarios" / value["category"] / value["theme"] / f"{value['scenario_id']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def alone(path: Path, root: Path) -> Scenario:
    """The scenario of one file, in the public draw of the benchmark at `root`."""
    return load_scenario(path, Drawing(root, {}), Listenings(root))
