"""The README tells the numbers of today, and its commands do what it says."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from ib.cli import run
from ib.store.benchmark.characters import character_paths
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_scenarios, load_twins
from ib.testing import Conditions, LoopbackServer
from tests.commands.test_live import judges, says

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
IN_WORDS = {6: "six", 7: "seven", 8: "eight"}


def test_the_readme_counts_right() -> None:
    """Checks, scenarios, safe twins, reference assistants, and the conversations of the demonstration."""
    root = benchmark_folder()
    core = [scenario for scenario in load_scenarios(root).values() if scenario.set is None]
    published = [scenario for scenario in core if scenario.published]
    assert f"asks {len(load_benchmark().checks)} narrow questions" in README
    twins = [twin for twin in load_twins(root).values() if twin.set is None]
    assistants = character_paths(root)
    text = " ".join(README.split())
    assert f"plays {len(published)} scenarios and {len(twins)} safe twins" in text
    assert f"against {IN_WORDS[len(assistants)]} reference assistants" in text
    assert f"the {(len(published) + len(twins)) * len(assistants)} conversations" in text


def commands(heading: str) -> Iterator[list[str]]:
    """The commands of the first shell example below a heading, without `ib`."""
    section = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    for line in re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[0].splitlines():
        words = shlex.split(line, comments=True)
        if words[0] == "ib":
            yield words[1:]


def answer(model: str, messages: list[dict[str, str]]) -> str:
    """The model under test and the judge of the README, by their names."""
    return says(model, messages) if model == "gpt-4o-mini" else judges(model, messages)


@pytest.mark.gate
def test_a_researcher_measures_a_model_by_the_readme_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run, plan, scan, gate, publish and site, with two scenarios and a server in place of the provider."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "readme")
    monkeypatch.setattr("ib.client.client.Patience.first_wait", 0.01)
    steps = list(commands("Measure a model"))
    assert [step[0] for step in steps] == ["run", "scan", "scan", "qa", "publish", "site"]
    with LoopbackServer(answer, Conditions(rate_limit=0.02, server_error=0.02)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        for step in steps:
            before = server.seen.requests
            less = ["--limit", "2"] if step[0] == "run" else []
            assert run([*step, *less]) == 0, (step, capsys.readouterr().err)
            asks = step[0] in ("run", "scan") and "--dry-run" not in step
            assert (server.seen.requests > before) == asks, step
    board = json.loads((tmp_path / "release" / "leaderboard.json").read_text())
    assert (board["stage"], board["judge"]["model"]) == ("research", "openai/gpt-4o")
    assert [model["model_id"] for model in board["models"]] == ["openai/gpt-4o-mini"]
    assert "DEMONSTRATION" not in (tmp_path / "site" / "index.html").read_text()
