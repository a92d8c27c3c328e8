"""Estimating the calls, tokens and dollars of a run, and how its turns ended.

The words of the person are known. The replies are not, so their length is an assumption: the conversation
grows with every turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from ib.client.calls import MOST_CALLS
from ib.models.conversation.scenario import Scenario
from ib.models.scan.cost import Estimate, EstimateTables, UnitState
from ib.models.scan.estimates import Estimates
from ib.pipeline.common.costing import tables_of
from ib.pipeline.common.estimate import Called, made_estimate, output_most
from ib.scenario.playing import SystemPrompt
from ib.store.benchmark.estimates import load_estimates
from ib.store.files.tokens import token_counter
from ib.targets.base import Model

Said = Sequence[Sequence[int]]
"""For each scenario, the tokens of each message of the person."""


def estimate_run(
    models: Sequence[Model], scenarios: Sequence[Scenario], system: SystemPrompt, root: Path, epochs: int
) -> tuple[tuple[Estimate, ...], EstimateTables | None]:
    """The estimate for each model whose calls may cost something, and the tables that they are made from."""
    priced = [model for model in models if model.spec.priced]
    if not priced:
        return (), None
    estimates, count = load_estimates(root), token_counter()
    said = [[_tokens(turn.user_message, count) for turn in scenario.all_turns()] for scenario in scenarios]
    first = _tokens(system.text, count) + estimates.message_tokens
    made = (_estimate(model, said, first, estimates, count.name, epochs) for model in priced)
    return tuple(made), tables_of(root)


def _tokens(text: str, count: Callable[[str], int]) -> int:
    return sum(map(count, text.splitlines(keepends=True)))


def _estimate(
    model: Model, said: Said, first: int, estimates: Estimates, counted_with: str, epochs: int
) -> Estimate:
    name = model.spec.sampling.get("model", model.spec.model_id)
    called = Called(name, model.price, model.spec.sampling, MOST_CALLS)
    limit, least = called.reply_limit, estimates.prefix_cache.least_tokens
    reply = estimates.reply_tokens if limit is None else min(limit, estimates.reply_tokens)
    plays = [_prompts(turns, first, reply) for turns in said]
    calls = sum(map(len, plays)) * epochs
    cacheable = sum(start for play in plays for start in play[:-1] if start >= least) * epochs
    longest = None
    if limit is not None:  # a reply that was cut off is asked for again, with twice the limit
        longest = sum(prompt for turns in said for prompt in _prompts(turns, first, 2 * limit)) * epochs
    return made_estimate(
        called,
        estimates,
        counted_with,
        calls=(calls, calls, calls * MOST_CALLS),
        tokens=(sum(map(sum, plays)) * epochs, cacheable, calls * (reply + called.reasoning(estimates))),
        tokens_most=(
            None if longest is None else longest * MOST_CALLS,
            None if limit is None else output_most(calls * MOST_CALLS, limit, MOST_CALLS),
        ),
    )


def _prompts(turns: Sequence[int], first: int, reply: int) -> list[int]:
    """The tokens of the prompt of each turn: the system prompt and the conversation so far."""
    prompts, said = [], first
    for user in turns:
        said += user
        prompts.append(said)
        said += reply
    return prompts


def calls_most(model: Model) -> int:
    """The most calls for one turn of a model."""
    return MOST_CALLS if model.spec.priced else 1


def total_usd(cost: Sequence[Estimate]) -> float | None:
    """The expected cost of all models. Returns None if it is unknown for one of them."""
    known = [one.usd for one in cost if one.usd is not None]
    return math.fsum(known) if len(known) == len(cost) else None


def turn_states(planned: int, answered: int, faults: int) -> dict[UnitState, int]:
    """How the planned turns of a run ended. The turns after a fault are not played."""
    counts = {UnitState.ANSWERED: answered, UnitState.FAULT: faults}
    counts[UnitState.NOT_ASKED] = planned - answered - faults
    return {state: counts[state] for state in UnitState if state in counts}
