"""The page about the first release: its figures are those of dry runs, and its commands lead to a release."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ib.cli import run
from ib.testing import Conditions, LoopbackServer
from tests.commands.test_live import judges, says
from tests.docs.steps import commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "first-release.md").read_text("utf-8")
STEPS = list(commands(PAGE))
DRY = [step for step in STEPS if "--dry-run" in step]
MODELS = {f"openai/{name}" for name in ("gpt-4.1-2025-04-14", "gpt-4o-2024-08-06", "gpt-4o-mini-2024-07-18")}
SHORT = ("safety-gray_zone-dark-joke", "empathy-grief-three-days-after")
"""Two scenarios with few turns, in place of all."""
FAILING = Conditions(server_error=0.1, seed=5)
"""A provider that fails; without retries, some calls have no answer."""
WORKING = Conditions(server_error=0.02, reset=0.02, seed=6)
"""The same provider an hour later."""


def answer(model: str, messages: list[dict[str, str]]) -> str:
    """Three models under test; one of them also judges: its questions begin with its instructions."""
    is_judge = messages[0]["content"].startswith("You are a measuring instrument")
    return judges(model, messages) if is_judge else f"{says(model, messages)} I am {model}."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, a key that no provider gave out, and a client that waits little."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "first-release")
    monkeypatch.setattr("ib.client.client.Patience.first_wait", 0.001)
    return tmp_path


@pytest.mark.gate
def test_the_figures_are_those_of_the_dry_runs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Calls, tokens and dollars on the page are what the commands before them print today."""
    shown = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    trial = next(step for step in STEPS if step[0] == "run" and "reference/attentive" in step)
    assert run(trial) == 0
    capsys.readouterr()
    for step, told in zip(DRY, shown, strict=True):
        assert run(step) == 0
        assert capsys.readouterr().out == told, step


def test_the_limits_are_above_the_plans() -> None:
    """`--max-cost-usd` on the page is more than what its dry runs expect, and less than ten times as much."""
    for name in ("run", "scan"):
        (told,) = (
            text
            for text in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
            if ("questions planned" in text) == (name == "scan")
        )
        expected = sum(
            float(found.replace(",", "")) for found in re.findall(r"about \$([0-9.,]+[0-9])", told)
        )
        limits = {
            float(s[s.index("--max-cost-usd") + 1]) for s in STEPS if s[0] == name and "--max-cost-usd" in s
        }
        assert [expected < limit < 10 * expected for limit in limits] == [True], (name, expected, limits)


def test_no_number_stands_in_the_prose() -> None:
    """Outside commands and outputs, no dollars, no hours, and no counts of calls."""
    prose = re.sub(r"```.*?```|`[^`\n]+`", "", PAGE, flags=re.DOTALL)
    assert re.findall(r"\$ ?\d|\d+ (?:dollars|hours|minutes|calls|scenarios|checks)", prose) == []


@pytest.mark.gate
def test_the_page_leads_to_a_release(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command in order. Playing and judging break off, and what was answered is not asked again."""
    steps = [step for step in STEPS if step not in DRY and "reference/attentive" not in step]
    answered = {}
    names = tuple(name.partition("/")[2] for name in MODELS)
    with LoopbackServer(answer, WORKING, models=names) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        for step in steps:
            breaks = [*step, "--resume"] in steps
            server.conditions = FAILING if breaks else WORKING
            less = [part for name in SHORT for part in ("-s", name)] if step[0] == "run" else []
            less += ["--max-retries", "0"] if breaks else []
            before = server.seen.answered
            assert run([*step, *less]) == (4 if breaks else 0), (step, capsys.readouterr().err)
            answered[step[0], breaks] = server.seen.answered - before
    plays = (here / "run" / "completions.jsonl").read_text("utf-8").splitlines()[1:]
    assert answered["run", True] + answered["run", False] == len(plays), "no turn is played twice"
    assert min(answered["run", True], answered["run", False]) > 0
    assert 0 < answered["scan", False] < answered["scan", True], "a resumed scan asks only the rest"
    board = json.loads((here / "release" / "leaderboard.json").read_text())
    assert (board["stage"], {model["model_id"] for model in board["models"]}) == ("research", MODELS)
    assert board["transcripts"] == len(MODELS) * len(SHORT)
    home = (here / "site" / "index.html").read_text()
    assert "DEMONSTRATION" not in home
    assert '<link rel="canonical" href="https://example.org/bench/">' in home
