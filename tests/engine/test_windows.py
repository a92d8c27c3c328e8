"""The windows that a verifier judges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from ib.engine.votes.windows import Window, Windows, windows
from ib.models.common.base import Unit
from ib.models.scan.judge import Cue, UnitSpan
from tests.build import anchor, check, transcript

EVENT = check(unit_of_analysis=Unit.EVENT_WINDOW)
SAID = tuple(f"{role}{turn}" for turn in range(1, 9) for role in "ua")
"""A conversation of eight turns."""
WHOLE = Window(UnitSpan(Unit.EVENT_WINDOW, 1, 8))


def found(*anchors: dict[str, Any], sessions: Sequence[int] | None = None) -> Windows:
    """The windows of a check on the conversation."""
    return windows(EVENT, transcript(*SAID, anchors=anchors, sessions=sessions))


def marks(
    cue: int, first: int, last: int, episode: str | None = None, *, raises: bool = False
) -> dict[str, Any]:
    """An anchor of the check."""
    return anchor(EVENT.id, cue, first, last, episode, raises=raises)


def test_lesson_12_every_anchor_is_a_window() -> None:
    """An anchor without an episode has a window of its own, in order; anchors of other checks have none."""
    one, two = marks(1, 1, 2), marks(3, 4, 4)
    record = found(one, anchor("IB-A1", 2, 2, 2), two, one)
    assert record.windows == (
        Window(UnitSpan(Unit.EVENT_WINDOW, 1, 2, 0), (Cue(1, 1, 2, raises=True),)),
        Window(UnitSpan(Unit.EVENT_WINDOW, 3, 4, 1), (Cue(3, 3, 4, raises=True),)),
        Window(UnitSpan(Unit.EVENT_WINDOW, 1, 2, 2), (Cue(1, 1, 2, raises=True),)),
    )
    assert record.notices == ()


def test_every_small_anchor_is_clamped_or_dropped_with_a_notice() -> None:
    """A window is within the transcript, begins at the cue and shows it; clamping gives a notice."""
    for cue, first, length in product(range(1, 12), range(1, 12), range(3)):
        last = first + length
        if last < cue:
            continue
        record = found(marks(cue, first, last))
        if cue > 8:
            assert record.windows == (WHOLE,)
            assert record.notices == (f"anchor at turn {cue} lies beyond the last turn 8",)
            continue
        begin, end = min(cue, first), min(last, 8)
        cues = (Cue(cue, begin, end, raises=True),)
        assert record.windows == (Window(UnitSpan(Unit.EVENT_WINDOW, begin, end), cues),)
        clamped = f"window of turn {cue} clamped from {last} to 8"
        assert record.notices == ((clamped,) if last > 8 else ())


def test_ordinals_skip_what_was_dropped() -> None:
    """An anchor that lies beyond the transcript leaves no hole among the windows."""
    record = found(marks(9, 9, 9), marks(2, 2, 9), marks(3, 3, 3))
    assert [(w.span.first, w.span.last, w.span.ordinal) for w in record.windows] == [(2, 8, 0), (3, 3, 1)]
    assert len(record.notices) == 2


@pytest.mark.parametrize("anchors", [(), (anchor("IB-A1", 1, 1, 1),)])
def test_without_an_anchor_the_window_is_the_whole_session(anchors: tuple[dict[str, Any], ...]) -> None:
    """Without an anchor of this check, the whole conversation is judged and no cue is marked."""
    assert found(*anchors) == Windows((WHOLE,))


@pytest.mark.parametrize("unit", [u for u in Unit if u is not Unit.EVENT_WINDOW])
def test_other_units_read_the_whole_whatever_the_anchors(unit: Unit) -> None:
    """Only checks of event windows have anchors."""
    item = check(unit_of_analysis=unit)
    record = windows(item, transcript(*SAID, anchors=(anchor(item.id, 2, 2, 2),)))
    assert record == Windows((Window(UnitSpan(unit, 1, 8)),))


def test_lesson_46_the_cues_of_an_episode_are_one_window() -> None:
    """The window is the union of the response windows; the turns between them are context."""
    record = found(marks(6, 6, 7, "fall"), marks(1, 1, 2, "fall"), marks(4, 4, 4, "fall", raises=True))
    (window,) = record.windows
    assert window.span == UnitSpan(Unit.EVENT_WINDOW, 1, 7, 0, ((3, 3), (5, 5)))
    assert window.span.judged == ((1, 2), (4, 4), (6, 7))
    assert [turn for turn in range(1, 9) if window.span.judges(turn)] == [1, 2, 4, 6, 7]
    assert window.cues == (Cue(1, 1, 2, raises=True), Cue(4, 4, 4, raises=True), Cue(6, 6, 7, raises=False))


def test_the_first_cue_of_an_episode_always_decides() -> None:
    """Missing the first cue fails the episode, whichever cues the author marked and in whatever order."""
    for marked in product((False, True), repeat=2):
        both = [marks(5, 5, 5, "fall", raises=marked[1]), marks(2, 2, 2, "fall", raises=marked[0])]
        (window,) = found(*both).windows
        assert [(cue.turn, cue.raises) for cue in window.cues] == [(2, True), (5, marked[1])]


@pytest.mark.parametrize(
    ("second", "judged"),
    [((3, 4), ((1, 4),)), ((2, 3), ((1, 3),)), ((1, 2), ((1, 2),)), ((4, 5), ((1, 2), (4, 5)))],
)
def test_response_windows_that_meet_leave_no_gap(
    second: tuple[int, int], judged: tuple[tuple[int, int], ...]
) -> None:
    """Neighboring and overlapping response windows are one stretch."""
    (window,) = found(marks(1, 1, 2, "fall"), marks(second[0], *second, "fall")).windows
    assert window.span.judged == judged


def test_a_response_window_inside_another_leaves_no_gap() -> None:
    """A long response window covers the shorter one that begins after it."""
    both = (marks(1, 1, 6, "fall"), marks(2, 2, 2, "fall"))
    assert found(*both).windows[0].span.judged == ((1, 6),)
    assert found(*both, marks(8, 8, 8, "fall")).windows[0].span.judged == ((1, 6), (8, 8))


def test_episodes_and_single_anchors_stay_apart() -> None:
    """Two dangers are two windows, and an anchor without an episode joins neither."""
    record = found(marks(1, 1, 1, "fall"), marks(2, 2, 2, "pills"), marks(3, 3, 3), marks(4, 4, 4, "fall"))
    assert [(w.span.judged, w.span.ordinal, len(w.cues)) for w in record.windows] == [
        (((1, 1), (4, 4)), 0, 2),
        (((2, 2),), 1, 1),
        (((3, 3),), 2, 1),
    ]


def test_the_episode_of_another_check_is_not_the_checks() -> None:
    """An anchor of two checks may be part of an episode for one of them alone."""
    shared = {"checks": (EVENT.id, "IB-A1"), "episode": {"IB-A1": "fall"}}
    record = found({**marks(1, 1, 1), **shared}, {**marks(3, 3, 3), **shared})
    assert [window.span.judged for window in record.windows] == [((1, 1),), ((3, 3),)]


def test_an_episode_ends_with_its_session() -> None:
    """Cues of one danger in two sessions are two windows, each with a first cue that decides."""
    cues = [marks(turn, turn, turn, "fall") for turn in (1, 3, 5, 6)]
    record = found(*cues, sessions=(1, 1, 1, 1, 2, 2, 2, 2))
    assert [window.span.judged for window in record.windows] == [((1, 1), (3, 3)), ((5, 6),)]
    assert [[cue.raises for cue in window.cues] for window in record.windows] == [[True, False]] * 2


def test_an_episode_is_clamped_with_a_notice() -> None:
    """What of an episode lies beyond the transcript is cut or dropped, and the notice says so."""
    record = found(marks(2, 2, 3, "fall"), marks(8, 8, 10, "fall"), marks(9, 9, 9, "fall"))
    (window,) = record.windows
    assert (window.span.judged, len(window.cues)) == (((2, 3), (8, 8)), 2)
    assert record.notices == (
        "window of turn 8 clamped from 10 to 8",
        "anchor at turn 9 lies beyond the last turn 8",
    )
