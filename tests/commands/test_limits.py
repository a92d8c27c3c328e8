"""The limits of calls and dollars hold over all sessions of a run or scan, also through kills."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.limits import Trial
from ib.models.scan.cost import Attempt
from ib.store.folders import scans
from ib.store.folders.calls import CallList
from ib.testing.conditions import Conditions
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
MODEL = "openai/some-model"
CLAUDE = "anthropic/claude-sonnet-4-5"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "loopback" + "Zq7Kd0vLm2Xw9Rt4Yb6N")


def judges(model: str, messages: Messages) -> str:
    """A judge that passes everything, and a model under test that says one sentence."""
    return "That is a lot." if model == "played" else passing_reply(messages[-1]["content"])


@pytest.mark.parametrize("seed", [1, 3, 5, 8])
def test_a_scan_costs_at_most_its_limit_and_one_call(seed: int, tmp_path: Path) -> None:
    """With replies of 10 to 16,000 tokens, without --max-tokens, over two sessions, many calls at once."""
    outcome = Trial(seed).run(tmp_path)
    assert list(outcome.problems()) == []
    assert outcome.stopped


@pytest.mark.parametrize("seed", [0, 2])
def test_a_killed_scan_costs_at_most_its_limit_and_one_call(seed: int, tmp_path: Path) -> None:
    """Calls that a kill ended count as spent, and the cost report has them."""
    outcome = Trial(seed, kills=2).run(tmp_path)
    assert list(outcome.problems()) == []
    assert outcome.stopped


def test_the_limit_of_calls_is_that_of_all_sessions(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """The same limit with --resume allows no further call; a higher one allows the difference."""
    scan = ("scan", transcripts(row()), "--profile", "publish", "--judge", MODEL, "--no-cache")
    run = ("run", "-m", "openai/played", "-c", "continuity", "--scenario-parallel", 4)
    for command in (scan, run):
        with LoopbackServer(judges) as server:
            base = (*command, "--base-url", server.base_url, "--out", tmp_path / command[0])
            for limit, more in ((10, ()), (10, ("--resume",)), (14, ("--resume",))):
                code, _, err = ib(*base, "--max-calls", limit, *more)
                assert (code, "--max-calls" in err) == (4, True), err
                assert server.seen.answered == limit
            with CallList(tmp_path / command[0]) as calls:  # a session that was killed during a call
                calls.begin(Attempt(key="0" * 64, model=MODEL))
            assert ib(*base, "--max-calls", 15, "--resume")[0] == 4
            assert server.seen.answered == 14, "the lost call counts"


def test_claude_is_sent_a_bounded_limit_of_tokens(ib: Call, transcripts: Write) -> None:
    """Not the model's maximum, which litellm would send: 8,192 and the budget for reasoning, in the plan."""
    scan = ("scan", transcripts(row()), "--profile", "publish", "--judge", CLAUDE)
    run = ("run", "-m", CLAUDE, "-c", "continuity")
    for more, tokens in (
        ((), 8_192),
        (("--max-tokens", 500), 500),
        (("--extra", "max_completion_tokens=700"), None),
        (("--reasoning-tokens", 2_000), 10_192),
        (("--reasoning-tokens", 60_000), 64_000),
    ):
        judge = planned(ib, *scan, *more)["judge"]["params"]
        (model,) = planned(ib, *run, *more)["models"]
        assert judge.get("max_tokens") == model["sampling"].get("max_tokens") == tokens
    assert "max_tokens" not in planned(ib, *scan[:-1], "openai/gpt-4o")["judge"]["params"]


def test_the_plan_counts_reasoning_only_where_it_is_on(ib: Call, transcripts: Write) -> None:
    """Claude can reason, and does so only on request: else the plan has the tokens of replies alone."""
    run = ("run", "-m", CLAUDE, "-c", "continuity")
    (plain,), (low,) = (planned(ib, *run, *more)["cost"] for more in ((), ("--reasoning-effort", "low")))
    assert plain["output_tokens"] == plain["calls"] * 590
    assert low["output_tokens"] == low["calls"] * (590 + 250)


def planned(ib: Call, *arguments: object) -> dict[str, Any]:
    """The plan of a dry run."""
    code, out, err = ib(*arguments, "--dry-run", "--json")
    assert code == 0, err
    plan: dict[str, Any] = json.loads(out)["plan"]
    return plan


def test_a_limit_that_makes_a_scan_slow_is_said(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """A reply of o3 can cost 80 cents: at a limit of $1 the calls run nearly one by one."""
    with LoopbackServer(judges) as server:
        base = ("scan", transcripts(row()), "--judge", "openai/o3", "--base-url", server.base_url)
        for number, (more, said) in enumerate((((), True), (("--max-tokens", 500), False))):
            out = ("--max-cost-usd", 1, "--no-cache", "--out", tmp_path / f"scan-{number}")
            code, _, err = ib(*base, "--profile", "dev", *more, *out)
            assert (code, "lets few calls run at once" in err) == (0, said), err


def test_a_paid_call_keeps_the_folder(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """A limit between a reply that was cut off and its repetition: no answer, and still a paid call."""
    with LoopbackServer(judges, Conditions(length=1.0)) as server:
        base = (
            "scan", transcripts(row()), "--profile", "dev", "--judge", MODEL, "--base-url", server.base_url,
            "--max-tokens", 50, "--max-calls", 1, "--no-cache", "--out", tmp_path / "scan",
        )  # fmt: skip
        for more in ((), ("--resume",)):
            assert ib(*base, *more)[0] == 4
            assert server.seen.answered == 1


def test_a_call_that_is_paid_for_twice_is_counted(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """A reply that the journal does not have is asked for again: the cost report says how many were."""
    out, path = tmp_path / "scan", transcripts(row())
    with LoopbackServer(judges) as server:
        base = (
            "scan", path, "--profile", "publish", "--judge", MODEL, "--base-url", server.base_url,
            "--no-cache", "--out", out,
        )  # fmt: skip
        assert ib(*base, "--max-calls", 10)[0] == 4
        journal = (out / scans.REPLIES).read_bytes().splitlines(keepends=True)
        (out / scans.REPLIES).write_bytes(b"".join(journal[:-3]))  # a kill between the call and the journal
        code, _, err = ib(*base, "--max-calls", 10_000, "--resume")
        assert code == 0, err
    (spending,) = json.loads((out / scans.COST).read_text())["spending"]
    assert (spending["calls"], spending["calls_again"]) == (server.seen.answered, 3)
    assert len((out / scans.REPLIES).read_text().splitlines()) - 1 == server.seen.answered - 3
