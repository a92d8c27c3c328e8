"""The limits of one model per minute: attempts and tokens. Attempts are spaced evenly, without bursts.

Each attempt keeps the model busy for its share of a minute, and the next one starts after that. The tokens of
a reply are known only when it is there; then the next start is moved.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ib.client.calls import Call, Outcome
from ib.models.common.settings import reply_limit

BYTES_PER_TOKEN = 4
"""The usual bytes of a token of English."""
MINUTE = 60.0
FIRST_REPLY = 1_000
"""The tokens of a reply if nothing is known about its length."""
Attempt = Callable[[Call], Awaitable[Outcome]]


@dataclass
class Rate:
    """Makes attempts at the rate of one model. `attempt` has the form of `ib.client.transport.attempt`."""

    rpm: int | None
    """The most attempts in a minute; None for no limit."""
    tpm: int | None
    """The most tokens in a minute; None for no limit."""
    within: Attempt
    """Makes one attempt."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.monotonic
    _free: float = -math.inf
    """When the next attempt may start."""
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _replies: int = 0
    _reply_tokens: int = 0

    async def attempt(self, call: Call) -> Outcome:
        """The outcome of one attempt, which waits for its turn first."""
        expected = await self.turn(call)
        outcome = await self.within(call)
        self.after(outcome, expected)
        return outcome

    async def turn(self, call: Call) -> float:
        """Wait until an attempt may start; returns the seconds of the limits that it is expected to take."""
        expected = self._seconds(self._expected(call))
        async with self._turn:  # one waits at a time, so that replies can move its start
            while (wait := self._free - self.now()) > 0:
                await self.sleep(wait)
            self._free = self.now() + expected
        return expected

    def after(self, outcome: Outcome, expected: float) -> None:
        """Move the next start by what an attempt took more or less than expected."""
        usage = outcome.usage
        if usage is not None and usage.known:
            self._replies += 1
            self._reply_tokens += usage.completion
            self._free += self._seconds(usage.prompt + usage.completion) - expected

    def _expected(self, call: Call) -> float:
        """The tokens that a call may have: its prompt, and a reply of mean length.

        Before the first reply, that is the limit of its tokens, or FIRST_REPLY.
        """
        prompt = sum(len(message["content"].encode()) for message in call.messages) / BYTES_PER_TOKEN
        if self._replies:
            return prompt + self._reply_tokens / self._replies
        return prompt + (reply_limit(call.parameters) or FIRST_REPLY)

    def _seconds(self, tokens: float) -> float:
        """How long an attempt with this many tokens takes of the limits."""
        by_attempts = 0.0 if self.rpm is None else MINUTE / self.rpm
        by_tokens = 0.0 if self.tpm is None else MINUTE * tokens / self.tpm
        return max(by_attempts, by_tokens)


def rate_of(within: Attempt, rpm: int | None, tpm: int | None) -> Rate | None:
    """The rate of a model; None if it has no limit."""
    return None if rpm is None and tpm is None else Rate(rpm, tpm, within)
