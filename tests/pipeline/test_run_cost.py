"""The estimate of a run: the conversation grows with every turn."""

from __future__ import annotations

from typing import Any

import pytest

from ib.client.budget import Budget
from ib.client.open import Connection
from ib.models.common.price import Price
from ib.models.common.settings import CallLimits, ModelSettings
from ib.models.scan.run import Script, ScriptedReply
from ib.pipeline.run.cost import _estimate, calls_most, total_usd, turn_states
from ib.store.benchmark.estimates import load_estimates
from ib.store.benchmark.loading import benchmark_folder
from ib.targets.live import LiveModel
from ib.targets.scripted import ScriptedModel

PRICE = Price(model="openai/m", input=10, cached_input=1, output=100, source="test")
ASSUMED = load_estimates(benchmark_folder()).model_copy(update={"reply_tokens": 1000})
SAID = [[10, 20, 30], [40]]
"""Two scenarios: three messages of the person, and one."""
FIRST = 100
"""The tokens of the system prompt."""


def priced(**sampling: Any) -> LiveModel:
    """A model with a price, which is only planned here."""
    settings = ModelSettings(**sampling)
    return LiveModel(Connection("openai/m", settings, CallLimits(), Budget(), PRICE), "openai/m")


def estimate(epochs: int = 1, **sampling: Any) -> Any:
    """The estimate for both scenarios."""
    return _estimate(priced(**sampling), SAID, FIRST, ASSUMED, "words", epochs)


def test_each_turn_sends_the_conversation_so_far() -> None:
    """The replies of the assumed length are part of the next prompts, and the last prompt is cached."""
    found = estimate()
    turns = [110, 1130, 2160]  # 100 + 10; then a reply of 1,000 and 20 more; then 1,000 and 30 more
    assert found.input_tokens == sum(turns) + 140
    assert found.cacheable_tokens == found.cached_tokens == 1130
    assert (found.calls, found.calls_expected, found.output_tokens) == (4, 4, 4000)
    assert found.usd == pytest.approx(PRICE.usd(3540, 4000, 1130))
    assert found.usd_max is None


def test_epochs_multiply_everything() -> None:
    """A scenario that is played three times costs three times as much."""
    once, three = estimate(max_tokens=500), estimate(3, max_tokens=500)
    for name in ("calls", "calls_max", "input_tokens", "output_tokens", "input_tokens_max", "usd", "usd_max"):
        assert getattr(three, name) == pytest.approx(3 * getattr(once, name)), name


def test_a_limit_of_tokens_bounds_the_cost() -> None:
    """Every turn called for twice, with replies of twice the limit in the conversation."""
    found = estimate(max_tokens=500)
    longest = 110 + (110 + 1000 + 20) + (110 + 1000 + 20 + 1000 + 30) + 140
    assert (found.calls_max, found.input_tokens_max) == (8, 2 * longest)
    assert found.output_tokens_max == 4 * (500 + 1000)
    assert found.output_tokens == 4 * 500, "no reply is longer than the limit"


def test_the_total_is_unknown_if_one_price_is() -> None:
    """Unknown is not 0. Without a model that costs something, it is 0."""
    known = estimate()
    unknown = known.model_copy(update={"usd": None})
    assert total_usd([]) == 0
    assert total_usd([known, known]) == pytest.approx(2 * known.usd)
    assert total_usd([known, unknown]) is None


def test_turns_after_a_fault_are_not_played() -> None:
    """The states sum up to the plan."""
    assert {state.value: n for state, n in turn_states(10, 6, 1).items()} == {
        "answered": 6,
        "fault": 1,
        "not_asked": 3,
    }


def test_a_model_in_this_process_answers_once() -> None:
    """A model over the network may be called for twice."""
    script = Script(model_id="lab/a", model="a", otherwise=ScriptedReply(text="yes"))
    assert (calls_most(priced()), calls_most(ScriptedModel(script))) == (2, 1)
