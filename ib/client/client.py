"""Call a model over the network until it answers: attempts, waiting times, deadline, pace."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from ib.client import transport
from ib.client.budget import Budget
from ib.client.calls import RETRIED, Call, Failure, Outcome, Reply, Usage
from ib.client.pace import Pace
from ib.client.rate import Rate
from ib.client.status import Silence
from ib.errors import WorldError
from ib.models.common.price import LARGEST_REPLY, Price
from ib.models.common.settings import reply_limit, token_limits
from ib.models.scan.cost import ANSWERED, RETRY, STOPPED, Account, Attempt, CallEvent, PaidCall
from ib.models.scan.judge import Fault, FaultKind

BYTES_PER_TOKEN = 2
"""The minimum bytes of a token in a usual text; English has about 4.4."""
_STOPPED = Failure(Fault(FaultKind.TRANSIENT, "the call was stopped before it had an outcome"))

BARREN = 5
"""So many requests that fail, and none that was taken, end the work."""
TAKEN = frozenset({FaultKind.CONTENT_FILTER, FaultKind.TRUNCATED})
"""The faults of a model that works."""


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
class Client:
    """Calls one model over the network, within a budget."""

    patience: Patience = field(default_factory=Patience)
    pace: Pace = field(default_factory=Pace)
    budget: Budget = field(default_factory=Budget)
    price: Price | None = None
    """None if it is unknown."""
    account: Account | None = None
    """Where attempts and calls are written down."""
    in_batches: bool = False
    """True if attempts are made in batches, which a kill of this process does not end."""
    attempt: Callable[[Call], Awaitable[Outcome]] = transport.attempt
    rate: Rate | None = None
    """The limits per minute; None for none. An attempt waits for its turn before it is written down."""
    jitter: Callable[[], float] = random.random
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.monotonic
    notice: Callable[[str], None] = lambda _: None
    """Called with one sentence if the model has not answered for a while. It is asked again all the same."""
    _silence: Silence = field(default_factory=Silence)
    _longest: int = 0
    """The most tokens of a reply so far."""
    _alive: bool = False
    """True once the model has taken a call."""
    _failed: int = 0
    _sent: int = 0
    """How many attempts are under way."""
    _back_at: float = 0.0
    """When the last attempt ended."""
    _given_up: Exception | None = None

    async def ask(self, call: Call) -> Outcome:
        """The reply, or the failure of the last attempt. Makes at most MOST_CALLS calls.

        If a reply was cut off at the token limit, the call is repeated once with twice the limit, also if
        reasoning used all tokens and no text came. If the call has no limit, the provider's own limit cut the
        reply, nothing can be doubled, and the first outcome stands. An empty reply is asked for once more.

        Raises WorldError if the budget is spent, or if the first BARREN requests all failed: then the name,
        the key or the address is wrong, and every other request would fail as well.
        """
        outcome = await self._outcome(call)
        self._note(call, outcome)
        return outcome

    async def _outcome(self, call: Call) -> Outcome:
        outcome = await self._until_answered(call)
        second = _second_call(call, outcome)
        if second is None:
            return outcome
        self._report_retry(call, 0.0)
        again = await self._until_answered(second)
        return again if isinstance(again, Reply) else outcome

    def _note(self, call: Call, outcome: Outcome) -> None:
        """Count failed requests until the first that the model has taken."""
        if isinstance(outcome, Reply) or outcome.fault.kind in TAKEN:
            self._alive = True
            return
        self._failed += 1
        if self._failed >= BARREN and not self._alive:
            fault = outcome.fault
            self._given_up = WorldError(
                f"{call.model} answered none of the first {self._failed} requests, the last for "
                f"{fault.kind}, {fault.detail}. Check its name, its key and its address, then go on with "
                "--resume."
            )
            raise self._given_up

    async def _until_answered(self, call: Call) -> Outcome:
        began = 0.0
        for number in range(self.patience.retries + 1):
            outcome = await self._once(call)
            began = began if number else self.now()  # not before: a call can wait long for its first attempt
            if isinstance(outcome, Reply) or outcome.usage or outcome.fault.kind not in RETRIED:
                return outcome
            wait = self._wait(number, outcome)
            if number == self.patience.retries or self.now() - began + wait > self.patience.deadline:
                return outcome
            self._report_retry(call, wait)
            words = None if self.in_batches else self._silence.words(self.now(), wait)
            if words is not None:
                self.notice(f"{call.model}: {words}")
            await self.sleep(wait)
        raise AssertionError("the loop makes at least one attempt")

    async def _once(self, call: Call) -> Outcome:
        await self.pace.enter()
        outcome: Outcome = _STOPPED
        try:
            if self._given_up is not None:
                raise self._given_up
            outcome = await self._within_budget(call)
        finally:
            kind = outcome.fault.kind if isinstance(outcome, Failure) else None
            limited, faulty = kind is FaultKind.RATE_LIMIT, kind is FaultKind.TRANSIENT
            await self.pace.leave(limited=limited, faulty=faulty)
        return outcome

    async def _within_budget(self, call: Call) -> Outcome:
        """One attempt, which reserves its highest cost first, and is written down when it begins and ends."""
        reserve = self._highest_cost(call)
        adopted = self.account.adopt(call.key) if self.in_batches and self.account is not None else None
        if adopted is not None:
            self.budget.take_back(adopted.usd_max or 0.0)
        await self.budget.enter(reserve)
        usd, counts = 0.0, False
        try:
            outcome = await self._in_turn(call, reserve, adopted)
            counts = outcome.usage is not None or _timed_out(outcome)
            known = None if outcome.usage is None else self._cost(outcome.usage)
            usd = reserve if counts and known is None else known or 0.0
        finally:
            await self.budget.leave(reserve, answered=counts, usd=usd)
        return outcome

    async def _in_turn(self, call: Call, reserve: float, adopted: Attempt | None) -> Outcome:
        """One attempt, when the limits per minute allow it. The wait for them is no silence of the model."""
        expected = 0.0
        if self.rate is not None:
            asked = self.now()
            expected = await self.rate.turn(call)
            if not self._sent:
                self._silence.pause(self.now() - max(asked, self._back_at))
        if self._given_up is not None:  # while this attempt waited; it was not sent, and is none
            raise self._given_up
        began = self.now()
        self._sent += 1
        try:
            outcome = await self._written_down(call, reserve, adopted)
        finally:
            self._sent -= 1
            self._back_at = self.now()
        if self.rate is not None:
            self.rate.after(outcome, expected)
        if outcome.usage is not None:
            self._longest = max(self._longest, outcome.usage.completion)
        self._listen(outcome, began)
        return outcome

    def _listen(self, outcome: Outcome, began: float) -> None:
        """Note an answer of the model, or an attempt without one."""
        if isinstance(outcome, Failure) and outcome.usage is None and outcome.fault.kind not in TAKEN:
            self._silence.add(outcome.fault, began)
        else:
            self._silence.end(self.now())

    async def _written_down(self, call: Call, reserve: float, adopted: Attempt | None) -> Outcome:
        """One attempt. Its line is written before it begins, and that of a call before its reply is used.

        `adopted` is the line of an attempt in a batch of an earlier session, which is this one.
        """
        if self.account is None:
            return await self.attempt(call)
        attempt = adopted
        if attempt is None:
            usd_max = None if self.price is None else reserve
            attempt = Attempt(key=call.key, model=call.model, usd_max=usd_max, batched=self.in_batches)
            self.account.begin(attempt)
        began = self.now()
        outcome: Outcome = _STOPPED
        try:
            outcome = await self.attempt(call)
        finally:
            if outcome is _STOPPED:
                self.account.note(CallEvent(call.model, STOPPED, self.now() - began))
        if outcome.usage is not None:
            self.account.write(_paid(call, outcome.usage, self._cost(outcome.usage)))
        else:
            self.account.end_unanswered(attempt, timed_out=_timed_out(outcome))
        self.account.note(_event(call, outcome, self.now() - began))
        return outcome

    def _report_retry(self, call: Call, wait: float) -> None:
        if self.account is not None:
            self.account.note(CallEvent(call.model, RETRY, wait))

    def _cost(self, usage: Usage) -> float | None:
        """What a call cost in US dollars; None if the price or the tokens are unknown."""
        if self.price is None or not usage.known:
            return None
        return usage.price_share * self.price.usd(usage.prompt, usage.completion, usage.cached)

    def _highest_cost(self, call: Call) -> float:
        """The most that a call can cost, in US dollars; 0 if its price is unknown.

        Every token takes at least BYTES_PER_TOKEN bytes, except in unusual texts. A reply has at most the
        tokens of the request's limit, or else of the model's largest reply. A server that sent longer ones
        can do so again.
        """
        if self.price is None:
            return 0.0
        prompt = sum(len(message["content"].encode()) for message in call.messages) / BYTES_PER_TOKEN
        limit = reply_limit(call.parameters) or self.price.reply_most or LARGEST_REPLY
        return self.price.usd(prompt, max(limit, self._longest))

    def give_up(self, error: Exception) -> None:
        """Begin no more attempts: each that waits for its turn raises this error."""
        self._given_up = error

    async def close(self) -> None:
        """Close all open connections. Must run in the event loop of the calls."""
        await transport.close()

    def _wait(self, number: int, failure: Failure) -> float:
        """Seconds before the next attempt: doubled each time, and at least what the provider asked for."""
        doubled = min(self.patience.longest_wait, self.patience.first_wait * 2.0**number)
        backoff = doubled * (0.5 + self.jitter() / 2)
        return max(backoff, failure.retry_after or 0.0)


def _timed_out(outcome: Outcome) -> bool:
    """True if the provider may answer an attempt still, and charge for it."""
    return isinstance(outcome, Failure) and outcome.timed_out


def _paid(call: Call, usage: Usage, usd: float | None) -> PaidCall:
    """A call as it is written down. Its tokens are null if the provider sent no counts."""
    return PaidCall(
        key=call.key,
        model=call.model,
        input_tokens=usage.prompt if usage.known else None,
        cached_tokens=usage.cached if usage.known else None,
        output_tokens=usage.completion if usage.known else None,
        reasoning_tokens=usage.reasoning if usage.known else None,
        usd=usd,
    )


def _event(call: Call, outcome: Outcome, seconds: float) -> CallEvent:
    """How an attempt ended, for those who watch or log the calls."""
    kind: str = outcome.fault.kind if isinstance(outcome, Failure) else ANSWERED
    if isinstance(outcome, Reply) and outcome.truncated:
        kind = FaultKind.TRUNCATED
    usage = outcome.usage
    tokens = (usage.prompt, usage.completion) if usage is not None and usage.known else (None, None)
    return CallEvent(call.model, kind, seconds, usage is not None, *tokens)


def _second_call(call: Call, outcome: Outcome) -> Call | None:
    """The call to make after a reply that cannot be used; None if the outcome stands."""
    if _cut_off(outcome):
        return _with_twice_the_limit(call)
    empty = isinstance(outcome, Failure) and outcome.fault.kind is FaultKind.EMPTY
    return call if empty and outcome.usage is not None else None


def _cut_off(outcome: Outcome) -> bool:
    """True if the token limit ended the reply, with or without text."""
    if isinstance(outcome, Reply):
        return outcome.truncated
    return outcome.fault.kind is FaultKind.TRUNCATED


def _with_twice_the_limit(call: Call) -> Call | None:
    """The call with twice its token limit; None if it has none."""
    limits = token_limits(call.parameters)
    if not limits:
        return None
    doubled = {name: 2 * limit for name, limit in limits.items()}
    return replace(call, parameters={**call.parameters, **doubled})
