"""The cost of a run or scan: each paid call, and what all calls of a model cost."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Annotated

from pydantic import Field

from ib.models.base import Record, Sha256

Tokens = Annotated[int, Field(ge=0)]


class PaidCall(Record):
    """A line of `calls.jsonl`: an attempt that the provider answered, with or without a usable reply."""

    key: Sha256
    """The key of the request that the call served."""
    model: str
    input_tokens: Tokens | None
    """The tokens of the prompt; null if the provider sent no counts."""
    cached_tokens: Tokens | None
    """Those of them that came from the provider's cache."""
    output_tokens: Tokens | None
    """The tokens of the reply, reasoning included."""
    reasoning_tokens: Tokens | None
    """Those of them that are reasoning."""
    usd: float | None
    """What the call cost; null if the price or the number of tokens is unknown."""


class Spending(Record):
    """All calls to one model. Calls without counts of tokens add nothing to the tokens."""

    model: str
    calls: Tokens
    """A call is an attempt that the provider answered."""
    input_tokens: Tokens
    """The tokens of prompts."""
    cached_tokens: Tokens
    """Those of them that came from the provider's cache."""
    output_tokens: Tokens
    """The tokens of replies, reasoning included."""
    reasoning_tokens: Tokens
    """Those of them that are reasoning."""
    usd: float
    """What the calls of known cost cost, in US dollars."""
    calls_of_unknown_cost: Tokens
    """The calls for which the price or the number of tokens is unknown."""


def spent_usd(spending: Iterable[Spending], *, price_known: bool) -> float | None:
    """What all calls cost, in US dollars. Returns None if a price or the cost of a call is unknown."""
    every = tuple(spending)
    if not price_known or any(one.calls_of_unknown_cost for one in every):
        return None
    return fsum(one.usd for one in every)
