"""A model that is called through the API of a provider."""

from __future__ import annotations

from dataclasses import dataclass, field

from ib.client.calls import Call, Failure
from ib.client.client import Client
from ib.models.run import Completion, CompletionReply, CompletionRequest, ModelSpec
from ib.models.settings import ModelSettings


@dataclass
class LiveModel:
    """One model under test."""

    model: str
    settings: ModelSettings = field(default_factory=ModelSettings)
    client: Client = field(default_factory=Client)

    @property
    def spec(self) -> ModelSpec:
        """The model and its settings. They are part of the plan and of every key."""
        sampling = self.settings.parameters()
        if self.settings.base_url is not None:
            sampling["base_url"] = self.settings.base_url
        return ModelSpec(model_id=self.model, model=self.model.rsplit("/", 1)[-1], sampling=sampling)

    async def answer(self, request: CompletionRequest) -> CompletionReply:
        """The model's reply to one turn, or the fault of the last attempt."""
        messages = tuple({"role": said.role, "content": said.content} for said in request.messages)
        call = Call(
            self.model, messages, self.settings.parameters(), self.settings.base_url, self.client.timeout
        )
        outcome = await self.client.ask(call)
        if isinstance(outcome, Failure):
            return outcome.fault
        return Completion(outcome.text, outcome.truncated, outcome.served_model)

    async def close(self) -> None:
        """Close the connections to the provider."""
        await self.client.close()
