"""Calls until an answer comes: retries, waiting times, deadline, and the adaptive limit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from ib.client.calls import Call, Failure, Outcome, Reply, Usage
from ib.client.client import Client, Patience
from ib.client.pace import CEILING, FLOOR, START, Pace
from ib.models.judge import Fault, FaultKind

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
            pace=Pace(now=lambda: self.time, sleep=self.sleep),
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
    found = ask(script)
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


def test_a_reply_cut_off_at_the_token_limit_is_asked_again_with_twice_the_limit() -> None:
    """The call is repeated once, and the second reply is used even if it is cut off too."""
    cut, longer = Reply("he", True, "model", Usage()), Reply("hello he", True, "model", Usage())
    script = Script([cut, longer])
    assert ask(script) == longer
    assert [call.parameters["max_tokens"] for call in script.calls] == [100, 200]
    failing = Script([cut, failed(FaultKind.DETERMINISTIC)])
    assert ask(failing) == cut


def test_tokens_are_counted() -> None:
    """Tokens of replies are counted, including cached tokens. Failed attempts add none."""
    script = Script([failed(FaultKind.TRANSIENT), GOOD])
    client = script.client()
    asyncio.run(client.ask(CALL))
    assert (client.prompt_tokens, client.completion_tokens, client.cached_tokens) == (10, 5, 4)
    assert client.attempts == 2


async def rounds(pace: Pace, count: int, **outcome: bool) -> None:
    """Make this many full rounds of calls, all with this outcome."""
    for _ in range(count):
        size = int(pace.limit)
        for _ in range(size):
            await pace.enter()
        for _ in range(size):
            await pace.leave(**outcome)


def test_the_pace_doubles_to_its_ceiling_and_is_cut_by_a_429() -> None:
    """The limit goes from 20 to 100, is cut at most once in 15 seconds, and never falls below 10."""
    time = [0.0]

    async def play() -> list[float]:
        pace = Pace(now=lambda: time[0])
        limits = [pace.limit]
        await rounds(pace, 60)
        limits.append(pace.limit)
        await rounds(pace, 1, limited=True)
        limits.append(pace.limit)
        for _ in range(40):
            time[0] += 20
            await rounds(pace, 1, limited=True)
        limits.append(pace.limit)
        return limits

    start, grown, cut, least = asyncio.run(play())
    assert (start, grown, cut, least) == (START, CEILING, CEILING * 0.8, FLOOR)


def test_a_fault_of_the_server_pauses_growth_without_shrinking() -> None:
    """A 5xx does not mean that there are too many calls, so the limit is not cut."""

    async def play() -> float:
        pace = Pace()
        await rounds(pace, 3, faulty=True)
        return pace.limit

    assert asyncio.run(play()) == START


def test_calls_before_a_fault_of_the_server_do_not_count_for_growth() -> None:
    """After a fault, the count of calls without a fault starts again."""

    async def play(*, faulty: bool) -> float:
        pace = Pace()
        await rounds(pace, 3)
        await pace.enter()
        await pace.leave(faulty=faulty)
        await rounds(pace, 1)
        return pace.limit

    assert [asyncio.run(play(faulty=faulty)) for faulty in (False, True)] == [2 * START, START]


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
