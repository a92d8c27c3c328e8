"""Calls until an answer comes: retries, waiting times, deadline, and the adaptive limit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from ib.client.budget import Budget
from ib.client.calls import Call, Failure, Outcome, Reply, Usage, timed_out
from ib.client.client import BARREN, TAKEN, Client, Patience
from ib.client.pace import CEILING, FLOOR, START, Pace
from ib.client.rate import Rate
from ib.errors import WorldError
from ib.models.common.price import Price
from ib.models.scan.cost import ANSWERED, RETRY, STOPPED, CallEvent
from ib.models.scan.judge import Fault, FaultKind
from ib.store.folders.calls import CallList

CALL = Call("lab/model", ({"role": "user", "content": "hello"},), {"max_tokens": 100})
GOOD = Reply("hello", False, "model", Usage(10, 5, 4))


def failed(kind: FaultKind, retry_after: float | None = None) -> Failure:
    """A failed attempt."""
    return Failure(Fault(kind, "no"), retry_after)


class Script:
    """Attempts with scripted outcomes, on a clock that advances only while waiting."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        self.outcomes = list(outcomes)
        self.calls: list[Call] = []
        self.waits: list[float] = []
        self.time = 0.0

    async def attempt(self, call: Call) -> Outcome:
        self.calls.append(call)
        return self.outcomes[min(len(self.calls), len(self.outcomes)) - 1]

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    def client(self, **patience: float) -> Client:
        return Client(
            patience=Patience(**patience),  # type: ignore[arg-type]
            pace=Pace(now=lambda: self.time),
            attempt=self.attempt,
            jitter=lambda: 1.0,
            sleep=self.sleep,
            now=lambda: self.time,
        )


def ask(script: Script, **patience: float) -> Outcome:
    """The outcome of one call."""
    return asyncio.run(script.client(**patience).ask(CALL))


@pytest.mark.parametrize("kind", FaultKind)
def test_lesson_33_only_temporary_faults_are_retried(kind: FaultKind) -> None:
    """429, 5xx, broken connections and empty replies are retried; faults that would recur are not."""
    script = Script([failed(kind), GOOD])
    found = asyncio.run(script.client().ask(replace(CALL, parameters={})))
    retried = kind in (FaultKind.RATE_LIMIT, FaultKind.TRANSIENT, FaultKind.EMPTY)
    assert (found == GOOD) is retried
    assert len(script.calls) == (2 if retried else 1)


def test_waiting_times_double_up_to_a_maximum() -> None:
    """Each waiting time is twice the one before, with jitter, up to a maximum."""
    script = Script([failed(FaultKind.TRANSIENT)])
    ask(script, retries=5, first_wait=1.0, longest_wait=6.0)
    assert script.waits == [1.0, 2.0, 4.0, 6.0, 6.0]


def test_retry_after_is_respected() -> None:
    """Retry-After is a minimum; a longer backoff stays."""
    script = Script([failed(FaultKind.RATE_LIMIT, 9.0), failed(FaultKind.RATE_LIMIT, 0.0), GOOD])
    ask(script)
    assert script.waits == [9.0, 2.0]


def test_no_attempt_starts_after_the_deadline() -> None:
    """The deadline ends the call even if retries are left."""
    script = Script([failed(FaultKind.TRANSIENT)])
    ask(script, retries=100, deadline=20.0, first_wait=1.0)
    assert script.time <= 20.0


def test_no_retries_means_one_attempt() -> None:
    """With 0 retries, the first failure is final."""
    script = Script([failed(FaultKind.TRANSIENT), GOOD])
    assert ask(script, retries=0) == failed(FaultKind.TRANSIENT)
    assert len(script.calls) == 1


CUT = Reply("he", True, "model", Usage())
LONGER = Reply("hello he", True, "model", Usage())
THOUGHT_ONLY = failed(FaultKind.TRUNCATED)


@pytest.mark.parametrize("first", [CUT, THOUGHT_ONLY], ids=["text", "reasoning only"])
@pytest.mark.parametrize(
    "given",
    [{"max_tokens": 100}, {"max_completion_tokens": 100}, {"max_tokens": 100, "max_completion_tokens": 50}],
    ids=" ".join,
)
def test_a_reply_cut_off_at_the_token_limit_is_asked_again_with_twice_the_limit(
    first: Outcome, given: dict[str, int]
) -> None:
    """The call is repeated once, and the second reply is used even if it is cut off too."""
    script = Script([first, LONGER])
    assert asyncio.run(script.client().ask(replace(CALL, parameters={**given, "seed": 1}))) == LONGER
    doubled = {name: 2 * limit for name, limit in given.items()}
    assert [call.parameters for call in script.calls] == [{**given, "seed": 1}, {**doubled, "seed": 1}]


@pytest.mark.parametrize("first", [CUT, THOUGHT_ONLY], ids=["text", "reasoning only"])
def test_a_cut_reply_stands_if_the_second_call_fails(first: Outcome) -> None:
    """What is known is kept: the text that there is, or that the limit was reached."""
    assert ask(Script([first, failed(FaultKind.DETERMINISTIC)])) == first


@pytest.mark.parametrize("first", [CUT, THOUGHT_ONLY], ids=["text", "reasoning only"])
def test_without_a_limit_there_is_nothing_to_double(first: Outcome) -> None:
    """The provider's own limit cut the reply: no second call."""
    script = Script([first, LONGER])
    assert asyncio.run(script.client().ask(replace(CALL, parameters={"seed": 1}))) == first
    assert len(script.calls) == 1


def test_a_reply_that_ended_before_its_first_word_is_asked_again_too() -> None:
    """All tokens went into reasoning. Without a limit, there is nothing to double, and it is a fault."""
    cut = Failure(Fault(FaultKind.TRUNCATED, "no text"), usage=Usage(10, 100))
    script = Script([cut, GOOD])
    assert ask(script) == GOOD
    assert [call.parameters["max_tokens"] for call in script.calls] == [100, 200]
    unlimited = Script([cut, GOOD])
    assert asyncio.run(unlimited.client().ask(replace(CALL, parameters={}))) == cut


@pytest.mark.parametrize("kind", FaultKind)
def test_a_model_that_answers_nothing_is_given_up(kind: FaultKind) -> None:
    """After some failed calls, unless one was taken: a filtered or a cut reply is a sign of life."""

    async def play(first: Outcome) -> int:
        script = Script([first, failed(kind)])
        client = script.client(retries=0)
        for _ in range(3 * BARREN):
            await client.ask(replace(CALL, parameters={}))
        return len(script.calls)

    if kind in TAKEN:
        assert asyncio.run(play(failed(kind))) == 3 * BARREN
    else:
        with pytest.raises(WorldError, match=rf"lab/model answered none of the first 5 .* for {kind}, no"):
            asyncio.run(play(failed(kind)))
    assert asyncio.run(play(GOOD)) == 3 * BARREN


def heard(script: Script, calls: int = 1, **patience: float) -> list[tuple[float, str]]:
    """The notices of some calls, one after the other, each with its time."""
    client, said = script.client(**patience), list[tuple[float, str]]()
    client.notice = lambda words: said.append((script.time, words))

    async def ask_each() -> None:
        for _ in range(calls):
            await client.ask(CALL)

    asyncio.run(ask_each())
    return said


REFUSED = Failure(Fault(FaultKind.TRANSIENT, "connection refused"))


def test_a_model_without_an_answer_for_10_seconds_is_named() -> None:
    """Within 10 seconds of the first failed attempt: how the attempts ended, and how long it waits now."""
    first, *_ = heard(Script([REFUSED]))
    ends = "4 of 4 attempts: connection refused"
    assert first == (7.0, f"lab/model: no answer for 7 s; {ends}; the next attempt is in 8 s")
    told = heard(Script([failed(FaultKind.RATE_LIMIT, 60.0)]), retries=1)
    ends = "1 of 1 attempts: too many requests (429)"
    assert told == [(0.0, f"lab/model: no answer for 0 s; {ends}; the next attempt is in 60 s")]


def test_a_silence_is_named_again_after_30_seconds() -> None:
    """The work goes on retrying, and one line tells of each half minute, for any number of calls."""
    times = [time for time, _ in heard(Script([REFUSED]), calls=3, retries=20, longest_wait=4.0)]
    assert times[0] <= 10.0
    assert {later - earlier >= 30.0 for earlier, later in pairwise(times)} == {True}
    assert len(times) >= 6


def test_different_ends_of_attempts_are_counted() -> None:
    """A server that starts slowly first refuses connections, then sends errors."""
    busy = Failure(Fault(FaultKind.TRANSIENT, "InternalServerError 503: some words of the server"))
    (_, words), *_ = heard(Script([REFUSED, REFUSED, busy, REFUSED]))
    assert "3 of 4 attempts: connection refused, 1 of 4 attempts: InternalServerError 503;" in words


def test_an_answer_ends_a_silence() -> None:
    """Attempts that failed before it are no part of a later silence. A filtered reply is an answer too."""
    slow = [REFUSED, REFUSED, REFUSED]
    for answer in (GOOD, failed(FaultKind.CONTENT_FILTER), THOUGHT_ONLY):
        assert heard(Script([*slow, answer, *slow, GOOD]), calls=2) == []


def test_a_first_attempt_that_takes_long_is_part_of_the_silence() -> None:
    """A server that takes connections and never answers is named when the first attempt ends."""
    script = Script([])

    async def attempt(call: Call) -> Outcome:
        script.time += 120.0
        return Failure(Fault(FaultKind.TRANSIENT, "no answer within 120 s"))

    script.attempt = attempt  # type: ignore[method-assign]
    (time, words), *_ = heard(script, retries=1)
    assert (time, "no answer for 120 s; 1 of 1 attempts: no answer within 120 s" in words) == (120.0, True)


def test_a_retry_after_holds_back_only_the_call_that_was_told_to_wait() -> None:
    """Others neither wait for it, nor find fewer places."""
    waits: dict[str, list[float]] = {"told": [], "other": []}
    order: list[str] = []

    async def attempt(call: Call) -> Outcome:
        order.append(call.model)
        first = order.count("told") == 1
        return failed(FaultKind.RATE_LIMIT, 60.0) if call.model == "told" and first else GOOD

    async def play() -> None:
        others_done = asyncio.Event()

        def client(name: str) -> Client:
            async def sleep(seconds: float) -> None:
                waits[name].append(seconds)
                await others_done.wait()

            return Client(pace=pace, attempt=attempt, sleep=sleep, now=lambda: 0.0)

        async def others() -> None:
            for _ in range(5):
                assert await client("other").ask(replace(CALL, model="other")) == GOOD
            others_done.set()

        pace = Pace(fixed=1, now=lambda: 0.0)
        told = client("told").ask(replace(CALL, model="told"))
        assert (await asyncio.gather(told, others()))[0] == GOOD

    asyncio.run(asyncio.wait_for(play(), 5))
    assert order == ["told", *["other"] * 5, "told"]
    assert waits == {"told": [60.0], "other": []}


async def calls(pace: Pace, count: int, **outcome: bool) -> None:
    """End this many calls with an outcome, while the limit is fully used before each."""
    for _ in range(count):
        while pace.under_way < int(pace.limit):
            await pace.enter()
        await pace.leave(**outcome)


async def rounds(pace: Pace, count: int, **outcome: bool) -> None:
    """End this many times as many calls as the limit allows."""
    for _ in range(count):
        await calls(pace, int(pace.limit), **outcome)


def paced(*steps: tuple[float, dict[str, bool]]) -> list[float]:
    """The limit at first, and after each step: so many seconds pass, and one round has this outcome."""
    time = [0.0]

    async def play() -> list[float]:
        pace = Pace(now=lambda: time[0])
        limits = [pace.limit]
        for seconds, outcome in steps:
            time[0] += seconds
            await rounds(pace, 1, **outcome)
            limits.append(pace.limit)
        return limits

    return asyncio.run(play())


CLEAN: dict[str, bool] = {}
LIMITED = {"limited": True}
FAULTY = {"faulty": True}


def test_the_pace_doubles_up_to_its_ceiling() -> None:
    """While everything succeeds, and no further."""
    assert paced(*[(0, CLEAN)] * 4) == [START, 40, 80, CEILING, CEILING]


def test_a_429_cuts_the_limit_at_most_once_in_15_seconds() -> None:
    """Many calls are told at the same time; the clock decides whether that is news."""
    found = paced((0, LIMITED), (14.9, LIMITED), (0.1, LIMITED), (14.9, LIMITED), (0.1, LIMITED))
    assert found == pytest.approx([20, 16, 16, 12.8, 12.8, 10.24])


def test_the_limit_never_falls_below_its_floor() -> None:
    """However often a server says that it is too much."""
    assert paced(*[(20, LIMITED)] * 40)[-1] == FLOOR


def test_after_a_429_the_limit_grows_by_a_twentieth() -> None:
    """It never doubles again, also while it may not be cut, and reaches its ceiling."""
    found = paced((0, LIMITED), (1, CLEAN), (1, CLEAN), (99, CLEAN))
    assert found == pytest.approx([20, 16, 16 * 1.05, 16 * 1.05**2, 16 * 1.05**3])
    assert paced((0, LIMITED), *[(0, CLEAN)] * 60)[-1] == CEILING


def test_a_fault_of_the_server_pauses_growth_without_shrinking() -> None:
    """A 5xx does not mean that there are too many calls, so the limit is not cut, and doubles later."""
    assert paced(*[(20, FAULTY)] * 3, (0, CLEAN)) == [START, START, START, START, 2 * START]


@pytest.mark.parametrize(("outcome", "limit"), [(CLEAN, 2 * START), (FAULTY, START), (LIMITED, 0.8 * START)])
def test_calls_before_a_fault_do_not_count_for_growth(outcome: dict[str, bool], limit: float) -> None:
    """After a fault, the count of calls without a fault starts again."""

    async def play() -> float:
        pace = Pace()
        await calls(pace, START // 2)
        await calls(pace, 1, **outcome)
        await calls(pace, START // 2 - 1)
        return pace.limit

    assert asyncio.run(play()) == limit


def test_a_call_that_was_stopped_says_nothing_about_the_server() -> None:
    """It does not count as a call without a fault."""

    async def stopped(call: Call) -> Outcome:
        raise RuntimeError

    async def play() -> float:
        client = Client(attempt=stopped)
        await calls(client.pace, START - 1)
        with pytest.raises(RuntimeError):
            await client.ask(CALL)
        return client.pace.limit

    assert asyncio.run(play()) == START


def test_an_unused_limit_does_not_grow() -> None:
    """A limit that is hardly used says nothing about what the server can take."""

    async def play() -> float:
        pace = Pace()
        for _ in range(3 * START):
            await pace.enter()
            await pace.leave()
        return pace.limit

    assert asyncio.run(play()) == START


def test_an_explicit_limit_turns_adapting_off() -> None:
    """A fixed limit never changes, and never more calls than the limit run at once."""

    async def play() -> tuple[float, int]:
        pace = Pace(fixed=3)
        await rounds(pace, 5)
        await rounds(pace, 5, limited=True)
        most = 0

        async def one() -> None:
            nonlocal most
            await pace.enter()
            most = max(most, pace.under_way)
            await asyncio.sleep(0)
            await pace.leave()

        await asyncio.gather(*(one() for _ in range(20)))
        return pace.limit, most

    assert asyncio.run(play()) == (3.0, 3)


def test_every_attempt_and_every_retry_is_an_event(tmp_path: Path) -> None:
    """A fault, the wait before the next attempt and the answer are reported, with tokens and seconds."""
    script = Script([failed(FaultKind.RATE_LIMIT, 9.0), GOOD])
    client, heard = script.client(), list[CallEvent]()
    with CallList(tmp_path) as calls:
        client.account, calls.heard = calls, heard.append
        asyncio.run(client.ask(replace(CALL, key="0" * 64)))
        assert (calls.faults, calls.retries) == (1, 1)
    assert heard == [
        CallEvent("lab/model", FaultKind.RATE_LIMIT, 0.0),
        CallEvent("lab/model", RETRY, 9.0),
        CallEvent("lab/model", ANSWERED, 0.0, True, 10, 5),
    ]


def test_a_second_call_for_a_reply_that_was_cut_off_is_a_retry(tmp_path: Path) -> None:
    """The event of a reply that was cut off says so; it is an answer, and no fault."""
    script = Script([replace(GOOD, truncated=True), GOOD])
    client, heard = script.client(), list[CallEvent]()
    with CallList(tmp_path) as calls:
        client.account, calls.heard = calls, heard.append
        asyncio.run(client.ask(replace(CALL, key="0" * 64)))
        assert (calls.faults, calls.retries) == (0, 1)
    assert [(event.kind, event.answered) for event in heard] == [
        (FaultKind.TRUNCATED, True), (RETRY, False), (ANSWERED, True),
    ]  # fmt: skip


def test_an_attempt_that_the_end_of_the_work_stops_is_an_event(tmp_path: Path) -> None:
    """It is no fault: nobody knows what the provider did."""
    heard = list[CallEvent]()

    async def stopped(call: Call) -> Outcome:
        raise asyncio.CancelledError

    with CallList(tmp_path) as calls:
        calls.heard = heard.append
        client = Client(account=calls, attempt=stopped, now=lambda: 0.0)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(client.ask(replace(CALL, key="0" * 64)))
    assert (heard, calls.faults) == ([CallEvent("lab/model", STOPPED, 0.0)], 0)


def test_a_call_that_waits_for_its_turn_is_no_attempt_yet(tmp_path: Path) -> None:
    """A call that waits for --rpm is not written down, and is not sent after the work was given up."""
    sent: list[Call] = []

    async def answer(call: Call) -> Outcome:
        sent.append(call)
        return Reply("yes", False, None, Usage(1, 1))

    async def work() -> list[object]:
        turn = asyncio.Event()

        async def sleep(_: float) -> None:
            await turn.wait()
            rate._free = 0.0

        rate = Rate(6, None, answer, sleep=sleep, now=lambda: 0.0)
        with CallList(tmp_path) as account:
            client = Client(attempt=answer, rate=rate, account=account)
            calls = [asyncio.create_task(client.ask(Call("m", (), key=str(n) * 64))) for n in range(5)]
            await asyncio.sleep(0.01)
            client.give_up(WorldError("enough"))
            turn.set()
            return list(await asyncio.gather(*calls, return_exceptions=True))

    ended = asyncio.run(work())
    assert [type(one) for one in ended] == [Reply, *[WorldError] * 4]
    assert len(sent) == 1
    with CallList(tmp_path) as account:
        assert (account.made, account.lost) == (1, ())


def test_an_attempt_that_took_too_long_counts_with_its_highest_cost(tmp_path: Path) -> None:
    """The provider may charge for it, so it is lost money in this session and in later ones."""
    script = Script([timed_out(9.0), GOOD])
    client = script.client()
    client.price, client.budget = (
        Price(model="m", input=1.0, cached_input=1.0, output=1.0, source=""),
        Budget(usd=100.0),
    )
    with CallList(tmp_path) as calls:
        client.account = calls
        asyncio.run(client.ask(replace(CALL, key="0" * 64, parameters={"max_tokens": 1_000_000})))
        answered = calls.usd_paid
        assert (client.budget.made, len(calls.lost), calls.faults) == (2, 1, 1)
        assert client.budget.spent == calls.usd_max == pytest.approx(1.0 + answered, rel=1e-3)
    with CallList(tmp_path) as calls:
        assert (calls.made, calls.faults) == (2, 1)
        assert calls.usd_lost_max == pytest.approx(1.0, rel=1e-3)


def test_an_attempt_in_a_batch_is_written_down_before_it_begins(tmp_path: Path) -> None:
    """After a kill it counts as lost, until a session that goes on with the batch asks for it again."""

    async def killed(call: Call) -> Outcome:
        raise asyncio.CancelledError

    call = replace(CALL, key="0" * 64, parameters={"max_tokens": 1_000_000})
    price = Price(model="m", input=1.0, cached_input=1.0, output=1.0, source="")
    with CallList(tmp_path) as calls:
        client = Client(price=price, account=calls, attempt=killed, in_batches=True)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(client.ask(call))
    with CallList(tmp_path) as calls:
        budget = Budget(calls=1, usd=1.0)
        budget.go_on_from(calls)
        assert budget.made == 1
        assert budget.lost == pytest.approx(1.0, rel=1e-3)
        client = Script([GOOD]).client()
        client.price, client.account, client.budget, client.in_batches = price, calls, budget, True
        assert asyncio.run(client.ask(call)) == GOOD
        assert (budget.made, budget.lost, calls.lost) == (1, 0.0, ())
        assert budget.spent == calls.usd_paid < 0.001


def test_a_wait_for_the_limit_per_minute_is_no_silence() -> None:
    """At two attempts a minute, three refused ones are not 90 seconds without an answer."""
    script, said = Script([REFUSED, REFUSED, REFUSED, GOOD]), list[str]()
    client = script.client(first_wait=1.0, longest_wait=1.0)
    client.rate = Rate(2, None, script.attempt, sleep=script.sleep, now=lambda: script.time)
    client.notice = said.append
    asyncio.run(client.ask(CALL))
    assert script.time >= 90.0
    assert said == []
