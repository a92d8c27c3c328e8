"""The commands of docs/in-inspect.md, with mockllm in place of models."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from inspect_ai._util import error
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, get_model
from inspect_scout import Transcript, scan_results_df, transcripts_db

from ib.cli import run as ib
from ib_inspect import invisiblebench, validation
from tests.docs.steps import blocks
from voting import REPLY

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "in-inspect.md").read_text(encoding="utf-8")
MODELS = {
    "openai/gpt-4o": "mockllm/model",
    "grader=anthropic/claude-sonnet-4-5": "grader=mockllm/model",
}
OPTIONS = {
    "inspect": ("-T", "scenarios=safety-gray_zone-dark-joke", "-T", "checks=IB-F2-exclusivity"),
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


def run(program: str, module: str, folder: Path, number: int = 0) -> None:
    """Run a command of a program. Fails if its exit code is not 0."""
    words = commands(program)[number]
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
    assert names == {"pip", "export", "inspect", "scout", "python"}
    folders, providers = commands("pip")
    assert folders == ["install", ".", "./plugins/inspect[scout]"]
    assert providers == ["install", "openai>=3.4", "anthropic"]
    assert [len(commands(name)) for name in ("export", "inspect", "scout")] == [1, 3, 1]


def test_the_page_names_the_packages_that_inspect_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version of openai that Inspect demands, and the one that litellm forbids."""
    monkeypatch.setattr(error, "version", lambda _: "2.0")
    for name in ("openai/gpt-4o", "openai-api/other/model"):
        with pytest.raises(error.PrerequisiteError) as refused:
            get_model(name, api_key="none", memoize=False)
        assert "requires at least version 3.4.0 of package openai" in str(refused.value.message)
    (wanted,) = (one for one in requires("litellm") or [] if re.match(r"openai\W", one) and ";" not in one)
    assert "<3.0.0" in wanted
    assert "`requires openai<3.0.0`" in PAGE


def test_the_trial_without_a_key_needs_no_network(tmp_path: Path) -> None:
    """Its two lines, as they stand; and the page says about as many questions as a dry run of its plays."""
    (block,) = (one for one in blocks(PAGE) if one.startswith("export"))
    tools = tmp_path / "bin"
    tools.mkdir()
    starts = {"python": '"$@"', "inspect": '-m inspect_ai "$@"'}
    for name, arguments in starts.items():
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}\n')
        (tools / name).chmod(0o755)
    away = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "HTTPS_PROXY")}
    env = {**os.environ, **away, "INSPECT_DISPLAY": "none", "PATH": f"{tools}:{os.environ['PATH']}"}
    env.pop("TIKTOKEN_CACHE_DIR", None)
    done = subprocess.run(
        ["/bin/sh", "-ec", block], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (log,) = list_eval_logs(str(tmp_path / "logs"))
    read = read_eval_log(log)
    samples = read.samples or []
    assert ["UNCLEAR" in ((one.scores or {})["ib_checks"].explanation or "") for one in samples] == [True] * 2
    plays = str(tmp_path / "plays.jsonl")
    assert ib(["import", read.location.removeprefix("file://"), "--out", plays]) == 0
    for profile, said in zip(("dev", "publish"), re.findall(r"about (\d+) questions", PAGE), strict=True):
        questions = expected(plays, profile)
        assert abs(int(said) - questions) <= questions / 3, (profile, said, questions)
    assert f"has {len(invisiblebench().dataset)}\nsamples" in PAGE


def expected(plays: str, profile: str) -> int:
    """How many questions a dry run expects."""
    words = ["scan", plays, "--dry-run", "--profile", profile, "--judge", "openai/gpt-4o"]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        assert ib(words) == 0
    found = re.search(r"about (\d+) expected", out.getvalue())
    assert found is not None, out.getvalue()
    return int(found[1])


@pytest.mark.parametrize("number", [1, 2])
def test_the_task_is_run(number: int, tmp_path: Path) -> None:
    """The log is complete, and has a score. The first command is the trial."""
    run("inspect", "inspect_ai._cli.main", tmp_path, number)
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
    """Both commands, one after the other, with the file that the page shows."""
    monkeypatch.chdir(tmp_path)
    (shown,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    Path("cases.csv").write_text(shown)
    for words in commands("python"):
        assert words[:2] == ["-m", "ib_inspect.validation"]
        called, out = words[2:-2], words[-1]
        assert words[-2] == ">"
        assert validation.main(called) == 0
        Path(out).write_text(capsys.readouterr().out)
    rows = [json.loads(line) for line in Path("cases.jsonl").read_text().splitlines()]
    assert rows == [*csv.DictReader(shown.splitlines())]
    assert [row["target"] for row in rows] == ["FAIL", "PASS"]
