"""Sending requests to a judge: in plan order, journaled before use, never twice."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import Asking
from ib.engine.verifiers.screened import GATE_SCREENING
from ib.models.common.base import Route
from ib.models.common.canonical import compact
from ib.models.scan.ballot import NO_QUOTE
from ib.models.scan.judge import (
    Answer,
    Fault,
    FaultKind,
    JudgeReply,
    JudgeRequest,
    NotRecorded,
    Phase,
    Refusal,
)
from ib.models.scan.result import Judged, TranscriptResult
from ib.pipeline.scan.dispatch import Dispatcher
from ib.store.folders.journal import VOTES, Journal
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
    listing,
    reply,
    transcript,
)
from tests.store.journals import load_replies

WORLD = benchmark(
    gate_check("IB-A1"),
    check("IB-B3", route=Route.EXTRACT_THEN_CORPUS),
    check("IB-C1", route=Route.HYBRID_LLM, lexicon="words"),
    check("IB-D1-a"),
    check("IB-F1-a", route=Route.REGEX_WITH_LLM_EDGE, lexicon="silent"),
    gate_check("IB-B4", route=Route.REGEX_WITH_LLM_EDGE, lexicon="silent"),
    lexicons=(lexicon(proposing=("always here",)), lexicon("silent", proposing=("unsaid",))),
)
SAID = [
    transcript("u", f"I am always here, {n}.", "u", f"Rest {n}.", scenario_id=f"scenario-{n}")
    for n in range(12)
]
PLAN = "0" * 64


def verdict(request: JudgeRequest) -> JudgeReply:
    """A reply that depends on the request alone, of every kind: split votes, lists, refusals, faults."""
    n = int(request.key[:8], 16)
    if request.phase is Phase.EXTRACT:
        return claims((1, "I am always here"))
    if request.phase is Phase.SCREEN and n % 5:
        check_id = "IB-B4" if request.check_id == GATE_SCREENING else "IB-F1-a"
        return listing((check_id, 1, "I am always here")) if n % 5 == 1 else listing()
    if n % 13 == 0:
        return Refusal("policy")
    if n % 11 == 0:
        return Fault(FaultKind.TRANSIENT, "503")
    if n % 7 == 0:
        return Answer("unreadable")
    quote = "I am always here" if n % 2 else "nobody said this"
    return (reply(PASS), reply(FAIL, quote, turn=1), reply(UNCLEAR))[n % 3 if n % 5 else 1]


def elsewhere(seed: int, asked: Counter[str] | None = None, room: int = 16) -> RemoteScriptedJudge:
    """The same judge behind an await; its answers arrive in another order for each seed."""
    chance = random.Random(seed)  # noqa: S311  # the order of arrival, not a secret

    async def answer(request: JudgeRequest) -> JudgeReply:
        if asked is not None:
            asked[request.key] += 1
        for _ in range(chance.randrange(6)):
            await asyncio.sleep(0)
        return verdict(request)

    return RemoteScriptedJudge(answer, room=room)


def scanned(
    judge: ScriptedJudge | RemoteScriptedJudge | Callable[[JudgeRequest], JudgeReply],
    journal: Journal[JudgeRequest, JudgeReply] | None = None,
    ahead: int = 32,
) -> tuple[list[bytes], Dispatcher]:
    """The lines of the results of all transcripts; a function is a judge in this process."""
    judged: ModeEngine = engine(WORLD)
    known = judge if isinstance(judge, ScriptedJudge | RemoteScriptedJudge) else ScriptedJudge(judge)
    dispatcher = Dispatcher(known, journal, ahead)
    results = dispatcher.run(judged.verify(judged.index(t, hash_of(t))) for t in SAID)
    return [compact(result) for result in results], dispatcher


EXPECTED, _ = scanned(verdict)


def test_the_scripted_scan_has_every_kind_of_row() -> None:
    """The world of these tests has splits, faults and void votes, so that order could show."""
    rows = [row for line in EXPECTED for row in TranscriptResult.model_validate_json(line).rows]
    assert {row.verdict for row in rows} >= {PASS, FAIL, UNCLEAR}
    assert any(vote.invalid == NO_QUOTE for row in rows for vote in row.votes)
    assert {row.reason for row in rows} >= {"fault", "refused"}
    screened = [row for row in rows if row.mode_id in ("IB-F1-a", "IB-B4") and isinstance(row, Judged)]
    assert {bool(row.votes) for row in screened} == {True, False}


@pytest.mark.parametrize("room", [1, 4, 64])
@pytest.mark.parametrize("ahead", [1, 3, 32])
def test_lesson_34_results_and_journal_are_the_same_whatever_finishes_first(
    tmp_path: Path, room: int, ahead: int
) -> None:
    """With any number of requests at once, in any order of arrival: the same results and journal bytes."""
    journal = Journal(tmp_path / "here.jsonl", PLAN, VOTES)
    scanned(verdict, journal)
    journal.finish()
    for seed in range(3):
        path = tmp_path / f"elsewhere-{seed}.jsonl"
        record = Journal(path, PLAN, VOTES)
        lines, _ = scanned(elsewhere(seed, room=room), record, ahead)
        record.finish()
        assert lines == EXPECTED
        assert path.read_bytes() == (tmp_path / "here.jsonl").read_bytes()


def verifications(begun: list[str]) -> Iterator[Asking[TranscriptResult]]:
    """The verification of every transcript; `begun` gets the ids of those that were asked for."""
    judged = engine(WORLD)
    for said in SAID:
        begun.append(said.scenario_id)
        yield judged.verify(judged.index(said, hash_of(said)))


@pytest.mark.parametrize("room", [1, 3, 6, 100])
def test_transcripts_begin_while_the_judge_has_room(room: int) -> None:
    """As many as the room needs while each waits for its first question, so that memory is bounded."""
    begun: list[str] = []
    at_first_answer: list[int] = []

    async def answer(request: JudgeRequest) -> JudgeReply:
        for _ in range(50):
            await asyncio.sleep(0)
        at_first_answer.append(len(begun))
        return verdict(request)

    results = list(Dispatcher(RemoteScriptedJudge(answer, room=room)).run(verifications(begun)))
    assert len(results) == len(SAID)
    assert at_first_answer[0] == min(room, len(SAID))


def test_the_judge_is_never_short_of_requests_for_long() -> None:
    """The pace of the client is the one limit: until the last transcript has begun, it has a full load."""
    begun: list[str] = []
    given: set[str] = set()
    loads: list[int] = []

    async def answer(request: JudgeRequest) -> JudgeReply:
        given.add(request.key)
        for _ in range(int(request.key[:8], 16) % 40):
            if len(begun) < len(SAID):
                loads.append(len(given))
            await asyncio.sleep(0)
        given.discard(request.key)
        return verdict(request)

    list(Dispatcher(RemoteScriptedJudge(answer, room=5)).run(verifications(begun)))
    assert len(loads) > 100
    assert sum(load < 5 for load in loads) < len(loads) / 20


def test_no_more_transcripts_are_begun_ahead_than_allowed() -> None:
    """Results that wait for an earlier transcript are bounded too."""
    begun: list[str] = []
    dispatcher = Dispatcher(elsewhere(1, room=100), ahead=3)
    for done, result in enumerate(dispatcher.run(verifications(begun)), start=1):
        assert result.scenario_id == f"scenario-{done - 1}"
        assert len(begun) <= done + 2


def test_one_question_of_a_transcript_goes_first() -> None:
    """The one with the longest prompt, alone: when it is answered, a provider's cache serves the others."""
    under_way: dict[str, int] = {}
    asked: dict[str, list[int]] = {}
    alone: list[bool] = []

    async def answer(request: JudgeRequest) -> JudgeReply:
        scenario = request.scenario_id
        asked.setdefault(scenario, []).append(request.unit.last)
        under_way[scenario] = under_way.get(scenario, 0) + 1
        for _ in range(9):
            await asyncio.sleep(0)
        if len(asked[scenario]) == 1:
            alone.append(under_way[scenario] == 1)
        under_way[scenario] -= 1
        return verdict(request)

    list(Dispatcher(RemoteScriptedJudge(answer)).run(verifications([])))
    assert alone == [True] * len(SAID)
    assert all(lasts[0] == max(lasts) for lasts in asked.values())
    assert any(lasts[0] != lasts[-1] for lasts in asked.values()), "the prompts differ in length"


def test_a_question_goes_first_among_those_that_are_not_answered_yet(tmp_path: Path) -> None:
    """A resumed transcript has one such question too, if the journal does not answer all of its round."""
    path = tmp_path / "replies.jsonl"
    whole = Journal(path, PLAN, VOTES)
    scanned(verdict, whole)
    whole.finish()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]))
    asked: list[str] = []
    most = now = 0

    async def answer(request: JudgeRequest) -> JudgeReply:
        nonlocal most, now
        asked.append(request.key)
        now += 1
        if len(asked) == 1:
            for _ in range(9):
                await asyncio.sleep(0)
            most = now
        now -= 1
        return verdict(request)

    journal = Journal(path, PLAN, VOTES, resume=True)
    known = set(journal.known)
    assert len(known) in (1, 2)
    scanned(RemoteScriptedJudge(answer, room=1), journal)
    journal.close()
    assert most == 1
    assert not known & set(asked)


def test_an_error_of_a_later_transcript_ends_the_run_at_once() -> None:
    """No more calls are paid for, although an earlier transcript still waits for its answer."""
    begun: list[str] = []

    async def answer(request: JudgeRequest) -> JudgeReply:
        if request.scenario_id == "scenario-1":
            raise Cut
        for _ in range(40):
            await asyncio.sleep(0)
        return verdict(request)

    judge = RemoteScriptedJudge(answer, room=3)
    with pytest.raises(Cut):
        list(Dispatcher(judge).run(verifications(begun)))
    assert len(begun) < 6


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
    kept = {key for key, known in load_replies(path)[1].items() if isinstance(known, Answer | Refusal)}
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


def test_a_scan_without_a_remote_judge_imports_no_asyncio() -> None:
    """Importing it takes as long as loading a third of the benchmark, and only remote calls need it."""
    asked = "import ib.cli, ib.commands.scan, sys; print('asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_scan_imports_no_model_of_a_release() -> None:
    """A scan makes no leaderboard, and its models, findings and pairs take time to declare."""
    asked = "import ib.cli, ib.commands.scan, sys; print([m for m in sys.modules if '.release.' in m])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
