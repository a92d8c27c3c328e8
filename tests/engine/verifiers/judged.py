"""Questions about small conversations, and the rows that come of them."""

from __future__ import annotations

from typing import Any

from ib.engine.verifiers.llm import verify_with_judge
from ib.models.benchmark.check import Check
from ib.models.benchmark.lexicon import Lexicon
from ib.models.common.base import Unit, Verdict
from ib.models.conversation.transcript import Anchor, Transcript
from ib.models.scan.judge import (
    Answer,
    Fault,
    FaultKind,
)
from ib.models.scan.result import VerdictResult
from tests.build import (
    FAIL,
    Answering,
    Rounds,
    anchor,
    case,
    check,
    reply,
    run,
    transcript,
)

SAID = transcript("u one", "a first reply", "u two", "a second reply", "u three", "a third reply")
EVENT = check("IB-C1", unit_of_analysis=Unit.EVENT_WINDOW)
DOWN = Fault(FaultKind.TRANSIENT, "503")
VOID = Answer("no object")


def verified(
    item: Check = EVENT, said: Transcript = SAID, *lexicons: Lexicon, answer: Answering, **more: Any
) -> tuple[VerdictResult, Rounds]:
    """The row of a check on a transcript, and what was asked in each round."""
    made = case(item, said, *lexicons, **more)
    row, rounds = run(lambda: verify_with_judge(made), answer)
    assert isinstance(row, VerdictResult)
    return row, rounds


def widths(rounds: Rounds) -> list[int]:
    """How many requests each round had."""
    return [len(wanted) for wanted in rounds]


def valid(verdict: Verdict, code: str | None = None) -> Answer:
    """A reply that counts: a FAIL with words that were said."""
    return reply(verdict, *(("a first reply",) if verdict is FAIL else ()), code=code)


def anchored(*cues: int, episode: str | None = None, raises: tuple[int, ...] = ()) -> tuple[Anchor, ...]:
    """Anchors of one turn each, as a transcript holds them; `raises` are the turns that decide."""
    fields = [anchor("IB-C1", cue, cue, cue, episode, raises=cue in raises) for cue in cues]
    return transcript("u", "a", anchors=fields).anchors
