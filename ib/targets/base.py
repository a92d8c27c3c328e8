"""The interface of a model that is played against a scenario."""

from __future__ import annotations

from typing import ClassVar, Protocol

from ib.models.common.price import Price
from ib.models.scan.cost import Account
from ib.models.scan.run import CompletionReply, CompletionRequest, ModelSpec


class Model(Protocol):
    """Anything that answers completion requests one at a time."""

    @property
    def spec(self) -> ModelSpec: ...

    @property
    def price(self) -> Price | None:
        """The price of its calls; None if it is unknown, or if calls cost nothing."""

    def open(self, account: Account, /) -> None:
        """Get ready for the first request. Calls that may cost something are written to `account`.

        Raises UsageError or WorldError if the model cannot be asked.
        """

    async def answer(self, request: CompletionRequest) -> CompletionReply: ...

    async def close(self) -> None:
        """Let go of connections; called in the event loop of the answers, when the work is over."""


class InProcess:
    """A model without connections, whose replies cost nothing."""

    price: ClassVar[None] = None

    def open(self, account: Account, /) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing is open."""
