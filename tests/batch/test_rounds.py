"""A judge elsewhere, asked about the shards of a job in rounds: the rows of a scan; nothing is paid twice."""

from __future__ import annotations

import gzip
import hashlib
import json
import multiprocessing
import os
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ib.batch import asking, expand
from ib.cli import run
from ib.store.folders import scans
from ib.testing.conditions import Conditions
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.batch.test_parquet import written

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.gate
AGAIN = "Your earlier reply could not be counted"
SAID = "I'll always be here for you."
CHECKS = ["IB-B1", "IB-C1", "IB-F2-availability-promise"]
COUNT = 7
KEY = "sk-" + "loopback" + "Zq7Kd0vLm2Xw9Rt4Yb6N"


def judges(_: str, messages: Messages) -> str:
    """A judge that says PASS, FAIL or nothing that can be read, as the words of the question have it."""
    question = messages[-1]["content"]
    asked, again, _ = question.partition(AGAIN)
    chance = hashlib.sha256(asked.rstrip().encode()).digest()[0] % 4
    if chance == 0 and not again:
        return "Well. {"
    fail = re.search(r"^FAIL: ([a-z0-9_]+) \(", question, re.MULTILINE)
    if chance == 1 and fail is not None:
        told = json.loads(passing_reply(question))
        there = [{"turn": 1, "quote": SAID}]
        return json.dumps(told | {"verdict": "FAIL", "code": fail[1], "occurrences": there})
    return passing_reply(question)


@pytest.fixture(scope="module", autouse=True)
def environment() -> Iterator[None]:
    """A key that no provider gave out, no cache, and batches without long pauses."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("OPENAI_API_KEY", KEY)
        patched.setenv("IB_CACHE", "off")
        patched.setattr("ib.client.batcher.QUIET", 0.05)
        patched.setattr("ib.client.batcher.FIRST_POLL", 0.02)
        patched.setattr("ib.client.batcher.LONGEST_POLL", 0.02)
        yield


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(judges) as started:
        yield started


def made(count: int) -> list[dict[str, Any]]:
    """Short conversations on which a few checks are due."""
    return [
        {
            "id": f"log-{number}",
            "messages": [
                {"role": "user", "content": f"Up {number} times with Mom again."},
                {"role": "assistant", "content": SAID},
            ],
            "eligible_checks": CHECKS,
        }
        for number in range(count)
    ]


def write_logs(path: Path) -> Path:
    """A table of COUNT such conversations."""
    return written(made(COUNT), path)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_logs(tmp_path_factory.mktemp("logs") / "logs.parquet")


def judge_at(server: LoopbackServer) -> tuple[str, ...]:
    """The options that choose the judge at a server."""
    return ("--profile", "publish", "--judge", "openai/judge", "--base-url", server.base_url)


def scan(logs: Path, server: LoopbackServer, *more: object) -> int:
    """The exit code of a scan with the judge at a server."""
    limits = () if "--max-calls" in more else ("--max-calls", 1000)
    return run([str(one) for one in ("scan", logs, *judge_at(server), *limits, *more)])


def in_rounds(logs: Path, server: LoopbackServer, out: Path, *more: object) -> int:
    return scan(logs, server, "--engine", "local", "--shards", 3, "--workers", 1, "--out", out, *more)


@dataclass(frozen=True)
class Plain:
    """A scan without an engine."""

    folder: Path
    prompts: Counter[str]
    """How often its judge answered each prompt."""


@pytest.fixture(scope="module")
def plain(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Plain:
    folder = tmp_path_factory.mktemp("plain") / "scan"
    with LoopbackServer(judges) as server:
        assert scan(logs, server, "--out", folder) == 0
    return Plain(folder, server.seen.prompts)


def assert_same(out: Path, plain: Path) -> None:
    """The rows and the board of a job are those of a scan."""
    dense = sorted(line for file in (out / "rows").iterdir() for line in expand(file))
    assert dense == sorted((plain / scans.RESULTS).read_bytes().splitlines(keepends=True))
    assert b'"FAIL"' in b"".join(dense)
    job, board = (json.loads((folder / scans.BLINDSPOT).read_bytes())["models"] for folder in (out, plain))
    for model, counts in board.items():
        for part in ("checks", "gates", "refused_questions", "unreadable_questions"):
            assert job[model][part] == counts[part]


def answers_in(out: Path) -> int:
    """How many questions have a reply in the journal, or in the files that earlier rounds have put."""
    lines = (out / "judge" / scans.REPLIES).read_bytes().splitlines()[1:]
    for file in (out / "replies").glob("*"):
        lines += gzip.decompress(file.read_bytes()).splitlines()
    return len({json.loads(line)["key"] for line in lines})


def test_a_judged_job_is_the_scan_of_the_same_logs(
    logs: Path, server: LoopbackServer, plain: Plain, tmp_path: Path
) -> None:
    """The same rows, the same board, each question as often, the same plan and spending."""
    out = tmp_path / "out"
    assert in_rounds(logs, server, out) == 0
    assert_same(out, plain.folder)
    assert server.seen.prompts == plain.prompts
    job, scanned = (json.loads((at / scans.COST).read_bytes()) for at in (out / "judge", plain.folder))
    for name in ("planned_calls", "planned_calls_expected", "planned_calls_max", "planned_units", "spending"):
        assert job[name] == scanned[name], name
    assert (job["answered"], job["complete"]) == (plain.prompts.total(), True)
    assert in_rounds(logs, server, out, "--resume") == 0
    assert server.seen.prompts == plain.prompts, "a finished job asks nothing"


def test_a_stopped_job_asks_only_what_is_left(
    logs: Path, server: LoopbackServer, plain: Plain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One limit of calls for all shards and sessions; then rows as ever, and no question asked twice."""
    out = tmp_path / "out"
    for limit in (15, 31, 40):
        more = () if limit == 15 else ("--resume",)
        assert in_rounds(logs, server, out, "--max-calls", limit, *more) == 4
        assert server.seen.answered == limit == answers_in(out)
        assert "--max-calls" in capsys.readouterr().err
    assert in_rounds(logs, server, out, "--resume") == 0
    assert_same(out, plain.folder)
    assert server.seen.prompts == plain.prompts


@pytest.mark.parametrize("batch", [(), ("--batch",)], ids=["live", "batches"])
def test_the_limit_of_dollars_is_that_of_the_whole_job(
    logs: Path,
    server: LoopbackServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    batch: tuple[str, ...],
) -> None:
    """Over rounds, portions and sessions, no more is paid than the limit and one call."""
    monkeypatch.setattr(asking, "PORTION", 20_000)
    out, spent = tmp_path / "out", 0.0
    for limit in (0.004, 0.004, 0.006):
        more = ("--judge", "openai/gpt-4o-mini", "--max-tokens", 300, "--max-cost-usd", limit, *batch)
        assert in_rounds(logs, server, out, *more, *(("--resume",) if spent else ())) == 4
        assert "--max-cost-usd" in capsys.readouterr().err
        report = json.loads((out / "judge" / scans.COST).read_bytes())
        assert report["complete"] is False
        assert spent <= report["spent_usd"] <= limit + 0.0006
        spent = report["spent_usd"]
    assert spent > 0.003
    assert max(server.seen.prompts.values()) <= 5, "a question has at most five votes"


def test_a_killed_job_loses_what_was_under_way(
    logs: Path, server: LoopbackServer, plain: Plain, tmp_path: Path
) -> None:
    """SIGKILL to the process that asks, twice: no reply of the journal is asked for again."""
    out = tmp_path / "out"
    server.conditions = Conditions(latency=0.02)
    paid = Counter[str]()
    for kill_at in (12, 34):
        process = multiprocessing.get_context("spawn").Process(
            target=in_rounds, args=(logs, SimpleNamespace(base_url=server.base_url), out, "--resume")
        )
        process.start()
        while server.seen.answered < kill_at:
            assert process.is_alive()
            time.sleep(0.005)
        process.kill()
        process.join()
        paid.update(lost=server.seen.answered - answers_in(out))
    assert in_rounds(logs, server, out, "--resume") == 0
    assert_same(out, plain.folder)
    again = server.seen.prompts.total() - plain.prompts.total()
    assert 0 <= again <= paid["lost"]
    assert set(server.seen.prompts) == set(plain.prompts)


def test_a_killed_worker_asks_nothing_again(
    logs: Path, server: LoopbackServer, plain: Plain, tmp_path: Path
) -> None:
    """SIGKILL to a worker in every round: its shard is looked at again, and the judge does not notice."""
    out, killed = tmp_path / "out", list[int]()

    def kill(_: float = 0) -> None:
        while not done.is_set():
            for child in multiprocessing.active_children():
                if child.pid not in killed and len(killed) < 2:
                    killed.append(child.pid or 0)
                    os.kill(child.pid or 0, signal.SIGKILL)
            done.wait(0.01)

    done = threading.Event()
    thread = threading.Thread(target=kill)
    thread.start()
    try:
        assert in_rounds(logs, server, out, "--workers", 2) == 0
    finally:
        done.set()
        thread.join()
    assert len(killed) == 2
    assert_same(out, plain.folder)
    assert server.seen.prompts == plain.prompts


@pytest.mark.parametrize("portion", [10**9, 20_000], ids=["one portion", "many portions"])
def test_rounds_go_through_batches(
    logs: Path,
    server: LoopbackServer,
    plain: Plain,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    portion: int,
) -> None:
    """All questions of a round are in batches before one is waited for; nothing is asked live or twice."""
    monkeypatch.setattr(asking, "PORTION", portion)
    out = tmp_path / "out"
    assert in_rounds(logs, server, out, "--batch") == 0
    assert_same(out, plain.folder)
    assert (server.seen.requests, server.seen.prompts) == (0, plain.prompts)
    made = server.batches.created
    assert len(made) <= 6 if portion == 10**9 else len(made) > 10
    report = json.loads((out / "judge" / scans.COST).read_bytes())
    assert report["spending"] == json.loads((plain.folder / scans.COST).read_bytes())["spending"]


def test_batches_are_left_and_fetched(
    logs: Path, server: LoopbackServer, plain: Plain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --batch-detach each session submits the questions of a round, and pays for none twice."""
    monkeypatch.setattr(asking, "PORTION", 60_000)
    out, more = tmp_path / "out", ("--batch", "--batch-detach")
    assert in_rounds(logs, server, out, *more) == 4
    assert in_rounds(logs, server, out, "--resume") == 2, "an open batch is fetched first"
    for _ in range(20):
        if (code := in_rounds(logs, server, out, *more, "--resume")) == 0:
            break
        assert code == 4
    assert_same(out, plain.folder)
    assert (server.seen.requests, server.seen.prompts) == (0, plain.prompts)


def test_answers_of_an_earlier_batch_are_counted_once(
    logs: Path, server: LoopbackServer, plain: Plain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round that finds some answers and submits the rest takes no answer twice into its account."""
    monkeypatch.setattr(asking, "PORTION", 20_000)
    out = tmp_path / "out"
    assert in_rounds(logs, server, out, "--batch", "--batch-detach", "--max-calls", 10) == 4
    assert in_rounds(logs, server, out, "--batch", "--resume") == 0
    assert_same(out, plain.folder)
    assert (server.seen.requests, server.seen.prompts) == (0, plain.prompts)
    job, scanned = (json.loads((at / scans.COST).read_bytes()) for at in (out / "judge", plain.folder))
    assert job["spending"] == scanned["spending"]


def test_questions_without_an_answer_hold_their_shards_alone(
    logs: Path, server: LoopbackServer, plain: Plain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fault ends no round: other shards are done, and --resume asks only what has no answer."""
    out = tmp_path / "out"

    def faulty(model: str, messages: Messages) -> str:
        if "Up 3 times" in messages[-1]["content"]:
            raise KeyError("out of order")
        return judges(model, messages)

    server.answer = faulty
    assert in_rounds(logs, server, out) == 4
    err = capsys.readouterr().err
    assert "have no answer, the last for deterministic" in err
    assert "Shards that wait for them: 1" in err
    assert len(list((out / "done").iterdir())) == 2
    server.answer = judges
    assert in_rounds(logs, server, out, "--resume") == 0
    assert_same(out, plain.folder)
    assert server.seen.prompts == plain.prompts


def test_a_judge_that_cannot_do_the_work_is_soon_left(
    logs: Path, server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Until a reply counts, a round has few questions; after two such rounds the work ends."""
    server.answer = lambda model, messages: "I would rather not say."
    assert in_rounds(logs, server, tmp_path / "out") == 4
    assert "a reply that counts" in capsys.readouterr().err
    assert server.seen.answered == 40


def test_nothing_is_asked_about_broken_or_doubled_conversations(
    logs: Path, server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both are errors before the first question; broken ones can be left out."""
    broken = written([{"id": "x", "messages": []}], tmp_path / "broken.parquet")
    twice = written(made(1), tmp_path / "twice.parquet")
    assert in_rounds(logs, server, tmp_path / "a", broken) == 3
    assert "broken.parquet: row 1.messages" in capsys.readouterr().err
    assert in_rounds(logs, server, tmp_path / "b", twice, "--cluster", "rows") == 3
    assert "1 conversations are there twice" in capsys.readouterr().err
    assert server.seen.requests == 0
    assert in_rounds(logs, server, tmp_path / "c", broken, "--skip-broken") == 0
    assert f"judged {COUNT} conversations, left out 1" in capsys.readouterr().out


def test_a_dry_run_writes_nothing_and_says_what_a_scan_says(
    logs: Path, server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The calls and the cost of the plan, as without an engine, and no folder."""
    assert scan(logs, server, "--dry-run") == 0
    plan = capsys.readouterr().out
    assert in_rounds(logs, server, tmp_path / "out", "--dry-run") == 0
    said = capsys.readouterr().out
    assert said in plan
    assert "openai/judge: about " in said
    assert not (tmp_path / "out").exists()
    assert server.seen.requests == 0


def test_a_ledger_belongs_to_its_job(
    logs: Path, server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Paid replies are not forgotten because their journal is elsewhere, nor mixed with those of a job."""
    out, ledger = tmp_path / "out", tmp_path / "ledger"
    assert in_rounds(logs, server, out, "--ledger", ledger, "--max-calls", 30) == 4
    assert in_rounds(logs, server, out, "--resume") == 4
    assert "has no journal of a judge" in capsys.readouterr().err
    assert in_rounds(logs, server, tmp_path / "other", "--ledger", ledger, "--temperature", 0.5) == 4
    assert "ledger of another job" in capsys.readouterr().err
    assert in_rounds(logs, server, out, "--resume", "--temperature", 0.5) == 2
    assert "asked is" in capsys.readouterr().err
    assert server.seen.answered == 30
    assert in_rounds(logs, server, out, "--ledger", ledger, "--resume") == 0
