"""A judge elsewhere: which form of the reply goes with each question."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ib.client.budget import Budget
from ib.client.calls import Call, Outcome, Reply, Usage
from ib.client.client import Client
from ib.client.open import Connection
from ib.engine.questions.prompts import Question
from ib.judges.live import LiveJudge
from ib.models.common.base import Unit
from ib.models.common.settings import ModelLimits, ModelSettings
from ib.models.scan.judge import JudgeReply, Phase, UnitSpan
from ib.pipeline.common.configured import Calling
from ib.pipeline.scan.judges import open_judge
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from tests.build import case, check, transcript

CONTEXT = case(check(), transcript("u", "a"))
QUESTION = Question(CONTEXT.check, UnitSpan(Unit.SESSION_STATE, 1, 1), Phase.DECIDE)
(REQUEST,) = CONTEXT.asker.requests(QUESTION, CONTEXT.indexed, (1,))


@dataclass
class Provider:
    """Keeps the calls, and gives one outcome to all."""

    outcome: Outcome = field(default_factory=lambda: Reply("{}", False, None, Usage()))
    calls: list[Call] = field(default_factory=list)

    async def attempt(self, call: Call) -> Outcome:
        self.calls.append(call)
        return self.outcome


def asked(provider: Provider, settings: ModelSettings | None = None, *, takes_schema: bool) -> JudgeReply:
    """The reply of a judge behind this provider to one question."""
    connection = Connection("openai/m", settings or ModelSettings(), ModelLimits(), Budget(calls=9))
    connection._client = Client(attempt=provider.attempt, budget=connection.budget)
    judge = LiveJudge(connection, takes_schema=takes_schema)
    return asyncio.run(judge.answer(REQUEST))


def test_the_schema_of_the_reply_goes_with_the_question() -> None:
    """Only where the provider takes one, and not over a form that the user chose."""
    provider = Provider()
    asked(provider, takes_schema=True)
    asked(provider, takes_schema=False)
    asked(provider, ModelSettings(extra={"response_format": {"type": "text"}}), takes_schema=True)
    form = {"name": "reply", "schema": REQUEST.schema, "strict": True}
    assert [call.parameters.get("response_format") for call in provider.calls] == [
        {"type": "json_schema", "json_schema": form},
        None,
        {"type": "text"},
    ]


@pytest.mark.parametrize(
    ("name", "base_url", "takes"),
    [
        ("openai/gpt-4o", None, True),
        ("openai/gpt-4o", "http://127.0.0.1:1/v1", False),
        ("openai/nobody-knows", None, False),
    ],
)
def test_who_takes_a_schema_is_known_before_the_first_call(
    name: str, base_url: str | None, takes: bool
) -> None:
    """By litellm's table; it is part of every key. Behind an address of one's own anything may stand."""
    root: Path = benchmark_folder()
    settings = ModelSettings(base_url=base_url)
    judge = open_judge(name, load_benchmark(), root, Calling(settings=settings))
    assert isinstance(judge, LiveJudge)
    assert judge.takes_schema is takes
    assert ("response_format" in judge.spec.params) is takes
