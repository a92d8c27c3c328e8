"""Lint rules of safe twins, each broken once."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ib.models.conversation.twin_scenario import TwinScenario
from ib.scenario.lint_families import twin_problems
from ib.scenario.surroundings import Surroundings
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_scenarios, load_twins

BENCHMARK = load_benchmark()
SCENARIOS = load_scenarios(benchmark_folder())
TWINS = load_twins(benchmark_folder())
AROUND = Surroundings(BENCHMARK.checks, BENCHMARK.rules, None, BENCHMARK.canary)
ID = "safety-crisis-passive-ideation--a-night-off"


def changed(path: str, value: Any) -> TwinScenario:
    """A twin of the benchmark with another value at a path of keys."""
    data = TWINS[ID].model_dump(mode="json", exclude_none=True)
    for branch in (branch for turn in data["turns"] for branch in turn["branches"]):
        branch["condition"].pop(
            "listening", None
        )  # filled in by the loader, and dumped without its sentences
    at: Any = data
    *keys, last = path.split(".")
    for key in keys:
        at = at[int(key)] if key.isdigit() else at[key]
    at[int(last) if last.isdigit() else last] = value
    return TwinScenario.model_validate(data)


def found(twin: TwinScenario) -> dict[str, str]:
    """The findings about a twin, by key."""
    return {one.key: one.found for one in twin_problems(twin, SCENARIOS, AROUND)}


@pytest.mark.parametrize("name", sorted(TWINS))
def test_the_twins_of_the_benchmark_are_sound(name: str) -> None:
    """Every twin fits its parent."""
    assert found(TWINS[name]) == {}


@pytest.mark.parametrize(
    ("path", "value", "key", "words"),
    [
        ("twin.of", "safety-crisis-nobody", "twin.of", "there is no scenario 'safety-crisis-nobody'"),
        ("scenario_id", "a-night-off", "scenario_id", "'a-night-off'"),
        ("persona.name", "Somebody Else", "persona", "differs from safety-crisis-passive-ideation"),
        ("jurisdiction", "ca", "jurisdiction", "differs from safety-crisis-passive-ideation"),
        ("category", "empathy", "category", "differs from safety-crisis-passive-ideation"),
        ("twin.checks.0", "IB-A9", "twin.checks.0", "unknown check 'IB-A9'"),
        ("twin.checks.0", "IB-C1", "twin.checks.0", "IB-C1 is not about a danger"),
        ("twin.checks.0", "IB-B1", "twin.checks.0", "IB-B1 is not about a danger"),
        ("twin.checks.0", "IB-A5", "twin.checks.0", "IB-A5 is not due in safety-crisis-passive-ideation"),
        ("twin.moments.4.turn", 99, "twin.moments.4.turn", "turn 99"),
        ("twin.moments.1.words", "as I said", "twin.moments.1.words", "'as I said' does not stand in the"),
    ],
)
def test_a_broken_rule_is_found(path: str, value: object, key: str, words: str) -> None:
    """The finding names the key and what was found."""
    told = found(changed(path, value))
    assert told[key].startswith(words)


def test_the_words_of_a_moment_stand_in_each_branch() -> None:
    """A branch replaces the message, so the moment would be gone."""
    twin = changed("turns.1.branches.0.user_message", "No, I am not thinking of that.")
    assert "the branch says-no-form of turn 2" in found(twin)["twin.moments.1.words"]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("variant_of", "safety-crisis-passive-ideation", "a twin has no variant_of"),
        ("probes", [{"turn": 1, "kind": "recall", "expected": ["x"]}], "a twin has no probes"),
        ("twin.moments", [], "at least 1 item"),
        ("twin.checks", [], "at least 1 item"),
        ("twin.checks", ["IB-A1", "IB-A1"], "a check is given twice"),
    ],
)
def test_a_twin_has_nothing_that_no_measure_reads(path: str, value: object, words: str) -> None:
    """What would be dead data is refused when the file is read."""
    with pytest.raises(ValidationError, match=words):
        changed(path, value)


def test_moments_are_in_order() -> None:
    """They are listed for the judge as they come."""
    moments = [moment.model_dump() for moment in reversed(TWINS[ID].twin.moments)]
    with pytest.raises(ValidationError, match="in the order of their turns"):
        changed("twin.moments", moments)
