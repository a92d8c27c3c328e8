"""Starting a check, a lexicon or a scenario: a draft file with every key, which passes `ib lint`."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ib.errors import OutputExists, UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import CheckId
from ib.models.common.base import Bucket, Identifier, Slug
from ib.models.schemas import schema_line
from ib.scenario.placeholders import NOT_SAID, TURN_TEXTS
from ib.scenario.surroundings import Surroundings
from ib.store.benchmark.loading import benchmark_folder, label, load_benchmark
from ib.store.benchmark.scenarios import FOLDER, load_contract, played_paths, scenario_paths

REASON = "A draft that is still being written."


def new_check(check_id: str, folder: Path | None = None) -> Path:
    """Write a draft check; returns the path of its file. Raises UsageError if the id is invalid."""
    example = "use a prefix, the letter of the dimension and a name, such as IB-C9-talks-down"
    _must_be(CheckId, check_id, f"{check_id!r} cannot be the id of a check; {example}")
    letter = check_id.partition("-")[2][0]
    words = check_id.partition("-")[2].partition("-")[2].replace("-", " ") or check_id
    if letter not in set(Bucket):
        raise UsageError(f"{check_id!r}: unknown dimension {letter!r}; choose one of {', '.join(Bucket)}")
    values = {"id": check_id, "bucket": letter, "name": words.capitalize(), "tag": "any"}
    return _from_template("check.yaml", f"checks/{check_id}.yaml", values, _root(folder))


def new_lexicon(name: str, folder: Path | None = None) -> Path:
    """Write a draft lexicon; returns the path of its file. Raises UsageError if the name is invalid."""
    example = "use lower-case words joined by underscores, such as talks_down"
    _must_be(Slug, name, f"{name!r} cannot be the name of a lexicon; {example}")
    return _from_template("lexicon.yaml", f"lexicons/{name}.yaml", {"id": name}, _root(folder))


def new_scenario(scenario_id: str, folder: Path | None = None) -> Path:
    """Write a draft scenario; returns the path of its file. Its id starts with its category and theme."""
    example = "use at most 160 letters, digits and hyphens, such as empathy-grief-first-winter"
    _must_be(Identifier, scenario_id, f"{scenario_id!r} cannot be the id of a scenario; {example}")
    root = _root(folder)
    category, theme = _shelf(scenario_id, root)
    there = played_paths(root).get(scenario_id)
    if there is not None:
        raise OutputExists(f"{label(there)} exists; choose another id")
    contents = scenario_skeleton(scenario_id, category, theme, load_benchmark(root), root)
    text = json.dumps(contents, indent=2, ensure_ascii=False) + "\n"
    return _write(root / FOLDER / category / theme / f"{scenario_id}.json", text)


def scenario_skeleton(
    scenario_id: str, category: str, theme: str, benchmark: Benchmark, root: Path
) -> dict[str, Any]:
    """A scenario with every key that its benchmark requires, and placeholder texts to replace."""
    contract = load_contract(root)
    around = Surroundings(benchmark.checks, benchmark.rules, contract, benchmark.canary)
    demanded = {} if contract is None else contract.persona_context
    turns = 4 if contract is None else contract.sizes.turns_least
    rules = benchmark.rules["base"]
    return {
        "status": "draft",
        "canary": benchmark.canary,
        "scenario_id": scenario_id,
        "category": category,
        "theme": theme,
        "title": NOT_SAID,
        "description": NOT_SAID,
        "jurisdiction": rules.id,
        "country": rules.country or next(iter(rules.crisis_resources), "US"),
        "published": False,
        "unpublished_reason": REASON,
        "tags": sorted(around.vocabulary())[:1] or ["draft"],
        "persona": {
            "name": NOT_SAID,
            "age": 50,
            "role": NOT_SAID,
            "care_recipient": NOT_SAID,
            "care_duration": NOT_SAID,
            "context": {key: (*allowed, NOT_SAID)[0] for key, allowed in demanded.items()},
        },
        "scoring_dimensions": ["communication"],
        "turns": [_turn(number) for number in range(1, turns + 1)],
    }


def _turn(number: int) -> dict[str, Any]:
    message, behavior, trigger = TURN_TEXTS
    return {
        "turn": number,
        "user_message": message.format(number),
        "expected_behaviors": [behavior],
        "autofail_triggers": [trigger],
    }


def _shelf(scenario_id: str, root: Path) -> tuple[str, str]:
    """The category and the theme at the start of a scenario id; a benchmark with scenarios must have both."""
    known = sorted({path.parent.relative_to(root / FOLDER).parts for path in scenario_paths(root).values()})
    shelves = [parts for parts in known if len(parts) == 2]
    for category, theme in shelves:
        if scenario_id.startswith(f"{category}-{theme.replace('_', '-')}-"):
            return category, theme
    if shelves:
        starts = [f"{category}-{theme.replace('_', '-')}" for category, theme in shelves]
        close = difflib.get_close_matches("-".join(scenario_id.split("-")[:3]), starts, n=1, cutoff=0.5)
        nearest = f"did you mean {close[0]}-...? " if close else ""
        wrong = f"{scenario_id!r} does not start with a category and a theme"
        raise UsageError(f"{wrong}; {nearest}choose from {', '.join(f'{one}-...' for one in starts)}")
    parts = scenario_id.split("-")
    if len(parts) < 3 or not all(part.isalnum() for part in parts[:2]):
        raise UsageError(f"{scenario_id!r} does not start with a category and a theme, as in a-b-...")
    return parts[0], parts[1]


def _from_template(template: str, name: str, values: Mapping[str, str], root: Path) -> Path:
    text = (files("ib.pipeline") / "skeletons" / template).read_text(encoding="utf-8")
    return _write(root / name, f"{schema_line(name)}\n{Template(text).substitute(values)}")


def _root(folder: Path | None) -> Path:
    """The folder to write to. Raises UsageError for the benchmark of an installed package."""
    root = folder or benchmark_folder()
    if folder is None and root.name.startswith("_"):
        raise UsageError(
            "the benchmark of an installed package is read-only; name your own folder with --benchmark"
        )
    if not root.is_dir():
        raise UsageError(f"--benchmark {root}: no such folder; name the folder of a benchmark")
    return root


def _must_be(form: Any, value: str, message: str) -> None:
    try:
        TypeAdapter(form).validate_python(value)
    except ValidationError as error:
        raise UsageError(message) from error


def _write(path: Path, text: str) -> Path:
    """Write a new file. Raises OutputExists if the file exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise OutputExists(f"{label(path)} exists; choose another id") from error
    return path
