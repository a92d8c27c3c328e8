"""A judge elsewhere: a model that is asked through a provider's API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ib.client.calls import Call, Failure
from ib.client.client import Client
from ib.models.judge import Answer, JudgeReply, JudgeRequest, JudgeSpec
from ib.models.settings import ModelSettings


@dataclass
class LiveJudge:
    """One model as a judge. Every answer is text; the engine reads it."""

    in_process: ClassVar[Literal[False]] = False
    model: str
    settings: ModelSettings = field(default_factory=ModelSettings)
    client: Client = field(default_factory=Client)

    @property
    def spec(self) -> JudgeSpec:
        """Which judge this is: its name, its address and its parameters are part of every key."""
        return JudgeSpec(model=self.model, base=self.settings.base_url, params=self.settings.parameters())

    async def answer(self, request: JudgeRequest) -> JudgeReply:
        """The model's answer, or the fault of the last attempt."""
        messages = (
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        )
        call = Call(
            self.model, messages, self.settings.parameters(), self.settings.base_url, self.client.timeout
        )
        outcome = await self.client.ask(call)
        return outcome.fault if isinstance(outcome, Failure) else Answer(outcome.text)

    async def close(self) -> None:
        """Close the connections to the provider."""
        await self.client.close()
