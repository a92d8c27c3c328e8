"""The interface of a model that is played against a scenario."""

from __future__ import annotations

from typing import Protocol

from ib.models.run import CompletionReply, CompletionRequest, ModelSpec


class Model(Protocol):
    """Anything that answers completion requests one at a time."""

    @property
    def spec(self) -> ModelSpec: ...

    def open(self) -> None:
        """Get ready for the first request. Raises UsageError or WorldError if the model cannot be asked."""

    async def answer(self, request: CompletionRequest) -> CompletionReply: ...

    async def close(self) -> None:
        """Let go of connections; called in the event loop of the answers, when the work is over."""


class InProcess:
    """A model without connections."""

    def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing is open."""
