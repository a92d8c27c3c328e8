"""The hard limits of calls and dollars."""

from __future__ import annotations

import asyncio

import pytest

from ib.client.budget import Budget
from ib.client.calls import MOST_CALLS, Call, Failure, Outcome, Reply, Usage
from ib.client.client import BARREN, UNLIMITED_REPLY, Client, Patience
from ib.errors import WorldError
from ib.models.cost import PaidCall
from ib.models.judge import Fault, FaultKind
from ib.models.price import Price

KEY = "0" * 64
PRICE = Price(model="lab/model", input=10, cached_input=1, output=100, source="test")
CALL = Call("lab/model", ({"role": "user", "content": "x" * 2000},), {"max_tokens": 100}, key=KEY)
"""Reserves 1,000 tokens of prompt and 100 of reply: 2 cents."""
RESERVED = 0.02
GOOD = Reply("hello", False, "model", Usage(500, 50, 200))
"""Costs 300 fresh, 200 cached and 50 reply tokens: 0.82 cents."""
COST = 0.0082


class Provider:
    """Attempts that all end with the same outcome, after every other task had its turn."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.attempts = 0
        self.at_once = 0
        self.most_at_once = 0

    async def attempt(self, call: Call) -> Outcome:
        self.attempts += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        return self.outcome


def asked(
    budget: Budget, outcome: Outcome = GOOD, *, times: int = 20, price: Price | None = PRICE
) -> tuple[Provider, list[PaidCall], int]:
    """Ask so often at once; the provider, the paid calls, and how many were stopped by a limit."""
    provider, paid = Provider(outcome), list[PaidCall]()
    client = Client(
        budget=budget, price=price, paid=paid.append, attempt=provider.attempt, patience=Patience(retries=0)
    )

    async def all_of_them() -> list[object]:
        return await asyncio.gather(*(client.ask(CALL) for _ in range(times)), return_exceptions=True)

    ended = asyncio.run(all_of_them())
    stopped = [one for one in ended if isinstance(one, BaseException)]
    assert all(isinstance(one, WorldError) for one in stopped)
    return provider, paid, len(stopped)


def test_the_limit_of_calls_is_exact() -> None:
    """Not one call more, and not one less, however many are asked for at once."""
    provider, paid, stopped = asked(Budget(calls=7))
    assert (provider.attempts, len(paid), stopped) == (7, 7, 13)


def test_attempts_without_an_answer_are_no_calls() -> None:
    """A call is an attempt that the provider answered: a 503 uses up nothing."""
    failure = Failure(Fault(FaultKind.TRANSIENT, "503"))
    provider, paid, stopped = asked(Budget(calls=2), failure, times=BARREN - 1)
    assert (provider.attempts, len(paid), stopped) == (BARREN - 1, 0, 0)


@pytest.mark.parametrize("limit", [0.02, 0.05, 0.1, 0.1281])
def test_the_limit_of_dollars_is_never_exceeded(limit: float) -> None:
    """Calls go on as long as the next one fits, also if more was reserved for those under way."""
    budget = Budget(usd=limit)
    _, paid, stopped = asked(budget)
    spent = sum(one.usd or 0 for one in paid)
    assert spent == pytest.approx(budget.spent)
    assert spent <= limit
    assert spent + RESERVED > limit, "stopped too early"
    assert stopped == 20 - len(paid)


def test_calls_under_way_share_what_is_left() -> None:
    """Five reservations fit into the limit, so at most five calls run at once."""
    provider, _, _ = asked(Budget(usd=5 * RESERVED))
    assert provider.most_at_once == 5


def test_a_stop_says_what_was_spent() -> None:
    """The limit, the sum and the next call; and that the answers are kept."""
    with pytest.raises(WorldError, match=r"\$0.0100 \(--max-cost-usd\).*\$0.0000 spent.*\$0.0200.*--resume"):
        asyncio.run(Client(budget=Budget(usd=0.01), price=PRICE).ask(CALL))


def test_a_paid_call_is_written_down() -> None:
    """Cached tokens at their price; reasoning is part of the reply."""
    _, paid, _ = asked(Budget(), Reply("a", False, "m", Usage(500, 50, 200, 30)), times=1)
    (one,) = paid
    assert (one.key, one.input_tokens, one.cached_tokens) == (KEY, 500, 200)
    assert (one.output_tokens, one.reasoning_tokens) == (50, 30)
    assert one.usd == pytest.approx(COST)


def test_a_reply_that_cannot_be_used_is_paid_for() -> None:
    """A filtered reply costs its tokens, although it is a fault."""
    _, paid, _ = asked(Budget(), Failure(Fault(FaultKind.CONTENT_FILTER, ""), usage=Usage(500, 50)), times=1)
    assert [one.usd for one in paid] == [pytest.approx(0.01)]


def test_unknown_tokens_cost_what_was_reserved() -> None:
    """A provider without counts: the cost is unknown in the list, and the limit of dollars still holds."""
    budget = Budget(usd=3 * RESERVED)
    _, paid, _ = asked(budget, Reply("a", False, "m", Usage()))
    assert [one.usd for one in paid] == [None] * 3
    assert [one.input_tokens for one in paid] == [None] * 3
    assert budget.spent == pytest.approx(3 * RESERVED)


def test_an_unknown_price_gives_no_cost() -> None:
    """Tokens are counted; dollars are unknown and not 0."""
    _, paid, _ = asked(Budget(calls=10), price=None, times=1)
    assert [(one.input_tokens, one.usd) for one in paid] == [(500, None)]


@pytest.mark.parametrize(
    ("outcome", "calls"),
    [
        (Reply("cut", True, "m", Usage(10, 100)), MOST_CALLS),
        (Failure(Fault(FaultKind.TRUNCATED, ""), usage=Usage(10, 100)), MOST_CALLS),
        (Failure(Fault(FaultKind.EMPTY, ""), usage=Usage(10, 0)), MOST_CALLS),
        (Failure(Fault(FaultKind.CONTENT_FILTER, ""), usage=Usage(10, 0)), 1),
        (GOOD, 1),
    ],
)
def test_one_request_makes_at_most_two_calls(outcome: Outcome, calls: int) -> None:
    """The plan's maximum rests on it: whatever the provider answers, with many retries allowed."""
    provider, paid = Provider(outcome), list[PaidCall]()
    asyncio.run(Client(paid=paid.append, attempt=provider.attempt).ask(CALL))
    assert len(paid) == provider.attempts == calls


def test_without_a_limit_of_tokens_the_longest_reply_is_the_measure() -> None:
    """What is reserved grows with the replies: twice the longest so far."""
    unlimited = Call("lab/model", CALL.messages, key=KEY)
    client = Client(price=PRICE, attempt=Provider(Reply("a", False, "m", Usage(10, 5000))).attempt)
    assert client._possible_cost(unlimited) == pytest.approx(PRICE.usd(1000, UNLIMITED_REPLY))
    asyncio.run(client.ask(unlimited))
    assert client._possible_cost(unlimited) == pytest.approx(PRICE.usd(1000, 10_000))


def test_a_budget_holds_in_one_event_loop_after_another() -> None:
    """Two judges of a scan use one budget, each in a loop of its own, and attempts of both wait for room."""
    budget = Budget(calls=2)

    async def attempt(*, answered: bool) -> None:
        await budget.enter()
        await asyncio.sleep(0.001)
        await budget.leave(answered=answered)

    async def together(*answered: bool) -> None:
        await asyncio.gather(*(attempt(answered=one) for one in answered))

    asyncio.run(together(False, False, False, True))
    asyncio.run(together(False, False, True))
    assert budget.made == 2
    with pytest.raises(WorldError):
        asyncio.run(attempt(answered=True))
