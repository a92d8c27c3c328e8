"""The assumptions behind the estimate of a cost: `configs/estimates.yaml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ib.models.common.base import Record, Slug, Text
from ib.models.scan.judge import Follow, Phase

Tokens = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Effort = Literal["none", "minimal", "low", "medium", "high"]
ASKED = (Phase.DECIDE, Phase.SCREEN, Phase.EXTRACT, Phase.VERIFY, Phase.RUBRIC, Phase.OVER_ALARM)
"""The phases of the first attempt at a question."""


class PrefixCache(Record):
    """The providers that charge less for the start of a prompt that they have seen before."""

    least_tokens: Tokens
    """A common start with fewer tokens is not cached."""
    providers: tuple[Slug, ...]
    """The providers that do so without being asked, by the first part of a model's name."""


class Estimates(Record):
    """What a plan assumes about replies that nobody knows yet."""

    schema_version: Literal[1]
    source: Text
    """Where the figures come from."""
    follow: dict[Follow, Share]
    """Of the questions that may follow a question, the share that does follow, by reason."""
    asked_again: Share
    """The share of questions that are asked for a second time, because the first answer is invalid."""
    output_tokens: dict[Phase, Tokens]
    """The tokens of a judge's reply, without reasoning, by kind of question."""
    reply_tokens: Tokens
    """The tokens of one reply of a model under test, without reasoning."""
    reasoning_tokens: dict[Effort, Tokens]
    """The tokens of reasoning in one reply of a model that reasons, by effort."""
    usual_effort: Effort
    """The effort of a model that reasons unasked if no effort is set."""
    message_tokens: Tokens
    """The tokens that a provider adds to a request, such as the marks around messages."""
    longer_prompt_tokens: Tokens
    """How many more tokens a later question about a transcript may have than its longest first question."""
    prefix_cache: PrefixCache
    """Which providers charge less for the start of a prompt that they have seen before."""

    def reasoning(self, effort: str | None, budget: int | None) -> int:
        """The tokens of reasoning in one reply of a model that reasons."""
        by_effort = {str(name): tokens for name, tokens in self.reasoning_tokens.items()}
        expected = by_effort.get(effort or self.usual_effort, 0)
        return expected if budget is None else min(expected, budget)
