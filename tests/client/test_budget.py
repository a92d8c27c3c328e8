"""The hard limits of calls and dollars."""

from __future__ import annotations

import asyncio
import random
import tempfile
from pathlib import Path

import pytest

from ib.client.budget import Budget
from ib.client.calls import MOST_CALLS, Call, Failure, Outcome, Reply, Usage
from ib.client.client import BARREN, Client, Patience
from ib.errors import WorldError
from ib.models.common.price import LARGEST_REPLY, Price
from ib.models.scan.cost import Attempt, PaidCall
from ib.models.scan.judge import Fault, FaultKind
from ib.store.folders.calls import CALLS, CallList

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
    provider = Provider(outcome)
    client = Client(budget=budget, price=price, attempt=provider.attempt, patience=Patience(retries=0))
    paid, stopped = listed(client, CALL, times)
    return provider, paid, stopped


def listed(client: Client, call: Call, times: int) -> tuple[list[PaidCall], int]:
    """Ask so often at once; the calls as they are listed, and how many were stopped by a limit."""

    async def all_of_them() -> list[object]:
        return await asyncio.gather(*(client.ask(call) for _ in range(times)), return_exceptions=True)

    with tempfile.TemporaryDirectory() as folder, CallList(Path(folder)) as calls:
        client.account = calls
        ended = asyncio.run(all_of_them())
        assert not calls.lost
        path = Path(folder) / CALLS
        lines = path.read_bytes().splitlines() if path.exists() else []
    stopped = [one for one in ended if isinstance(one, BaseException)]
    assert all(isinstance(one, WorldError) for one in stopped)
    return [PaidCall.model_validate_json(line) for line in lines], len(stopped)


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
def test_the_limit_of_dollars_is_exceeded_by_one_call_at_most(limit: float) -> None:
    """Calls go on until the limit is spent, also if more was reserved for those under way."""
    budget = Budget(usd=limit)
    _, paid, stopped = asked(budget)
    spent = sum(one.usd or 0 for one in paid)
    assert spent == pytest.approx(budget.spent)
    assert limit <= spent < limit + COST
    assert stopped == 20 - len(paid)


@pytest.mark.parametrize("seed", range(20))
def test_long_replies_do_not_break_the_limit_of_dollars(seed: int) -> None:
    """Without a limit of tokens, a burst of replies of any length costs at most the limit and one call."""
    chance = random.Random(seed)  # noqa: S311 - lengths of replies, no secret

    async def attempt(call: Call) -> Outcome:
        tokens = round(10 ** chance.uniform(1, 4.2))
        await asyncio.sleep(0)
        return Reply("a", False, "m", Usage(500, tokens))

    limit = chance.choice([0.05, 0.5, 1.0, 2.0, 5.0])
    price = PRICE.model_copy(update={"reply_most": 16_384})
    client = Client(budget=Budget(usd=limit), price=price, attempt=attempt)
    paid, _ = listed(client, Call("lab/model", CALL.messages, key=KEY), times=100)
    costs = [one.usd or 0 for one in paid]
    assert sum(costs) <= limit + max(costs)
    assert sum(costs) >= limit or len(costs) == 100, "stopped too early"


def test_calls_under_way_share_what_is_left() -> None:
    """A call begins while the highest costs of those under way leave something: five fill this limit."""
    provider, _, _ = asked(Budget(usd=5 * RESERVED))
    assert provider.most_at_once == 5


def test_a_limit_below_the_cost_of_a_reply_leaves_work_to_do() -> None:
    """A model whose largest reply costs more than the limit is called one by one until the limit is spent."""
    price = PRICE.model_copy(update={"reply_most": 1_000_000})
    provider = Provider(GOOD)
    client = Client(budget=Budget(usd=0.05), price=price, attempt=provider.attempt)
    paid, _ = listed(client, Call("lab/model", CALL.messages, key=KEY), times=20)
    assert provider.most_at_once == 1
    assert len(paid) == 7  # of 0.82 cents


def test_a_stop_says_what_was_spent() -> None:
    """The limit and the sum; and that the answers are kept."""
    budget = Budget(usd=0.01, spent=0.0125)
    with pytest.raises(WorldError, match=r"\$0.0100 \(--max-cost-usd\): \$0.0125 spent; .*--resume"):
        asyncio.run(Client(budget=budget, price=PRICE).ask(CALL))
    budget.lost = 0.006
    with pytest.raises(WorldError, match=r"spent, \$0.0060 of it at most on calls that a kill ended; "):
        asyncio.run(Client(budget=budget, price=PRICE).ask(CALL))


def test_the_limits_go_on_from_earlier_sessions() -> None:
    """A session that resumes has what the earlier ones left of both limits."""
    with tempfile.TemporaryDirectory() as folder, CallList(Path(folder)) as calls:
        for usd in (0.25, 0.25):
            tokens = dict.fromkeys(("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"), 1)
            calls.write(PaidCall(key=KEY, model="lab/model", usd=usd, **tokens))
        lost = Attempt(key=KEY, model="lab/model", usd_max=0.1)
        calls.begin(lost)
        by_calls, by_usd = Budget(calls=7), Budget(usd=0.6 + 2 * COST)
        by_calls.go_on_from(calls)
        by_usd.go_on_from(calls)
    _, paid, stopped = asked(by_calls)
    assert (len(paid), stopped) == (4, 16)
    assert len(asked(by_usd)[1]) == 2


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
    provider = Provider(outcome)
    paid, _ = listed(Client(attempt=provider.attempt), CALL, times=1)
    assert len(paid) == provider.attempts == calls


def test_without_a_limit_of_tokens_the_largest_reply_is_reserved() -> None:
    """That of the model, or a large one if it is unknown; and more if the server has sent more."""
    unlimited = Call("lab/model", CALL.messages, key=KEY)
    client = Client(price=PRICE, attempt=Provider(Reply("a", False, "m", Usage(10, 200_000))).attempt)
    assert client._highest_cost(unlimited) == pytest.approx(PRICE.usd(1000, LARGEST_REPLY))
    client.price = PRICE.model_copy(update={"reply_most": 16_384})
    assert client._highest_cost(unlimited) == pytest.approx(PRICE.usd(1000, 16_384))
    asyncio.run(client.ask(unlimited))
    assert client._highest_cost(unlimited) == pytest.approx(PRICE.usd(1000, 200_000))


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
