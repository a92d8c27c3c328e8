"""A judge that is a model elsewhere: what its provider marks as a refusal is one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ib.client.budget import Budget
from ib.client.open import Connection
from ib.judges.live import LiveJudge
from ib.models.common.base import Unit
from ib.models.common.settings import ModelLimits, ModelSettings
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, Phase, Refusal, UnitSpan
from ib.store.folders.calls import CallList
from ib.testing import Conditions, LoopbackServer, Trouble

REQUEST = JudgeRequest(
    key="0" * 64, check_id="IB-A1", model_id="m", scenario_id="s", epoch=None,
    unit=UnitSpan(Unit.SESSION_STATE, 1, 1), phase=Phase.DECIDE, repetition=1, attempt=1,
    system="Judge.", user="Did it fail?",
)  # fmt: skip


def answer(conditions: Conditions, folder: Path) -> JudgeReply:
    """What a judge behind a server answers to one question."""

    async def asked(address: str, calls: CallList) -> JudgeReply:
        settings = ModelSettings(base_url=address)
        judge = LiveJudge(Connection("openai/judge", settings, ModelLimits(), Budget(calls=9)))
        judge.open(calls)
        try:
            return await judge.answer(REQUEST)
        finally:
            await judge.close()

    with LoopbackServer(lambda model, messages: "PASS", conditions) as server, CallList(folder) as calls:
        return asyncio.run(asked(server.base_url, calls))


@pytest.mark.parametrize("trouble", [Trouble.REFUSAL_FIELD, Trouble.CONTENT_FILTER, Trouble.FILTERED_PROMPT])
def test_lesson_53_a_refusal_is_an_outcome_of_its_own(trouble: Trouble, tmp_path: Path) -> None:
    """The words of a refusal are not read as an answer, and it is not asked again."""
    share: dict[str, Any] = {trouble.value: 1.0}
    assert isinstance(answer(Conditions(**share), tmp_path), Refusal)


@pytest.mark.parametrize("conditions", [Conditions(), Conditions(refusal=1.0)])
def test_words_are_an_answer(conditions: Conditions, tmp_path: Path) -> None:
    """Also those that decline: the engine reads them, and finds no verdict."""
    assert isinstance(answer(conditions, tmp_path), Answer)
