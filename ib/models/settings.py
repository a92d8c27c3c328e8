"""The settings of calls to a model: the parameters of its requests, and the limits of calls."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ib.models.base import Record, Text


class ModelSettings(Record):
    """How a model is called. If a value is null, the provider decides. There are no API keys here; keys
    come from the environment."""

    base_url: Text | None = None
    """The address of an OpenAI-compatible server; null for the provider's own."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    """The most tokens of a reply. A reply that reaches the limit is asked for once more, with twice as
    many."""
    seed: int | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high"] | None = None
    reasoning_tokens: Annotated[int, Field(ge=1)] | None = None
    """The token budget for reasoning, for models that have one."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further parameters of the request, passed on unchanged."""

    def parameters(self) -> dict[str, Any]:
        """The parameters of a request, with OpenAI's names, as litellm expects."""
        named = self.model_dump(exclude_none=True, exclude={"base_url", "extra", "reasoning_tokens"})
        if self.reasoning_tokens is not None:
            named["thinking"] = {"type": "enabled", "budget_tokens": self.reasoning_tokens}
        return {**named, **self.extra}


class CallLimits(Record):
    """The limits of calls. They do not change the requests."""

    max_connections: Annotated[int, Field(ge=1)] | None = None
    """The most simultaneous calls to one model; null to adapt to the provider's limit."""
    timeout: Annotated[float, Field(gt=0)] = 120.0
    """Seconds for one attempt."""
    max_retries: Annotated[int, Field(ge=0)] = 6
    max_calls: Annotated[int, Field(ge=1)] | None = None
    """The most calls of a run or scan, over all models; no further call begins after them."""
