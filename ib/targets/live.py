"""A model that is called through the API of a provider."""

from __future__ import annotations

from dataclasses import dataclass

from ib.client.calls import Failure
from ib.client.open import Connection
from ib.models.common.price import Price
from ib.models.scan.cost import Account
from ib.models.scan.run import Completion, CompletionReply, CompletionRequest, ModelSpec


@dataclass
class LiveModel:
    """One model under test."""

    connection: Connection
    model_id: str
    """Its id in transcripts; the provider may know it by another name."""

    @property
    def spec(self) -> ModelSpec:
        """The model and its settings. They are part of the plan and of every key."""
        name, settings = self.model_id, self.connection.settings
        sampling = settings.parameters()
        if self.connection.model != name:
            sampling["model"] = self.connection.model
        if settings.base_url is not None:
            sampling["base_url"] = settings.base_url
        return ModelSpec(model_id=name, model=name.rsplit("/", 1)[-1], sampling=sampling)

    @property
    def price(self) -> Price | None:
        """The price of a call; None if it is unknown."""
        return self.connection.price

    def open(self, account: Account) -> None:
        """Check the provider, the key and the limits. `account` gets every call."""
        self.connection.open(account)

    async def answer(self, request: CompletionRequest) -> CompletionReply:
        """The model's reply to one turn, or the fault of the last attempt."""
        messages = tuple({"role": said.role, "content": said.content} for said in request.messages)
        outcome = await self.connection.ask(request.key, messages, (request.epoch or 1) - 1)
        if isinstance(outcome, Failure):
            return outcome.fault
        return Completion(outcome.text, outcome.truncated, outcome.served_model)

    async def close(self) -> None:
        """Close the connections to the provider."""
        await self.connection.close()
