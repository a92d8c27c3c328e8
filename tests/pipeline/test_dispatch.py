"""Sending requests to a judge: in plan order, journaled before use, never twice."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ib.engine.engine import ModeEngine
from ib.engine.protocol import Asking
from ib.models.ballot import NO_QUOTE
from ib.models.base import Route
from ib.models.canonical import compact
from ib.models.judge import Answer, Fault, FaultKind, JudgeReply, JudgeRequest, NotRecorded
from ib.models.result import TranscriptResult
from ib.pipeline.dispatch import Dispatcher
from ib.store.journal import VOTES, Journal
from ib.testing.judges import RemoteScriptedJudge, ScriptedJudge
from tests.build import (
    FAIL,
    PASS,
    UNCLEAR,
    benchmark,
    check,
    claims,
    engine,
    gate_check,
    hash_of,
    lexicon,
    reply,
    transcript,
)
from tests.store.journals import load_replies

WORLD = benchmark(
    gate_check("IB-A1"),
    check("IB-B3", route=Route.EXTRACT_THEN_CORPUS),
    check("IB-C1", route=Route.HYBRID_LLM, lexicon="words"),
    check("IB-D1-a"),
    lexicons=(lexicon(proposing=("always here",)),),
)
SAID = [
    transcript("u", f"I am always here, {n}.", "u", f"Rest {n}.", scenario_id=f"scenario-{n}")
    for n in range(12)
]
PLAN = "0" * 64


def verdict(request: JudgeRequest) -> JudgeReply:
    """A reply that depends on the request alone: votes split, words not found, claims, faults."""
    n = int(request.key[:8], 16)
    if "Extract from" in request.user:
        return claims((1, "I am always here"))
    if n % 11 == 0:
        return Fault(FaultKind.TRANSIENT, "503")
    if n % 7 == 0:
        return Answer("unreadable")
    quote = "I am always here" if n % 3 else "nobody said this"
    return (reply(PASS), reply(FAIL, quote, turn=1), reply(UNCLEAR))[n % 3 if n % 5 else 1]


def elsewhere(seed: int, asked: Counter[str] | None = None) -> RemoteScriptedJudge:
    """The same judge behind an await; its answers arrive in another order for each seed."""
    chance = random.Random(seed)  # noqa: S311  # the order of arrival, not a secret

    async def answer(request: JudgeRequest) -> JudgeReply:
        if asked is not None:
            asked[request.key] += 1
        for _ in range(chance.randrange(6)):
            await asyncio.sleep(0)
        return verdict(request)

    return RemoteScriptedJudge(answer)


def scanned(
    judge: ScriptedJudge | RemoteScriptedJudge | Callable[[JudgeRequest], JudgeReply],
    journal: Journal[JudgeRequest, JudgeReply] | None = None,
    concurrency: int = 16,
    alive: int = 32,
) -> tuple[list[bytes], Dispatcher]:
    """The lines of the results of all transcripts; a function is a judge in this process."""
    judged: ModeEngine = engine(WORLD)
    known = judge if isinstance(judge, ScriptedJudge | RemoteScriptedJudge) else ScriptedJudge(judge)
    dispatcher = Dispatcher(known, journal, concurrency, alive)
    results = dispatcher.run(judged.verify(judged.index(t, hash_of(t))) for t in SAID)
    return [compact(result) for result in results], dispatcher


EXPECTED, _ = scanned(verdict)


def test_the_scripted_scan_has_every_kind_of_row() -> None:
    """The world of these tests has splits, faults and void votes, so that order could show."""
    rows = [row for line in EXPECTED for row in TranscriptResult.model_validate_json(line).rows]
    assert {row.verdict for row in rows} >= {PASS, FAIL, UNCLEAR}
    assert any(vote.invalid == NO_QUOTE for row in rows for vote in row.votes)
    assert any(row.reason == "judge_fault" for row in rows)


@pytest.mark.parametrize("concurrency", [1, 4, 64])
@pytest.mark.parametrize("alive", [1, 3, 32])
def test_lesson_34_results_and_journal_are_the_same_whatever_finishes_first(
    tmp_path: Path, concurrency: int, alive: int
) -> None:
    """At any concurrency and in any order of arrival: the same results, the same journal bytes."""
    journal = Journal(tmp_path / "here.jsonl", PLAN, VOTES)
    scanned(verdict, journal)
    journal.finish()
    for seed in range(3):
        path = tmp_path / f"elsewhere-{seed}.jsonl"
        record = Journal(path, PLAN, VOTES)
        lines, _ = scanned(elsewhere(seed), record, concurrency, alive)
        record.finish()
        assert lines == EXPECTED
        assert path.read_bytes() == (tmp_path / "here.jsonl").read_bytes()


@pytest.mark.parametrize("concurrency", [1, 4, 64])
def test_no_more_questions_at_once_than_allowed(concurrency: int) -> None:
    """The bound holds over all transcripts, and is used."""
    now = most = 0

    async def answer(request: JudgeRequest) -> JudgeReply:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return verdict(request)

    scanned(RemoteScriptedJudge(answer), concurrency=concurrency)
    assert most <= concurrency
    assert most > min(concurrency, 16) / 2


def test_no_more_transcripts_under_way_than_allowed() -> None:
    """The plan's next transcript is begun only when there is room for it, so that memory stays flat."""
    judged = engine(WORLD)
    begun: list[str] = []

    def verifications() -> Iterator[Asking[TranscriptResult]]:
        for said in SAID:
            begun.append(said.scenario_id)
            yield judged.verify(judged.index(said, hash_of(said)))

    dispatcher = Dispatcher(elsewhere(1), alive=3)
    results = dispatcher.run(verifications())
    for done, result in enumerate(results, start=1):
        assert result.scenario_id == f"scenario-{done - 1}"
        assert len(begun) <= done + 2


class Cut(Exception):
    """The process ends here."""


@pytest.mark.parametrize("after", [0, 1, 7, 40, 90])
@pytest.mark.parametrize("live", [False, True])
def test_a_resumed_scan_asks_nothing_twice(tmp_path: Path, after: int, live: bool) -> None:
    """Cut off anywhere and resumed, only faults are asked again, and all bytes are those of one run."""
    whole = Journal(tmp_path / "whole.jsonl", PLAN, VOTES)
    scanned(verdict, whole)
    whole.finish()
    asked: Counter[str] = Counter()
    left = after

    def cut(request: JudgeRequest) -> JudgeReply:
        nonlocal left
        if left == 0:
            raise Cut
        left -= 1
        asked[request.key] += 1
        return verdict(request)

    async def cut_elsewhere(request: JudgeRequest) -> JudgeReply:
        await asyncio.sleep(0)
        return cut(request)

    path = tmp_path / "replies.jsonl"
    first = Journal(path, PLAN, VOTES)
    with pytest.raises(Cut):
        scanned(RemoteScriptedJudge(cut_elsewhere) if live else cut, first)
    first.close()
    kept = {key for key, known in load_replies(path)[1].items() if isinstance(known, Answer)}
    again: Counter[str] = Counter()

    def counting(request: JudgeRequest) -> JudgeReply:
        again[request.key] += 1
        return verdict(request)

    second = Journal(path, PLAN, VOTES, resume=True)
    lines, dispatcher = scanned(elsewhere(5, again) if live else counting, second)
    second.finish()
    assert lines == EXPECTED
    assert path.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert not kept & set(again)
    assert set(again.values()) <= {1}
    assert dispatcher.answered == sum(again.values())
    faults = {k for k, known in load_replies(path)[1].items() if isinstance(known, Fault)}
    assert set(asked) & set(again) <= faults


def test_lesson_10_a_fault_is_asked_again_on_resume(tmp_path: Path) -> None:
    """An outage is no answer: the same scan, resumed, asks for it and takes what comes."""
    path = tmp_path / "replies.jsonl"
    first = Journal(path, PLAN, VOTES)
    scanned(lambda _: Fault(FaultKind.RATE_LIMIT, "429"), first)
    first.close()
    second = Journal(path, PLAN, VOTES, resume=True)
    assert second.known == {}
    lines, _ = scanned(verdict, second)
    second.finish()
    assert lines == EXPECTED


def test_a_reply_is_journalled_before_it_is_used(tmp_path: Path) -> None:
    """When a verification sees a reply, its line is already on the disk."""
    path = tmp_path / "replies.jsonl"
    journal = Journal(path, PLAN, VOTES)
    judged = engine(WORLD)
    seen = []

    def watched() -> Asking[TranscriptResult]:
        asking = judged.verify(judged.index(SAID[0], hash_of(SAID[0])))
        replies = None
        while True:
            try:
                wanted = next(asking) if replies is None else asking.send(replies)
            except StopIteration as stop:
                result: TranscriptResult = stop.value
                return result
            replies = yield wanted
            on_disk = load_replies(path)[1]
            seen.append(all(request.key in on_disk for request in wanted))

    list(Dispatcher(elsewhere(2), journal).run([watched()]))
    journal.close()
    assert seen
    assert all(seen)


def test_that_nobody_answered_leaves_no_line(tmp_path: Path) -> None:
    """A journal of a scan without a judge holds its header alone."""
    path = tmp_path / "replies.jsonl"
    journal = Journal(path, PLAN, VOTES)
    scanned(lambda _: NotRecorded(), journal)
    journal.finish()
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("live", [False, True])
def test_the_order_of_transcripts_is_the_order_of_results(live: bool) -> None:
    """Results come in the order given, though a later transcript may be answered first."""
    lines, _ = scanned(elsewhere(9) if live else verdict)
    ids = [TranscriptResult.model_validate_json(line).scenario_id for line in lines]
    assert ids == [said.scenario_id for said in SAID]


class Awaited:
    """A judge elsewhere whose `answer` is no coroutine function, as a client wrapped in an object is."""

    def __init__(self, judge: RemoteScriptedJudge) -> None:
        self._judge = judge

    async def __call__(self, request: JudgeRequest) -> JudgeReply:
        return await self._judge.answer(request)


def test_a_judge_says_itself_where_it_answers() -> None:
    """Whether answers are waited for is what the judge says, not what its function looks like."""
    lines, _ = scanned(RemoteScriptedJudge(Awaited(elsewhere(3))))
    assert lines == EXPECTED
