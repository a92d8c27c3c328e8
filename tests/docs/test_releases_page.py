"""The page about releases that are kept: its commands work, with a server in place of a provider."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ib.cli import run
from ib.testing import LoopbackServer
from ib.testing.loopback import Messages
from tests.commands.test_live import judges
from tests.commands.test_release import Terminal
from tests.docs.steps import blocks, lines

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "releases.md").read_text("utf-8")
CHANGED, WITHHELD = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
JUDGE = ("--profile", "publish", "--judge", "openai/gpt-4.1-2025-04-14")
MODEL = "openai/gpt-4o-2024-08-06"
FEAR = "safety-crisis-afraid-of-hurting"
SHORT = ("-s", FEAR, "-s", "empathy-grief-who-am-i")
"""Two scenarios in place of all. The second has words of a draw."""
REFUSAL = "I won't help you lock him in. Who can sit with him tonight?"
"""What `lab/new-model` says in turn 5 of the first: a refusal that names the act."""
SETS = {"long": "safety-crisis-heat-tape", "ladder": "safety-crisis-door-alert"}
"""One story of each set."""


def answer(model: str, messages: Messages) -> str:
    """A judge that passes everything, and models. `new-model` names an act once."""
    if messages[0]["content"].startswith("You are a measuring instrument"):
        return judges(model, messages)
    asked = [message["content"] for message in messages if message["role"] == "user"]
    if model == "new-model" and len(asked) == 5 and "hurt him" in asked[-1]:
        return REFUSAL
    return f"I hear you. You wrote {len(asked[-1])} letters. I am {model}."


def again(model: str, messages: Messages) -> str:
    """The models after a change."""
    said = answer(model, messages)
    return said.replace("I hear you.", "Thank you.")


def played(out: str, *models: str) -> Path:
    """Transcripts of models of a lab."""
    named = [part for name in models for part in ("-m", f"openai/{name}")]
    assert run(["run", *named, *SHORT, "--max-calls", "1000", "--out", out]) == 0
    path = Path(out, "transcripts.jsonl")
    path.write_text(path.read_text("utf-8").replace('"openai/', '"lab/'), "utf-8")
    return path


def prepared(server: LoopbackServer) -> None:
    """A release of two models with its scan, and plays of a new model and of one that changed; a scan of
    another model in the public draw; releases of two sets."""
    assert run(["scan", str(played("old", "old-model", "other")), *JUDGE, "--out", "results/old"]) == 0
    assert run(["publish", "results/old"]) == 0
    server.answer = again
    played("new", "new-model", "other")
    assert run(["run", "-m", MODEL, *SHORT, "--out", "public"]) == 0
    assert run(["scan", "public/transcripts.jsonl", *JUDGE, "--out", "results/public"]) == 0
    for name, story in SETS.items():
        assert run(["run", "-m", "reference/companion", "-s", story, "--out", name]) == 0
        scan = ("scan", f"{name}/transcripts.jsonl", "--profile", "publish", "--judge", "scripts")
        assert run([*scan, "--out", f"{name}/scan"]) == 0
        assert run(["publish", f"{name}/scan", "--out", f"out/{name}"]) == 0


def ledger() -> Iterator[tuple[str, str | None, str]]:
    """Action, model and release of each line."""
    for line in map(json.loads, Path("data/releases/ledger.jsonl").read_text("utf-8").splitlines()):
        yield line["action"], line["model_id"], line["release"]


def named(word: str) -> str:
    """A word of the page; its ids of releases stand for the first two of the ledger."""
    ids = dict.fromkeys(re.findall(r"\d{4}-\d\d-\d\d-[0-9a-f]{8}", PAGE))
    if word not in ids:
        return word
    return list(dict.fromkeys(release for _, _, release in ledger()))[list(ids).index(word)]


@pytest.mark.gate
def test_the_commands_of_the_page_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Outputs on the page are those of the commands. A person at a terminal says yes to what is replaced."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "releases-page")
    said: dict[str, str] = {}
    with LoopbackServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        prepared(server)
        for step in (step for block in blocks(PAGE) for step in lines(block)):
            if step[0] == "openssl":
                Path(step[-1]).write_text("ab" * 32)
                continue
            capsys.readouterr()
            with pytest.MonkeyPatch.context() as patch:
                if step[1] in ("publish", "releases"):
                    patch.setattr("sys.stdin", Terminal("y\n"))
                program, *words = map(named, step)
                code = run([*words, *(SHORT if words[0] == "run" else ())])
            told = capsys.readouterr()
            assert (program, code) == ("ib", 0), (step, told.err)
            said[" ".join(step[1:])] = told.out + told.err
    assert CHANGED + WITHHELD in said["publish --add results/new"]
    later = said["publish --add results/public --gap results/private --draw private.key"]
    assert re.findall("withheld: (.*)  [0-9a-f]{12}  (.*)", later) == [
        ("lab/new-model:empathy-grief-who-am-i:2", "decided")
    ]
    assert REFUSAL in said["review held results/new 92646e45b714 --read"]
    actions = [(action, model) for action, model, _ in ledger()]
    assert actions[:7] == [
        ("released", None), ("added", "lab/old-model"), ("added", "lab/other"),
        ("released", None), ("added", "lab/new-model"), ("changed", "lab/other"), ("released", None),
    ]  # fmt: skip
    assert actions.index(("withdrawn", "lab/old-model")) < actions.index(("added", MODEL))
    assert actions.index(("added", MODEL)) < actions.index(("reinstated", None))
    of_gap = next(release for action, model, release in ledger() if (action, model) == ("added", MODEL))
    board = json.loads(Path("data/releases", of_gap, "leaderboard.json").read_bytes())
    assert {one["model_id"] for one in board["models"] if one.get("gap")} == {MODEL}
    assert all(Path("site/sets", name, "index.html").is_file() for name in SETS)
