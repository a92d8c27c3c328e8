"""The settings of calls to a model: the parameters of its requests, and the limits of calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from ib.models.common.base import Record, Text
from ib.models.common.names import is_claude

OURS = frozenset(
    {"api_base", "api_key", "base_url", "caching", "drop_params", "fallbacks", "max_retries", "messages",
     "mock_response", "model", "n", "num_retries", "stream", "timeout"}
)  # fmt: skip
"""The parts of a request that this package sets, or that would change what a reply is."""
TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")
"""The parameters that limit the tokens of a reply. The second is passed on as a further parameter."""
CLAUDE_REPLY = 8_192
"""The most tokens of a reply of Claude, without its budget for reasoning, if none are given. Claude demands
a limit."""
NO_ADDRESS = "is not an address such as http://127.0.0.1:8000/v1, without a user and a password"
_ADDRESS = re.compile(
    r"https?://(?:\[[0-9A-Fa-f:.]+\]|[^\s@/?#:\[\]]+)"  # a host, which may be an IPv6 address
    r"(?::[1-9][0-9]{0,4})?(?:[/?#][^\s@]*)?"
)


class ModelSettings(Record):
    """How a model is called. If a value is null, the provider decides. There are no API keys here; keys
    come from the environment."""

    base_url: Text | None = None
    """The address of an OpenAI-compatible server; null for the provider's own."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """The sampling temperature."""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """The share of probability that sampling is limited to."""
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    """The most tokens of a reply, with those of reasoning. A reply that reaches the limit is asked for once
    more, with twice as many. If this is null, the provider decides; Claude demands a limit, and gets 8,192
    and the budget for reasoning, but no more than its largest reply."""
    seed: int | None = None
    """The sampling seed, for providers that take one. It is sent with the first vote on a question and with
    the first epoch; each further one adds 1, so that it is no copy."""
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high"] | None = None
    """How much a reasoning model thinks before it answers."""
    reasoning_tokens: Annotated[int, Field(ge=1)] | None = None
    """The token budget for reasoning, for models that have one."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further parameters of the request, passed on unchanged."""

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, address: str | None) -> str | None:
        """Never repeats the address, which may hold a password."""
        if address is None or is_address(address):
            return address
        raise ValueError(NO_ADDRESS)

    @model_validator(mode="after")
    def _extra_is_further(self) -> ModelSettings:
        for name in self.extra:
            if name in OURS:
                raise ValueError(f"extra: {name!r} is not a parameter that can be passed on")
            if name in TOKEN_LIMITS and (type(self.extra[name]) is not int or self.extra[name] < 1):
                raise ValueError(f"extra: {name!r} is a whole number of tokens, at least 1")
            if name in self._named():
                raise ValueError(f"extra: {name!r} is also given by its own setting")
        return self

    def parameters(self) -> dict[str, Any]:
        """The parameters of a request, with OpenAI's names, as litellm expects."""
        return {**self._named(), **self.extra}

    @property
    def reply_limit(self) -> int | None:
        """The most tokens of a reply; None if there is no limit."""
        return reply_limit(self.parameters())

    def _named(self) -> dict[str, Any]:
        """The parameters that have a setting of their own."""
        named = self.model_dump(exclude_none=True, exclude={"base_url", "extra", "reasoning_tokens"})
        if self.reasoning_tokens is not None:
            named["thinking"] = {"type": "enabled", "budget_tokens": self.reasoning_tokens}
        return named


class ModelLimits(Record):
    """How one model is called. These limits do not change the requests, so they are in no plan and no key."""

    max_connections: Annotated[int, Field(ge=1)] | None = None
    """The most simultaneous calls to one model; null to adapt to the provider's limit."""
    rpm: Annotated[int, Field(ge=1)] | None = None
    """The most attempts to one model that start in a minute, evenly spaced; null for no limit."""
    tpm: Annotated[int, Field(ge=1)] | None = None
    """The most tokens of one model in a minute, of prompts and replies together; null for no limit."""
    timeout: Annotated[float, Field(gt=0)] = 120.0
    """Seconds for one attempt."""
    max_retries: Annotated[int, Field(ge=0)] = 6
    """The most attempts after the first."""


class CallLimits(ModelLimits):
    """The limits of all calls of a run or scan."""

    max_calls: Annotated[int, Field(ge=1)] | None = None
    """The most calls of a run or scan, over all models; no further call begins after them. A call is an
    attempt that the provider answered."""
    max_cost_usd: Annotated[float, Field(gt=0)] | None = None
    """The most US dollars that the calls of a run or scan may cost, over all models."""


def with_reply_limit(settings: ModelSettings, model: str, reply_most: int | None) -> ModelSettings:
    """The settings with a limit of tokens, if the model demands one and they have none.

    `reply_most` are the most tokens that the model can give; None if they are unknown. Without a limit of
    ours, litellm would send Claude the model's largest: 64,000 tokens or more.
    """
    if not is_claude(model) or settings.reply_limit is not None:
        return settings
    thinking = settings.parameters().get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    limit = CLAUDE_REPLY + (budget if isinstance(budget, int) else 0)
    return settings.model_copy(update={"max_tokens": limit if reply_most is None else min(limit, reply_most)})


def is_address(text: str) -> bool:
    """True if a text is the address of a server: http or https, a host, and no user or password."""
    return _ADDRESS.fullmatch(text) is not None


def token_limits(parameters: Mapping[str, Any]) -> dict[str, int]:
    """The parameters of a request that limit the tokens of its reply."""
    return {name: parameters[name] for name in TOKEN_LIMITS if name in parameters}


def reply_limit(parameters: Mapping[str, Any]) -> int | None:
    """The most tokens of a reply; None if a request has no limit."""
    return min(token_limits(parameters).values(), default=None)
