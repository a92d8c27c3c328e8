"""Judges of units and recordings of whole checks: only one module knows how they differ."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from pydantic import ValidationError

from ib.engine.votes.granularity import units_of
from ib.engine.votes.voting import Quota, Stop
from ib.models.common.base import Unit
from ib.models.scan.ballot import Window
from ib.models.scan.judge import Granularity, JudgeRequest, Phase, UnitSpan
from tests.build import check

CHECK = check("IB-C1", repetitions=3)
REQUEST = JudgeRequest(
    "k", CHECK.id, "m", "s", None, UnitSpan(Unit.TURN_LEVEL, 1, 1), Phase.DECIDE, 1, 1, "", ""
)
ROOT = Path(__file__).resolve().parents[2] / "ib"
KNOWN = {
    "models/scan/judge.py",
    "models/scan/plan.py",
    "engine/votes/granularity.py",
    "judges/recorded.py",
    "engine/mode_engine.py",
    "board/figures/build.py",
    "pipeline/scan/supplements.py",
    "pipeline/scan/sentinels.py",
    "pipeline/release/rejudge.py",
    "batch/rounds.py",
}
"""Where granularity is defined, used and said; the engine passes it on, the board tells readers of it, no
recording is asked about over-alarm or gets sentinels, two recordings of one judge may be compared, a judge
that is asked again may be asked in other units, and rounds cost what a scan costs."""


def test_a_recording_is_asked_one_question_a_check() -> None:
    """A recording is asked about the whole transcript; any other judge gets the verifier's questions."""
    question = units_of(Granularity.CHECK).whole(CHECK, 7)
    assert question is not None
    assert (question.check, question.span) == (CHECK, UnitSpan(Unit.SESSION_STATE, 1, 7))
    assert (question.phase, question.cues, question.hints) == (Phase.DECIDE, (), ())
    assert units_of(Granularity.WINDOW).whole(CHECK, 7) is None


def test_a_recording_is_not_asked_again() -> None:
    """It has one answer for each repetition; any other judge may do better at the second attempt."""
    assert not units_of(Granularity.CHECK).asks_again
    assert units_of(Granularity.WINDOW).asks_again


@pytest.mark.parametrize(("recorded", "asked"), [(0, 3), (1, 3), (3, 3), (5, 5)])
def test_every_recorded_vote_counts(recorded: int, asked: int) -> None:
    """All recorded votes are replayed, without a stop rule; any other judge is asked K times."""
    for stop, more in product(Stop, (0, 2)):
        planned = Quota(3, stop, more)
        assert units_of(Granularity.CHECK).votes(planned, lambda: recorded) == Quota(asked)
        assert units_of(Granularity.WINDOW).votes(planned, lambda: recorded) == planned


def test_one_module_knows_what_a_recording_is_asked() -> None:
    """No other module of the package looks at the granularity of a judge."""
    naming = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if re.search(r"\bGranularity\b|\.granularity\b(?! import)|is_recording", path.read_text())
    }
    assert naming == KNOWN


@pytest.mark.parametrize(("first", "last"), [(0, 1), (2, 1), (-1, -1)])
def test_a_unit_that_ends_before_it_begins_does_not_construct(first: int, last: int) -> None:
    """Turns are counted from 1, and a unit has one at least."""
    with pytest.raises(ValueError, match=f"from turn {first} to turn {last}"):
        UnitSpan(Unit.TURN_LEVEL, first, last)


@pytest.mark.parametrize(
    "context",
    [((1, 2),), ((4, 5),), ((3, 2),), ((6, 7),), ((3, 3), (2, 2)), ((2, 3), (3, 4)), ((2, 2), (3, 3))],
)
def test_context_is_inside_the_turns_that_are_judged(context: tuple[tuple[int, int], ...]) -> None:
    """A unit begins and ends with a judged turn, and its stretches of context are in order and apart."""
    with pytest.raises(ValueError, match="is not inside turns 1 to 5, or not in order"):
        UnitSpan(Unit.EVENT_WINDOW, 1, 5, context=context)
    window = {"kind": "event_window", "first": 1, "last": 5, "phase": "decide", "asked": 1, "verdict": "PASS"}
    with pytest.raises(ValidationError, match="is not inside turns 1 to 5"):
        Window.model_validate({**window, "context": context})
    whole = Window.model_validate({**window, "context": [[2, 2], [4, 4]]})
    assert whole.judged == UnitSpan(Unit.EVENT_WINDOW, 1, 5, context=((2, 2), (4, 4))).judged
    assert whole.judged == ((1, 1), (3, 3), (5, 5))
