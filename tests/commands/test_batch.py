"""Judging in batches of a provider: submitted, left alone, fetched, and never paid for twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.store.folders import scans
from ib.store.folders.batches import BATCHES, BatchList
from ib.testing.batches import BatchConditions
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
MODEL = "openai/some-model"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out, and rounds and polls without long pauses."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "loopback" + "Zq7Kd0vLm2Xw9Rt4Yb6N")
    monkeypatch.setattr("ib.client.batcher.QUIET", 0.1)
    monkeypatch.setattr("ib.client.batcher.FIRST_POLL", 0.02)
    monkeypatch.setattr("ib.client.batcher.LONGEST_POLL", 0.02)


def judges(model: str, messages: Messages) -> str:
    """A judge that passes everything."""
    return passing_reply(messages[-1]["content"])


def arguments(path: Path, server: LoopbackServer, *more: object) -> tuple[object, ...]:
    return (
        "scan", path, "--profile", "publish", "--judge", MODEL, "--base-url", server.base_url,
        "--max-calls", 10_000, "--temperature", 0.5, "--max-tokens", 900, "--extra", "logprobs=true", *more,
    )  # fmt: skip


def results(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in (scans.RESULTS, scans.REPLIES, scans.PLAN)]


def journaled(folder: Path) -> int:
    """The number of replies in the journal."""
    return (folder / scans.REPLIES).read_bytes().count(b"\n") - 1


def test_a_scan_in_batches_is_the_scan_of_live_calls(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """The same bytes, one batch for each round of all transcripts, and the same requests."""
    path = transcripts(row(), row(scenario="night-02"))
    with LoopbackServer(judges) as server:
        assert ib(*arguments(path, server), "--out", tmp_path / "live")[0] == 0
        asked, told = server.seen.requests, server.seen.parameters[-1]
        code, _, err = ib(*arguments(path, server), "--batch", "--out", tmp_path / "batch")
        assert code == 0, err
        assert server.seen.requests == asked, "nothing was asked live"
        batches = server.batches
    assert results(tmp_path / "live") == results(tmp_path / "batch")
    files = [batches.files[made["input_file_id"]] for made in batches.created]
    lines = [json.loads(line) for file in files for line in file.splitlines()]
    assert len(lines) == asked
    bodies = [{name: value for name, value in line["body"].items() if name != "messages"} for line in lines]
    assert told["logprobs"] is True
    assert bodies == [told] * asked
    assert len(batches.created) <= 3


def test_submit_leave_and_come_back(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """With --batch-detach the scan ends after each round; --resume fetches; no line is submitted twice."""
    path, out = transcripts(row()), tmp_path / "scan"
    with LoopbackServer(judges) as server:
        code, _, err = ib(*arguments(path, server), "--batch", "--batch-detach", "--out", out)
        assert (code, "--resume" in err) == (4, True)
        assert (out / BATCHES).exists()
        for _ in range(6):
            code, _, err = ib(*arguments(path, server), "--batch", "--batch-detach", "--out", out, "--resume")
            if code == 0:
                break
        assert code == 0, err
        assert server.seen.requests == 0, "nothing was asked live"
        assert server.seen.answered == journaled(out)


def test_an_open_batch_is_not_paid_again(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Without --batch the scan is refused as long as the answers of a batch were not fetched."""
    path, out = transcripts(row()), tmp_path / "scan"
    with LoopbackServer(judges) as server:
        assert ib(*arguments(path, server), "--batch", "--batch-detach", "--out", out)[0] == 4
        code, _, err = ib(*arguments(path, server), "--out", out, "--resume")
        assert (code, "go on with --batch and --resume" in err) == (2, True), err
        assert server.seen.requests == 0
        code, _, err = ib(*arguments(path, server), "--batch", "--out", out, "--resume")
        assert (code, BatchList(out).open, server.seen.answered) == (0, (), journaled(out)), err
        spending = json.loads((out / scans.COST).read_text())["spending"]
        assert [(one["calls"], one["calls_lost"], one["calls_again"]) for one in spending] == [
            (server.seen.answered, 0, 0)
        ]


@pytest.mark.parametrize("told", [True, False], ids=["id is known", "killed while submitting"])
def test_a_batch_of_a_killed_scan_is_found_again(
    ib: Call, transcripts: Write, tmp_path: Path, told: bool
) -> None:
    """By its id, or by the token in its metadata if the scan was killed before it knew the id."""
    path, out = transcripts(row()), tmp_path / "scan"
    with LoopbackServer(judges) as server:
        assert ib(*arguments(path, server), "--batch", "--batch-detach", "--out", out)[0] == 4
        lines = (out / BATCHES).read_bytes().splitlines(keepends=True)
        assert len(lines) == 2
        if not told:
            (out / BATCHES).write_bytes(lines[0] + b'{"batch":"ba')
        code, _, err = ib(*arguments(path, server), "--batch", "--out", out, "--resume")
        assert (code, "of an earlier session" in err) == (0, True)
        assert server.seen.answered == journaled(out)
        assert server.seen.requests == 0


def test_a_batch_that_was_never_submitted_is_submitted_again(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """The scan was killed after it had written down what it was going to do."""
    path, out = transcripts(row()), tmp_path / "scan"
    with LoopbackServer(judges) as first:
        assert ib(*arguments(path, first), "--batch", "--batch-detach", "--out", out)[0] == 4
        port = first.port
    lines = (out / BATCHES).read_bytes().splitlines(keepends=True)
    (out / BATCHES).write_bytes(lines[0])
    with LoopbackServer(judges, port=port) as second:
        code, _, err = ib(*arguments(path, second), "--batch", "--out", out, "--resume")
        assert code == 0, err
        assert second.seen.answered == journaled(out)


@pytest.mark.parametrize(
    "conditions",
    [BatchConditions(failed_lines=0.2), BatchConditions(expired=1), BatchConditions(stuck=True)],
    ids=["failed lines", "expired", "deadline"],
)
def test_what_a_batch_leaves_is_asked_live(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conditions: BatchConditions
) -> None:
    """Lines that fail, an expired batch, a batch that does not end in time: the results are whole."""
    path = transcripts(row())
    deadline = ("--batch-deadline", 0.0001) if conditions.stuck else ()
    with LoopbackServer(judges, batches=conditions) as server:
        code, _, err = ib(*arguments(path, server), "--batch", *deadline, "--out", tmp_path / "scan")
        assert code == 0, err
        assert 0 < server.seen.requests < journaled(tmp_path / "scan")
        assert server.seen.answered == journaled(tmp_path / "scan"), "nothing was paid twice"
        assert ("not ended in time" in err) == conditions.stuck
        ends = {made["status"] for made in server.batches.created}
    assert conditions.failed_lines or ends & {"expired", "cancelled"}


def test_a_refused_batch_ends_the_scan(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Exit 4 with the provider's words: asking everything live would cost twice what was planned."""
    with LoopbackServer(judges, batches=BatchConditions(refused=True)) as server:
        code, _, err = ib(*arguments(transcripts(row()), server), "--batch", "--out", tmp_path / "scan")
        assert (code, "refused batch" in err, "not valid" in err) == (4, True, True)
        assert server.seen.answered == 0


def test_a_batch_needs_a_model_at_a_provider_with_batches(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Usage errors, before any call."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-" + "nobody" + "Zq7Kd0vLm2Xw9Rt4Yb6N")
    path = transcripts(row())
    for judge, words in (("lexical", "PROVIDER/MODEL"), ("anthropic/claude-3-haiku-20240307", "anthropic")):
        code, _, err = ib(
            "scan", path, "--profile", "publish", "--judge", judge, "--batch", "--max-calls", 9,
            "--out", tmp_path / "scan",
        )  # fmt: skip
        assert (code, "--batch" in err, words in err) == (2, True, True)
        assert not (tmp_path / "scan").exists()
    code, _, err = ib("scan", path, "--batch-detach", "--out", tmp_path / "scan")
    assert (code, "needs --batch" in err) == (2, True)


def test_a_batch_shows_no_lines_of_calls_and_says_its_cost(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches tell their own state; the end says what they cost, and the log lists each call."""
    monkeypatch.setattr("ib.commands.progress.EVERY", -1.0)
    path, log = transcripts(row()), tmp_path / "log.jsonl"
    with LoopbackServer(judges) as server:
        code, _, err = ib(*arguments(path, server), "--batch", "--log-file", log, "--out", tmp_path / "scan")
    assert code == 0, err
    assert "calls answered" not in err
    assert f"cost: {server.seen.answered} calls, " in err
    assert log.read_bytes().count(b'"kind": "answered"') == server.seen.answered


def test_an_exam_in_batches_is_the_exam_of_live_calls(ib: Call, tmp_path: Path) -> None:
    """The same outcomes and report; and another judge can be put beside it."""
    with LoopbackServer(judges) as server:
        called = ("--base-url", server.base_url, "--max-calls", 10_000, "--no-cache")
        asked = ("--check", "IB-C2-othering", "--items", 2, *called)
        for name, judge, more in (
            ("live", MODEL, ()),
            ("batch", MODEL, ("--batch",)),
            ("other", "openai/b", ()),
        ):
            code, _, err = ib("exam", "--judge", judge, *asked, *more, "--out", tmp_path / name)
            assert code == 0, err
        assert server.batches.created
    for name in ("outcomes.jsonl", "report.json", "items.jsonl"):
        assert (tmp_path / "live" / name).read_bytes() == (tmp_path / "batch" / name).read_bytes()
    code, said, _ = ib("exam", "compare", tmp_path / "batch", tmp_path / "other", "--json")
    every = json.loads(said)["checks"][0]
    assert (code, every["wrong"], every["both_wrong"], every["left"]["k"]) == (0, [2, 2], 2, 2)
