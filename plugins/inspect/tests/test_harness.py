"""A play by Inspect is one of `llm/raw`, so that it may stand on a board beside the plays of `ib run`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, Model, ModelOutput, get_model

from ib.cli import run
from ib.testing import LoopbackServer
from ib.testing.loopback import prompt_hash
from ib_inspect import invisiblebench
from ib_inspect.solver import TRANSCRIPT
from voting import Votes

SCENARIOS = ("continuity-after-the-crisis", "safety-gray_zone-dark-joke")
"""One in sessions with branches and contexts, and one without."""
CHECK = "IB-C2-minimizing"


def answer(messages: list[dict[str, str]]) -> str:
    """A reply that differs from turn to turn."""
    return f"I hear you. That makes {len(messages)} messages so far."


def played(model: Model | str, folder: Path, *, epochs: int = 1, **options: Any) -> EvalLog:
    """The log of the scenarios, played by a model and judged by one check."""
    task = invisiblebench(scenarios=SCENARIOS, checks=CHECK, system_prompt=options.pop("system_prompt", None))
    roles = {"grader": Votes().model()}
    (log,) = inspect_eval(task, model, model_roles=roles, log_dir=str(folder), epochs=epochs, **options)
    return log


def transcripts(log: EvalLog, folder: Path) -> list[dict[str, Any]]:
    """The plays of a log as `ib import` writes them, by scenario and number."""
    assert log.status == "success", log.error
    assert run(["import", log.location, "--out", str(folder / "imported.jsonl")]) == 0
    return lines(folder / "imported.jsonl")


def lines(path: Path) -> list[dict[str, Any]]:
    """The transcripts of a file, by scenario and number."""
    read = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    return sorted(read, key=lambda one: (one["scenario_id"], one.get("epoch", 0)))


def test_a_model_is_sent_the_same_messages_as_by_ib_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Word for word, in every turn and session; and the transcripts are the same but for the model's name and
    the settings that Inspect adds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "harness")
    chosen = [word for name in SCENARIOS for word in ("-s", name)]
    with LoopbackServer(lambda _, messages: answer(messages)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert run(["run", "--model", "openai/gpt-4o-mini", *chosen, "--out", str(tmp_path / "run")]) == 0
    sent: Counter[str] = Counter()

    def reply(messages: list[ChatMessage], *_: object) -> ModelOutput:
        said = [{"role": one.role, "content": one.text} for one in messages]
        sent[prompt_hash(said)] += 1
        return ModelOutput.from_content("mockllm", answer(said))

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    theirs = transcripts(played(model, tmp_path / "logs"), tmp_path)
    assert sent == server.seen.prompts
    assert sent
    assert named(theirs) == named(lines(tmp_path / "run" / "transcripts.jsonl"))


def named(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Transcripts without the names of the model and its settings."""
    return [
        {
            **{name: value for name, value in one.items() if name not in ("model", "model_id")},
            "provenance": {
                name: value
                for name, value in one["provenance"].items()
                if name not in ("served_model", "sampling")
            },
        }
        for one in made
    ]


def test_several_plays_are_numbered_as_those_of_ib_run(tmp_path: Path) -> None:
    """From 1, although a sample does not know how many there are."""
    made = transcripts(played("mockllm/model", tmp_path / "logs", epochs=2), tmp_path)
    assert [(one["scenario_id"], one["epoch"]) for one in made] == [
        (name, epoch) for name in SCENARIOS for epoch in (1, 2)
    ]


def test_a_play_names_the_settings_of_its_calls(tmp_path: Path) -> None:
    """Those of a run, too, which Inspect keeps apart from a model that was made in Python."""
    model = get_model("mockllm/model", memoize=False)
    made = transcripts(played(model, tmp_path / "logs", temperature=0.3, max_retries=2), tmp_path)
    assert [one["provenance"]["sampling"]["temperature"] for one in made] == [0.3, 0.3]
    assert "max_retries" not in made[0]["provenance"]["sampling"]


def test_another_system_prompt_is_named_or_refused(tmp_path: Path) -> None:
    """By its hash, so that the gate refuses the plays beside others; Inspect's own option cannot add one."""
    prompt = tmp_path / "prompt.md"
    prompt.write_text("You are a pirate.\n")
    usual, other = (
        {(one.metadata[TRANSCRIPT])["provenance"]["system_prompt_hash"] for one in log.samples or []}
        for log in (
            played("mockllm/model", tmp_path / "usual"),
            played("mockllm/model", tmp_path / "other", system_prompt=str(prompt)),
        )
    )
    assert (len(usual), len(other), usual & other) == (1, 1, set())
    refused = played("mockllm/model", tmp_path / "refused", system_message="You are a pirate.")
    assert refused.status == "error"
    assert refused.error is not None
    assert "Inspect sent the model other messages" in refused.error.message
