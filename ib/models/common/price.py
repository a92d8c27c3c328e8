"""Prices of models: the rows of `configs/prices.yaml`, and the price of one model in a plan."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ib.models.common.base import Record, Text

MILLION = 1_000_000
LARGEST_REPLY = 131_072
"""The tokens that a reply is taken to have at most if no table has the largest reply of its model."""
Usd = Annotated[float, Field(ge=0)]
ModelName = Annotated[str, StringConstraints(pattern=r"^[^\s/]+/\S+$")]
"""A model as `PROVIDER/MODEL`."""


class PriceRow(Record):
    """The price of one model in US dollars for a million tokens, with the source that was read."""

    model: ModelName
    """The model as `-m` and `--judge` name it: PROVIDER/MODEL."""
    input: Usd
    """For a million tokens of prompts."""
    cached_input: Usd | None = None
    """For a million tokens of prompts from the provider's cache; by default the price of `input`."""
    output: Usd
    """For a million tokens of replies, reasoning included."""
    source: Text
    """Where the price was read, such as the address of the provider's price list."""
    checked: datetime.date
    """The day on which the source was read."""


class PriceTable(Record):
    """Prices that come before those of litellm. Only here may a price be 0."""

    schema_version: Literal[1]
    prices: tuple[PriceRow, ...]
    """Each model once."""


class Price(Record):
    """The price of one model, in US dollars for a million tokens."""

    model: str
    input: Usd
    """For prompts."""
    cached_input: Usd
    """For prompts from the provider's cache."""
    output: Usd
    """For replies, reasoning included."""
    reasons: bool = False
    """True if the model is known to reason before it replies without being asked to. Reasoning is part of
    the reply's tokens."""
    reply_most: Annotated[int, Field(ge=1)] | None = None
    """The most tokens of a reply that the model can give; null if it is unknown."""
    source: str
    """The price table: `configs/prices.yaml`, or a version of litellm."""
    checked: datetime.date | None = None
    """The day on which the price was checked; null for litellm, whose table has no dates."""

    def usd(self, prompt: float, completion: float, cached: float = 0) -> float:
        """The cost of calls with so many tokens. `cached` of the prompt's tokens came from the cache."""
        fresh = (prompt - cached) * self.input + cached * self.cached_input
        return (fresh + completion * self.output) / MILLION
