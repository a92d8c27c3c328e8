"""A call to a model over the network, and its possible outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ib.models.scan.judge import Fault, FaultKind

Message: TypeAlias = Mapping[str, str]
"""A `role` and a `content`."""


@dataclass(frozen=True)
class Call:
    """One request to a model."""

    model: str
    """The name in litellm, such as `openai/gpt-4o`."""
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    timeout: float = 120.0
    """Seconds for one attempt."""
    key: str = ""
    """The key of the request that it serves, for the list of paid calls."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call, as the provider counted them."""

    prompt: int = 0
    completion: int = 0
    """The tokens of the reply, reasoning included."""
    cached: int = 0
    """The tokens of the prompt that came from the provider's cache."""
    reasoning: int = 0
    """The tokens of the reply that are reasoning."""
    price_share: float = 1.0
    """The share of the usual price that these tokens cost."""

    @property
    def known(self) -> bool:
        """False if the provider sent no counts."""
        return self.prompt > 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of a model."""

    text: str
    truncated: bool
    """True if the reply was cut off because it reached the token limit."""
    served_model: str | None
    usage: Usage
    refused: bool = False
    """True if the provider itself marks the reply as a refusal of the model. `text` is then its words."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt without a reply, and how long the provider asked to wait."""

    fault: Fault
    retry_after: float | None = None
    """Seconds."""
    usage: Usage | None = None
    """The tokens, if the provider answered, but without a usable reply. Such a call may cost money too."""
    timed_out: bool = False
    """True if the attempt ended because it took too long: the provider may still charge for it."""


def timed_out(seconds: float) -> Failure:
    """The failure of an attempt that had no answer within so many seconds."""
    return Failure(Fault(FaultKind.TRANSIENT, f"no answer within {seconds:g} s"), timed_out=True)


Outcome: TypeAlias = Reply | Failure

RETRIED = frozenset({FaultKind.RATE_LIMIT, FaultKind.TRANSIENT, FaultKind.EMPTY})
"""The faults after which another attempt may succeed."""
MOST_CALLS = 2
"""The maximum number of calls for one request: a second one follows a reply that cannot be used."""
