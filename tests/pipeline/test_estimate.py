"""The estimate of a scan: calls, tokens and dollars from the rendered prompts of the first round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ib.models.common.base import Unit
from ib.models.common.price import Price
from ib.models.scan.estimates import Estimates
from ib.models.scan.judge import Follow, JudgeRequest, Phase, UnitSpan
from ib.pipeline.common.costing import cost_words
from ib.pipeline.common.estimate import CallCounts, Called, ScanEstimate
from ib.store.benchmark.estimates import load_estimates
from ib.store.benchmark.loading import benchmark_folder

ASSUMED = load_estimates(benchmark_folder()).model_copy(
    update={
        "follow": {Follow.DISAGREEMENT: 0.5, Follow.NO_PASS: 0.5, Follow.CLAIMS: 0.25, Follow.NAMED: 0.1},
        "asked_again": 0.0,
        "output_tokens": dict.fromkeys(Phase, 10),
        "message_tokens": 0,
        "longer_prompt_tokens": 0,
    }
)
PRICE = Price(model="openai/m", input=10, cached_input=1, output=100, source="test")
LONG = "".join(f"line {n}\n" for n in range(1100))
"""A conversation of 1,100 lines. Here a line counts as one token."""


def asked(tail: str, last: int = 2, **more: Any) -> JudgeRequest:
    """A question of the first round, on the conversation up to a turn."""
    shown = LONG if last == 2 else LONG[: len(LONG) // 2]
    span = UnitSpan(Unit.SESSION_STATE, 1, last)
    told = ("0" * 64, "IB-C1", "lab/m", "s", None, span, Phase.DECIDE, 1, 1, "system\n", shown + tail)
    return replace(JudgeRequest(*told), **more)


def estimate(
    *requests: JudgeRequest, assumed: Estimates = ASSUMED, asks_again: bool = False, **called: Any
) -> Any:
    """The estimate for one transcript."""
    of = Called(**{"model": "openai/m", "price": PRICE, **called})
    counts = CallCounts(assumed, of.calls_most, asks_again)
    counts.add(requests)
    tokens = ScanEstimate(of, assumed, lambda line: 1, "lines", counts)
    tokens.add(requests)
    return tokens.estimate()


def test_calls_are_the_least_the_expected_and_the_most() -> None:
    """What may follow is in the expectation by its share, and whole in the maximum."""
    third = asked("a\n", follow=((Follow.DISAGREEMENT, 1),))
    claims = asked("b\n", follow=((Follow.CLAIMS, 36),))
    found = estimate(third, claims, asked("c\n"))
    assert (found.calls, found.calls_expected, found.calls_max) == (3, 13, 40)  # 3 + 0.5 + 9
    assert estimate(asked("a\n"), asks_again=True, calls_most=2).calls_max == 4


def test_the_first_question_fills_the_cache_and_the_others_are_served() -> None:
    """Of three questions, two begin like the one that is asked first: system prompt and conversation."""
    found = estimate(asked("a\n"), asked("b\n"), asked("c\n"))
    assert found.input_tokens == 3 * 1102
    assert found.cacheable_tokens == found.cached_tokens == 2 * 1101
    assert found.output_tokens == 30
    assert found.usd == pytest.approx(PRICE.usd(3306, 30, 2202))


def test_tokens_are_said_with_three_digits() -> None:
    """They rest on assumptions, and a word that is mended in a scenario is no other plan."""
    found = estimate(asked("a\n")).model_copy(update={"input_tokens": 1_768_898, "output_tokens": 391_170})
    assert "about 1,770,000 tokens of prompts" in cost_words(found)
    assert "and 391,000 of replies" in cost_words(found)
    assert "about 999 tokens" in cost_words(found.model_copy(update={"input_tokens": 999}))


def test_a_short_common_start_is_not_served() -> None:
    """Half the conversation is less than the least that a provider caches."""
    found = estimate(asked("a\n"), asked("b\n", last=1))
    assert found.cacheable_tokens == 0


def test_a_provider_without_a_cache_of_its_own_serves_nothing() -> None:
    """The share that could be served is shown, and the cost does not count on it."""
    found = estimate(asked("a\n"), asked("b\n"), model="anthropic/m")
    assert (found.cacheable_tokens, found.cached_tokens) == (1101, 0)
    assert found.usd == pytest.approx(PRICE.usd(2204, 20))


def test_an_unknown_price_has_no_cost() -> None:
    """Calls and tokens are known, dollars are not, and they are not 0."""
    found = estimate(asked("a\n"), price=None, parameters={"max_tokens": 100})
    assert (found.calls, found.input_tokens, found.usd, found.usd_max) == (1, 1102, None, None)


def test_the_most_dollars_need_a_limit_of_tokens() -> None:
    """Nothing cached, every call made, and the second call for a request with twice the limit."""
    assert estimate(asked("a\n")).usd_max is None
    limited = estimate(asked("a\n"), calls_most=2, asks_again=True, parameters={"max_tokens": 100})
    assert limited.calls_max == 4
    assert limited.usd_max == pytest.approx(PRICE.usd(4 * 1102, 2 * (100 + 200)))


@pytest.mark.parametrize(
    ("reasons", "parameters", "tokens"),
    [
        (False, {}, 0),
        (True, {}, 700),
        (True, {"reasoning_effort": "low"}, 250),
        (True, {"reasoning_effort": "none"}, 0),
        (True, {"thinking": {"type": "disabled"}}, 0),
        (False, {"reasoning_effort": "high"}, 2000),
        (True, {"thinking": {"type": "enabled", "budget_tokens": 300}}, 300),
    ],
)
def test_reasoning_counts_as_reply(reasons: bool, parameters: dict[str, Any], tokens: int) -> None:
    """For models that reason, or if an effort is set; a budget of tokens bounds it."""
    price = PRICE.model_copy(update={"reasons": reasons})
    assert estimate(asked("a\n"), price=price, parameters=parameters).output_tokens == 10 + tokens


def test_without_a_question_nothing_is_expected() -> None:
    """A transcript on which no judge is asked."""
    found = estimate()
    assert (found.calls, found.calls_max, found.input_tokens, found.usd) == (0, 0, 0, 0)
