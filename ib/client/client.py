"""Call a model over the network until it answers: attempts, waiting times, deadline, pace."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from ib.client import transport
from ib.client.calls import RETRIED, Call, Failure, Outcome, Reply
from ib.client.pace import Pace
from ib.errors import WorldError
from ib.models.judge import FaultKind


@dataclass(frozen=True)
class Patience:
    """How often and how long one call is tried."""

    retries: int = 6
    """Maximum number of attempts after the first."""
    deadline: float = 900.0
    """Seconds after the first attempt after which no new attempt starts."""
    first_wait: float = 1.0
    """Seconds before the second attempt; doubled each time, with jitter."""
    longest_wait: float = 60.0


@dataclass
class Budget:
    """The maximum number of calls of a run or scan, over all models. Every attempt counts as a call."""

    calls: int | None = None
    """None for no limit."""
    made: int = 0

    def spend(self) -> None:
        """Count one call. Raises WorldError if the budget is spent."""
        if self.calls is not None and self.made >= self.calls:
            message = f"stopped after {self.calls} calls (--max-calls); answers are kept, go on with --resume"
            raise WorldError(message)
        self.made += 1


@dataclass
class Client:
    """Calls one model over the network, and counts its tokens and attempts."""

    patience: Patience = field(default_factory=Patience)
    pace: Pace = field(default_factory=Pace)
    budget: Budget = field(default_factory=Budget)
    attempt: Callable[[Call], Awaitable[Outcome]] = transport.attempt
    jitter: Callable[[], float] = random.random
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.monotonic
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    attempts: int = 0

    async def ask(self, call: Call) -> Outcome:
        """The reply, or the failure of the last attempt.

        If a reply was cut off at the token limit, the call is repeated once with twice the limit.
        """
        outcome = await self._until_answered(call)
        if isinstance(outcome, Reply) and outcome.truncated and "max_tokens" in call.parameters:
            more = {**call.parameters, "max_tokens": 2 * call.parameters["max_tokens"]}
            again = await self._until_answered(replace(call, parameters=more))
            return again if isinstance(again, Reply) else outcome
        return outcome

    async def _until_answered(self, call: Call) -> Outcome:
        began = self.now()
        for number in range(self.patience.retries + 1):
            outcome = await self._once(call)
            if isinstance(outcome, Reply) or outcome.fault.kind not in RETRIED:
                return outcome
            wait = self._wait(number, outcome)
            if number == self.patience.retries or self.now() - began + wait > self.patience.deadline:
                return outcome
            await self.sleep(wait)
        raise AssertionError("the loop makes at least one attempt")

    async def _once(self, call: Call) -> Outcome:
        await self.pace.enter()
        kind: FaultKind | None = None
        retry_after = None
        try:
            self.budget.spend()
            self.attempts += 1
            outcome = await self.attempt(call)
            if isinstance(outcome, Failure):
                kind, retry_after = outcome.fault.kind, outcome.retry_after
        finally:
            limited = kind is FaultKind.RATE_LIMIT
            faulty = kind is FaultKind.TRANSIENT
            await self.pace.leave(limited=limited, faulty=faulty, retry_after=retry_after)
        if isinstance(outcome, Reply):
            self.prompt_tokens += outcome.usage.prompt
            self.completion_tokens += outcome.usage.completion
            self.cached_tokens += outcome.usage.cached
        return outcome

    async def close(self) -> None:
        """Close all open connections. Must run in the event loop of the calls."""
        await transport.close()

    def _wait(self, number: int, failure: Failure) -> float:
        """Seconds before the next attempt: doubled each time, and at least what the provider asked for."""
        doubled = min(self.patience.longest_wait, self.patience.first_wait * 2.0**number)
        backoff = doubled * (0.5 + self.jitter() / 2)
        return max(backoff, failure.retry_after or 0.0)
