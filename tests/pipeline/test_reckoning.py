"""Every planned unit of a scan ends in exactly one state."""

from __future__ import annotations

from typing import Any

from ib.engine.questions.protocol import Asking, Replies, Requests, replay
from ib.models.common.base import Unit
from ib.models.scan.judge import (
    Answer,
    Fault,
    FaultKind,
    JudgeReply,
    JudgeRequest,
    NotRecorded,
    Phase,
    Refusal,
    UnitSpan,
)
from ib.pipeline.scan.session import Reckoning

SPAN = UnitSpan(Unit.SESSION_STATE, 1, 1)
REPLIES: dict[str, JudgeReply] = {
    "a": Answer("yes"),
    "b": Answer("unreadable"),
    "c": Fault(FaultKind.TRANSIENT, "503"),
    "d": Refusal("no"),
    "e": NotRecorded(),
}


def request(name: str, repetition: int = 1, attempt: int = 1) -> JudgeRequest:
    """A question about one check. The key says which question, repetition and attempt it is."""
    key = f"{name}{repetition}{attempt}"
    told = (key, name, "lab/m", "s", None, SPAN, Phase.DECIDE, repetition, attempt, "", "")
    return JudgeRequest(*told)


def verified(*rounds: Requests) -> Asking[str]:
    """A verification that asks these rounds."""
    for wanted in rounds:
        _: Replies = yield wanted
    return "done"


FIRST = tuple(request(name) for name in REPLIES)


def ended(reckoning: Reckoning, planned: int, *, complete: bool = True) -> dict[str, int]:
    """The states that occur, by name."""
    units = reckoning.units(planned, complete=complete)
    assert sum(units.values()) == planned
    return {state.value: count for state, count in units.items() if count}


def test_each_kind_of_reply_is_a_state() -> None:
    """What the plan allowed for and nobody asked was not needed."""
    reckoning = Reckoning()
    assert replay(reckoning.watched(verified(FIRST)), lambda r: REPLIES[r.check_id]) == "done"
    found = {"answered": 2, "fault": 1, "refused": 1, "not_recorded": 1, "not_needed": 3}
    assert ended(reckoning, 8) == found


def test_a_second_attempt_is_the_same_unit() -> None:
    """Its outcome is that of the unit; another repetition is a unit of its own."""
    again = (request("b", attempt=2), request("a", repetition=2))
    replies: dict[str, Any] = {"b12": Fault(FaultKind.TRANSIENT, "503")}
    reckoning = Reckoning()
    replay(reckoning.watched(verified(FIRST[:2], again)), lambda r: replies.get(r.key, REPLIES[r.check_id]))
    assert ended(reckoning, 3) == {"answered": 2, "fault": 1}


def test_an_answer_without_a_call_came_from_the_cache() -> None:
    """If the judge lists its calls; a judge that lists none has answered."""
    reckoning = Reckoning(paid={"a11"})
    replay(reckoning.watched(verified(FIRST[:2])), lambda r: REPLIES[r.check_id])
    assert ended(reckoning, 2) == {"answered": 1, "from_cache": 1}


def test_what_a_stop_left_open_was_not_asked() -> None:
    """A unit that was paid for and not used is answered: its reply is in the journal."""
    reckoning = Reckoning(paid={"a11"})
    asking = reckoning.watched(verified(FIRST[:2]))
    next(asking)
    assert ended(reckoning, 5, complete=False) == {"answered": 1, "not_asked": 4}
