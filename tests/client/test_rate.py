"""The limits per minute: attempts and tokens of one model."""

from __future__ import annotations

import asyncio

from ib.client.calls import Call, Outcome, Reply, Usage
from ib.client.rate import Rate, rate_of


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds
        for _ in range(9):  # others go on meanwhile
            await asyncio.sleep(0)


def starts(number: int, *, rpm: int | None = None, tpm: int | None = None, tokens: int = 100) -> list[float]:
    """When each of so many attempts starts, if its prompt has 100 tokens and its reply `tokens`."""
    clock, found = Clock(), []

    async def within(call: Call) -> Outcome:
        found.append(clock.time)
        await asyncio.sleep(0)
        return Reply("words", False, None, Usage(prompt=100, completion=tokens))

    rate = Rate(rpm, tpm, within, sleep=clock.sleep, now=clock.now)
    call = Call("vendor/model", ({"role": "user", "content": "four" * 100},))

    async def every() -> None:
        await asyncio.gather(*(rate.attempt(call) for _ in range(number)))

    asyncio.run(every())
    return found


def test_attempts_are_spaced_over_the_minute() -> None:
    """With 30 attempts per minute, one starts every two seconds, without a burst at the beginning."""
    assert starts(5, rpm=30) == [0, 2, 4, 6, 8]


def test_tokens_of_a_minute_are_kept() -> None:
    """In no minute start calls with more tokens than the limit; one call more is not yet known."""
    found = starts(40, tpm=6000, tokens=500)
    for begin in found:
        assert sum(600 for start in found if begin <= start < begin + 60) <= 6000 + 600, found


def test_both_limits_hold() -> None:
    """The stricter limit decides about each attempt."""
    assert starts(3, rpm=60, tpm=1_000_000) == [0, 1, 2]
    assert starts(3, rpm=60, tpm=600, tokens=20)[2] >= 20


def test_no_limit_is_no_wait() -> None:
    """Without a limit, the attempts are made as they are."""

    async def within(call: Call) -> Outcome:
        raise NotImplementedError

    assert rate_of(within, None, None) is None
