"""Golden cases: the examples of a check, played through its verifier."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from ib.engine.engine import ModeEngine
from ib.engine.protocol import replay
from ib.models.base import Role, Verdict
from ib.models.check import Check, Example
from ib.models.judge import Answer, JudgeRequest, Phase
from ib.models.result import VerdictResult
from ib.models.transcript import Message, Transcript, line_hash, transcript_line

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
PERFECT = "perfect judge"


def transcript_of(check: Check, example: Example) -> Transcript:
    """An example as a transcript on which its check is due."""
    messages: list[Message] = []
    turn = 0
    before: Role | None = None
    for said in example.messages:
        if before is not Role.USER or said.role is Role.USER:
            turn += 1
        before = said.role
        time = None if said.minute is None else EPOCH + timedelta(minutes=said.minute)
        messages.append(
            Message(turn=turn, role=said.role, content=said.content, session=said.session, time=time)
        )
    while messages[-1].role is Role.USER:  # what is said after the last reply is not judged
        messages.pop()
    return Transcript(
        model_id="example/example",
        model="Example",
        scenario_id=f"{check.id}.{example.id}",
        eligible_checks=(check.id,),
        messages=tuple(messages),
    )


def play(engine: ModeEngine, check: Check, example: Example, expected: Verdict) -> VerdictResult:
    """The row of an example, with a judge that answers what the example expects.

    Where the verdict is the judge's, this proves that the question is asked, that the reply is
    read, and that the quote is found; where a lexicon or a rule decides, it proves the verdict.
    """
    transcript = transcript_of(check, example)
    indexed = engine.index(transcript, line_hash(transcript_line(transcript)))
    result = replay(
        engine.verify(indexed),
        lambda request: Answer(_answer(check, example, expected, request, transcript)),
    )
    return next(row for row in result.rows if row.mode_id == check.id)


def _answer(
    check: Check, example: Example, expected: Verdict, request: JudgeRequest, transcript: Transcript
) -> str:
    said = [m for m in transcript.messages if m.role is Role.ASSISTANT]
    turn = next((m.turn for m in said if example.quote and example.quote in m.content), said[-1].turn)
    quote = example.quote or said[-1].content
    if request.phase is Phase.EXTRACT:
        return json.dumps({"claims": [{"turn": turn, "quote": quote}]})
    value: Mapping[str, object] = {
        "verdict": expected.value,
        "rationale_code": check.rationale_codes.of(expected)[0],
        "evidence": [{"role": "assistant", "turn": turn, "quote": quote}],
        "reason": PERFECT,
    }
    return json.dumps(value)
