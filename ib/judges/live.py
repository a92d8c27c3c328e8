"""A judge elsewhere: a model that is asked through a provider's API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ib.client.calls import Failure, Message
from ib.client.open import Connection
from ib.models.common.price import Price
from ib.models.scan.cost import Account
from ib.models.scan.judge import Answer, FaultKind, JudgeReply, JudgeRequest, JudgeSpec, Refusal

REFUSED = "the provider marks the reply as a refusal"


@dataclass
class LiveJudge:
    """One model as a judge. Every answer is text; the engine reads it."""

    in_process: ClassVar[Literal[False]] = False
    lists_calls: ClassVar[bool] = True
    connection: Connection
    takes_schema: bool = False
    """True if the provider takes a JSON schema for the reply. Then each question is sent with one."""

    @property
    def spec(self) -> JudgeSpec:
        """Which judge this is: its name, its address and its parameters are part of every key."""
        settings = self.connection.settings
        params = settings.parameters()
        if self.takes_schema:
            params["response_format"] = "json_schema"
        return JudgeSpec(model=self.connection.model, base=settings.base_url, params=params)

    @property
    def price(self) -> Price | None:
        """The price of a call; None if it is unknown."""
        return self.connection.price

    def open(self, account: Account) -> None:
        """Check the provider, the key and the limits. `account` gets every call."""
        self.connection.open(account)

    @property
    def in_batches(self) -> bool:
        """True if its connection answers in batches."""
        return self.connection.batching is not None

    @property
    def room(self) -> int:
        """The highest number of concurrent calls that the client's pace can reach."""
        return self.connection.client.pace.most

    async def answer(self, request: JudgeRequest) -> JudgeReply:
        """The model's answer, its refusal as the provider reports it, or the fault of the last attempt."""
        schema = request.schema if self.takes_schema else None
        sample = request.repetition - 1
        outcome = await self.connection.ask(request.key, judge_messages(request), sample, schema)
        if not isinstance(outcome, Failure):
            return Refusal(REFUSED) if outcome.refused else Answer(outcome.text)
        if outcome.fault.kind is FaultKind.CONTENT_FILTER:
            return Refusal(outcome.fault.detail)
        return outcome.fault

    def give_up(self, error: Exception) -> None:
        """Begin no more calls: each that waits for its turn raises this error."""
        self.connection.client.give_up(error)

    async def close(self) -> None:
        """Close the connections to the provider."""
        await self.connection.close()


def judge_messages(request: JudgeRequest) -> tuple[Message, ...]:
    """The messages that ask a question."""
    return ({"role": "system", "content": request.system}, {"role": "user", "content": request.user})
