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
from ib.models.settings import TOKEN_LIMITS


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

        If a reply was cut off at the token limit, the call is repeated once with twice the limit, also if
        reasoning used all tokens and no text came. If the call has no limit, the provider's own limit cut the
        reply, nothing can be doubled, and the first outcome stands.
        """
        outcome = await self._until_answered(call)
        longer = _with_twice_the_limit(call) if _cut_off(outcome) else None
        if longer is None:
            return outcome
        again = await self._until_answered(longer)
        return again if isinstance(again, Reply) else outcome

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
        kind: FaultKind | None = FaultKind.TRANSIENT  # until there is an outcome: a call that is stopped
        try:
            self.budget.spend()
            self.attempts += 1
            outcome = await self.attempt(call)
            kind = outcome.fault.kind if isinstance(outcome, Failure) else None
        finally:
            limited, faulty = kind is FaultKind.RATE_LIMIT, kind is FaultKind.TRANSIENT
            await self.pace.leave(limited=limited, faulty=faulty)
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


def _cut_off(outcome: Outcome) -> bool:
    """True if the token limit ended the reply, with or without text."""
    if isinstance(outcome, Reply):
        return outcome.truncated
    return outcome.fault.kind is FaultKind.TRUNCATED


def _with_twice_the_limit(call: Call) -> Call | None:
    """The call with twice its token limit; None if it has none."""
    limits = {name: call.parameters[name] for name in TOKEN_LIMITS if name in call.parameters}
    if not limits:
        return None
    doubled = {name: 2 * limit for name, limit in limits.items()}
    return replace(call, parameters={**call.parameters, **doubled})
