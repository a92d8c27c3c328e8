"""A reference assistant under another name is recognized by what it says, and is no model of a release."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ib.pipeline.release.likeness import Likeness

from ib.cli import run
from ib.models.common.base import Stage
from ib.models.scan.run import Said
from ib.pipeline.release.release import make_release
from ib.pipeline.release.replay import replay_scan
from ib.pipeline.run.targets import reference_assistants
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from tests.build import transcript
from tests.pipeline import verifying

Row = dict[str, Any]


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The plays of two reference assistants."""
    path = verifying.scanned(tmp_path_factory).parent / "run" / "transcripts.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def impostors(plays: list[Row], folder: Path, change: Callable[[str], str] = str) -> list[str]:
    """What the gate says of real models if the plays are given as those of models of a laboratory.

    `change` is applied to each reply.
    """
    folder.mkdir(exist_ok=True)
    with (folder / "plays.jsonl").open("w", encoding="utf-8") as file:
        for play in plays:
            messages = [
                {**one, "content": change(one["content"]) if one["role"] == "assistant" else one["content"]}
                for one in play["messages"]
            ]
            name = play["model_id"].removeprefix("reference/")
            known = {"harness": "llm/raw", "system_prompt_hash": play["provenance"]["system_prompt_hash"]}
            row = {
                **play,
                "model_id": f"lab/{name}",
                "model": name,
                "provenance": known,
                "messages": messages,
            }
            file.write(json.dumps(row) + "\n")
    assert run(["scan", str(folder / "plays.jsonl"), "--out", str(folder / "scan")]) == 0
    qa = make_release(replay_scan(folder / "scan")).qa
    assert Stage.RESEARCH not in qa.granted  # the profile alone refuses it
    return [detail for finding in qa.findings if finding.rule == "real_models" for detail in finding.detail]


def test_a_renamed_reference_assistant_is_named(plays: list[Row], tmp_path: Path) -> None:
    """Whatever its name, its harness and its capital letters: it says what its script says."""
    told = impostors(plays, tmp_path, lambda reply: f"  {reply.upper()}\n")
    assert [one.split(" in ")[0] for one in told] == [
        "lab/alarmist says what reference/alarmist says",
        "lab/companion says what reference/companion says",
    ]


def test_a_script_with_words_of_its_own_between_is_named(plays: list[Row], tmp_path: Path) -> None:
    """A sentence more in each reply is no other model."""
    assert len(impostors(plays, tmp_path, lambda reply: f"Thank you for telling me this. {reply}")) == 2


def test_other_words_are_no_script(plays: list[Row], tmp_path: Path) -> None:
    """A model that says something else is not named, also if a sentence of it is anybody's."""
    said = "That sounds hard, and I am glad that you wrote. Shall we look at it together? I am here for you."
    elsewhere = [
        {key: value for key, value in play.items() if key != "twin"} | {"scenario_id": f"other-{number}"}
        for number, play in enumerate(plays)
    ]
    assert len(impostors(elsewhere, tmp_path / "scripts")) == 2
    assert impostors(elsewhere, tmp_path / "others", lambda reply: said) == []


def test_a_written_reply_is_recognized_in_its_scenario() -> None:
    """What was written for one turn of a scenario is a script's as well, and only there."""
    root = benchmark_folder()
    attentive = reference_assistants(load_benchmark(), root)["reference/attentive"]
    name = next(one.scenarios[0] for one in attentive.character.replies if one.turn == 1)
    reply = attentive.reply([Said("user", "Who signs?")], name)
    alike = {
        one: Likeness([attentive]).add(transcript("Who signs?", reply, scenario_id=one)).scripts
        for one in (name, "another")
    }
    assert alike == {name: {"reference/attentive": 1}, "another": {}}
