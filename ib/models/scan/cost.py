"""The cost of a run or scan: the estimate in its plan, each paid call, and what all calls cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Annotated, Protocol

from pydantic import Field

from ib.models.common.base import Record, Sha256
from ib.models.common.price import Price

Tokens = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]


class Estimate(Record):
    """What the calls to one model are planned to be. Tokens are those of prompts and replies as rendered or
    assumed; a provider may count others."""

    model: str
    calls: Count
    """The least calls, if every question is answered and nothing comes from a cache."""
    calls_expected: Count
    """The expected calls."""
    calls_max: Count
    """The most calls, whatever the replies are. A call is an attempt that the provider answered."""
    input_tokens: Count
    """The expected tokens of prompts."""
    cacheable_tokens: Count
    """Those of them at the start of a prompt that an earlier call had already sent."""
    cached_tokens: Count
    """Those of them that are expected to come from the provider's cache, which not every provider has."""
    output_tokens: Count
    """The expected tokens of replies, reasoning included. This is an assumption."""
    input_tokens_max: Count | None
    """The most tokens of prompts; null if they depend on replies without a limit of tokens."""
    output_tokens_max: Count | None
    """The most tokens of replies; null if they have no limit."""
    usd: float | None
    """The expected cost in US dollars; null if the price is unknown."""
    usd_max: float | None
    """The highest cost in US dollars; null if the price is unknown, or if replies have no limit."""
    price: Price | None
    """The price of the model; null if it is unknown."""
    counted_with: str
    """How tokens were counted."""


class EstimateTables(Record):
    """What an estimate was made from."""

    prices: dict[str, Sha256]
    """The price tables by name, with the SHA-256 of each."""
    assumptions: Sha256
    """The hash of the assumptions, `configs/estimates.yaml`."""


class UnitState(StrEnum):
    """How a planned unit ended. A unit is one repetition of one question."""

    ANSWERED = "answered"
    """The judge answered."""
    FROM_CACHE = "from_cache"
    """An earlier scan had the answer."""
    REFUSED = "refused"
    """The judge, or the provider's filter, refused to answer."""
    FAULT = "fault"
    """No answer came. The unit can be asked again with --resume."""
    NOT_RECORDED = "not_recorded"
    """The recording of votes has no such vote."""
    NOT_NEEDED = "not_needed"
    """The plan allowed for it, and earlier replies made it unnecessary."""
    NOT_ASKED = "not_asked"
    """The run or scan was stopped, for example by a limit, before it was asked."""


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


class Attempt(Record):
    """A line of `attempts.jsonl`: an attempt at a call begins, or one has ended without an answer.

    An answered attempt is a line of `calls.jsonl`. An attempt that is in neither list was lost when its
    session was killed. The provider may have answered it, and charged for it; so it may with an attempt
    that took too long, which counts as lost too.
    """

    key: Sha256
    """The key of the request."""
    model: str
    usd_max: Annotated[float, Field(ge=0)] | None = None
    """The highest cost of the call, if the attempt begins; null if the price is unknown."""
    unanswered: bool = False
    """True if the attempt ended without an answer."""
    timed_out: bool = False
    """True if the attempt ended because it took too long."""
    batched: bool = False
    """True if the attempt is a line of a batch, which a kill does not end."""


ANSWERED, STOPPED, RETRY = "answered", "stopped", "retry"


@dataclass(frozen=True, slots=True)
class CallEvent:
    """What happened to a call: an attempt has ended, or another one will follow. It has no text of a call."""

    model: str
    kind: str
    """How the attempt ended: `answered`, `stopped` by the end of the work, or the kind of its fault. `retry`
    if another attempt follows."""
    seconds: float
    """How long the attempt took, with its wait for --rpm and --tpm; for a retry, the wait before it."""
    answered: bool = False
    """True if the provider answered the attempt, with or without a usable reply: it may cost something."""
    input_tokens: int | None = None
    """The tokens of the prompt; None if the provider sent no counts."""
    output_tokens: int | None = None
    """The tokens of the reply, reasoning included."""

    @property
    def failed(self) -> bool:
        """True if an attempt got no answer."""
        return not self.answered and self.kind not in (RETRY, STOPPED)


class Account(Protocol):
    """The calls of a run or scan over all its sessions, as its folder lists them."""

    @property
    def made(self) -> int:
        """The calls, with those that were lost in a kill."""

    @property
    def usd_max(self) -> float:
        """The most US dollars that these calls can have cost."""

    @property
    def usd_lost_max(self) -> float:
        """The part of `usd_max` that the lost calls can have cost."""

    def begin(self, attempt: Attempt) -> None:
        """Write down an attempt before it begins."""

    def end_unanswered(self, attempt: Attempt, *, timed_out: bool = False) -> None:
        """Write down that an attempt ended without an answer."""

    def adopt(self, key: str) -> Attempt | None:
        """The attempt at a request in a batch of an earlier session, to go on with; None if there is none."""

    def write(self, call: PaidCall) -> None:
        """Write down an answered attempt, before its reply is used."""

    def note(self, event: CallEvent) -> None:
        """Count what happened, and report it. Nothing is written down."""


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
    calls_lost: Tokens = 0
    """The attempts that were under way when a session was killed. They are not among `calls`, but the
    provider may have answered them."""
    usd_lost_max: Annotated[float, Field(ge=0)] = 0.0
    """The most US dollars that the lost attempts can have cost, if the price is known."""
    calls_again: Tokens = 0
    """The calls and lost attempts for a request that had been paid for before: its reply was cut off, empty
    or a fault, or was lost in a kill."""


def spent_usd(spending: Iterable[Spending], *, price_known: bool) -> float | None:
    """What all calls cost, in US dollars. Returns None if a price or the cost of a call is unknown."""
    every = tuple(spending)
    if not price_known or any(one.calls_of_unknown_cost for one in every):
        return None
    return fsum(one.usd for one in every)
