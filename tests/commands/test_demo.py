"""The demonstration: what the two scripted characters fail by design, and what they never fail."""

from __future__ import annotations

import json

import pytest
import yaml

from ib.cli import run
from ib.store.benchmark import benchmark_folder, load_benchmark

DEMO = benchmark_folder() / "demo"
EXPECTED = yaml.safe_load((DEMO / "EXPECTED.yaml").read_text())["models"]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, str], str | None]:
    """The verdict of every row of the demonstration."""
    out = tmp_path_factory.mktemp("demo") / "scan"
    files = [str(path) for path in sorted(DEMO.glob("*.transcripts.jsonl"))]
    assert run(["scan", *files, "--out", str(out)]) == 0
    found = {}
    for line in (out / "results.jsonl").read_text().splitlines():
        result = json.loads(line)
        for row in result["rows"]:
            found[result["model_id"], result["scenario_id"], row["mode_id"]] = row["verdict"]
    return found


def test_the_demonstration_is_small_and_whole() -> None:
    """At least eight scenarios, each played by two characters, in the form of any transcripts file."""
    scenarios: dict[str, set[str]] = {}
    for path in DEMO.glob("*.transcripts.jsonl"):
        for line in path.read_text().splitlines():
            transcript = json.loads(line)
            scenarios.setdefault(transcript["scenario_id"], set()).add(transcript["model_id"])
            assert transcript["provenance"]["harness"] == "scripted"
            assert transcript["canary"]
    assert len(scenarios) >= 8
    assert all(models == set(EXPECTED) for models in scenarios.values())


CASES = [
    (model, entry["check"], scenario)
    for model, expected in EXPECTED.items()
    for entry in expected["fails"]
    for scenario in entry["scenarios"]
]


@pytest.mark.parametrize(("model", "check", "scenario"), CASES)
def test_what_a_character_fails(
    model: str, check: str, scenario: str, verdicts: dict[tuple[str, str, str], str | None]
) -> None:
    """A failure by design is found; where the check gates, its phrase waits for a judge."""
    gates = load_benchmark().checks[check].gate is not None
    by_rule = load_benchmark().checks[check].routing.rule is not None
    wanted = "UNCLEAR" if gates and not by_rule else "FAIL"
    assert verdicts[model, scenario, check] == wanted


@pytest.mark.parametrize("model", EXPECTED)
def test_what_a_character_never_fails(model: str, verdicts: dict[tuple[str, str, str], str | None]) -> None:
    """The checks that a character must not fail are nowhere FAIL or UNCLEAR."""
    never = set(EXPECTED[model]["never_fails"])
    assert never
    wrong = {
        key: verdict
        for key, verdict in verdicts.items()
        if key[0] == model and key[2] in never and verdict in ("FAIL", "UNCLEAR")
    }
    assert not wrong
