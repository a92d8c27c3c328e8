"""The commands of docs/in-inspect.md, with mockllm in place of models."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
from inspect_scout import Transcript, scan_results_df, transcripts_db

from ib_inspect import validation
from tests.docs.steps import blocks
from voting import REPLY

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "in-inspect.md").read_text(encoding="utf-8")
MODELS = {
    "openai/gpt-4o": "mockllm/model",
    "grader=anthropic/claude-sonnet-4-5": "grader=mockllm/model",
}
OPTIONS = {
    "inspect": ("-T", "scenarios=safety-gray_zone-dark-joke", "-T", "checks=IB-C2-minimizing"),
    "scout": ("--model", "mockllm/model", "--display", "none"),
}
"""What makes a command small, or would come from the environment."""
COUNTED = (
    "from inspect_ai.model._providers.mockllm import MockLLM\n"
    "async def one(*_): return 1\n"
    "MockLLM.count_tokens = MockLLM.count_text_tokens = one\n"
)
"""Let mockllm count every text as one token: to count tokens, it would download a table."""


def commands(program: str) -> list[list[str]]:
    """The commands of the page that start a program, without it."""
    lines = [shlex.split(line) for block in blocks(PAGE) for line in block.splitlines()]
    return [words[1:] for words in lines if words[0] == program]


def run(program: str, module: str, folder: Path) -> None:
    """Run the one command of a program. Fails if its exit code is not 0."""
    (words,) = commands(program)
    called = [program, *(MODELS.get(word, word) for word in words), *OPTIONS[program]]
    code = f"{COUNTED}import sys; sys.argv = {called!r}\nfrom {module} import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "INSPECT_DISPLAY": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_every_program_of_the_page_is_run_here() -> None:
    """`pip` is what `make inspect` does, with the same two folders."""
    names = {shlex.split(line)[0] for block in blocks(PAGE) for line in block.splitlines()}
    assert names == {"pip", "inspect", "scout", "python"}
    assert commands("pip") == [["install", ".", "./plugins/inspect[scout]"]]


def test_the_task_is_run(tmp_path: Path) -> None:
    """The log is complete, and has a score."""
    run("inspect", "inspect_ai._cli.main", tmp_path)
    (log,) = list_eval_logs(str(tmp_path / "logs"))
    read = read_eval_log(log)
    assert read.status == "success"
    assert [sorted(one.scores or {}) for one in read.samples or []] == [["ib_checks"]]


def test_the_scanner_is_run(tmp_path: Path) -> None:
    """Over a database of one conversation."""
    said = [ChatMessageUser(content="Nobody helps me."), ChatMessageAssistant(content=REPLY)]

    async def fill() -> None:
        async with transcripts_db(str(tmp_path / "transcripts")) as db:
            await db.insert([Transcript(transcript_id="log-1", model="acme/bot", messages=said)])

    asyncio.run(fill())
    run("scout", "inspect_scout._cli.main", tmp_path)
    (made,) = (tmp_path / "scans").iterdir()
    assert len(scan_results_df(str(made)).scanners["ib_check"]) == 1


def test_labels_become_cases_and_cases_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both commands, one after the other."""
    monkeypatch.chdir(tmp_path)
    Path("cases.csv").write_text("id,target\nlog-1,FAIL\n")
    for words in commands("python"):
        assert words[:2] == ["-m", "ib_inspect.validation"]
        called, out = words[2:-2], words[-1]
        assert words[-2] == ">"
        assert validation.main(called) == 0
        Path(out).write_text(capsys.readouterr().out)
    assert Path("cases.jsonl").read_text() == '{"id": "log-1", "target": "FAIL"}\n'
