"""The windows that a verifier judges."""

from __future__ import annotations

from itertools import product

import pytest

from ib.engine.windows import windows
from ib.models.base import Unit
from ib.models.judge import UnitSpan
from tests.build import anchor, check, transcript

EVENT = check(unit_of_analysis=Unit.EVENT_WINDOW)
SAID = ("u1", "a1", "u2", "a2", "u3", "a3", "u4", "a4")


def ranges(*anchors: dict[str, object]) -> list[tuple[int, int]]:
    """The turns of the windows of a check over four turns."""
    return [(s.first, s.last) for s in windows(EVENT, transcript(*SAID, anchors=anchors)).spans]


def test_lesson_12_every_anchor_is_a_window() -> None:
    """Each anchor of the check has its window, in order; anchors of other checks have none."""
    record = transcript(
        *SAID,
        anchors=(
            anchor(EVENT.id, 1, 1, 2),
            anchor("IB-A1", 2, 2, 2),
            anchor(EVENT.id, 3, 4, 4),
            anchor(EVENT.id, 1, 1, 2),
        ),
    )
    found = windows(EVENT, record)
    assert found.spans == (
        UnitSpan(Unit.EVENT_WINDOW, 1, 2, 0),
        UnitSpan(Unit.EVENT_WINDOW, 3, 4, 1),
        UnitSpan(Unit.EVENT_WINDOW, 1, 2, 2),
    )
    assert (found.anchored, found.notices) == (True, ())


def test_every_small_anchor_is_clamped_or_dropped_with_a_notice() -> None:
    """A window is within the transcript and begins at the cue; clamping gives a notice."""
    for cue, first, length in product(range(1, 8), range(1, 8), range(3)):
        last = first + length
        found = windows(EVENT, transcript(*SAID, anchors=(anchor(EVENT.id, cue, first, last),)))
        begin = min(cue, first)
        if begin > 4:
            assert (found.spans, found.anchored) == ((UnitSpan(Unit.EVENT_WINDOW, 1, 4),), False)
            assert found.notices == (f"anchor at turn {cue} lies beyond the last turn 4",)
            continue
        assert found.spans == (UnitSpan(Unit.EVENT_WINDOW, begin, min(last, 4), 0),)
        assert found.anchored
        clamped = f"window of turn {cue} clamped from {last} to 4"
        assert found.notices == ((clamped,) if last > 4 else ())


def test_ordinals_skip_what_was_dropped() -> None:
    """An anchor that lies beyond the transcript leaves no hole among the windows."""
    record = transcript(
        *SAID, anchors=(anchor(EVENT.id, 9, 9, 9), anchor(EVENT.id, 2, 2, 9), anchor(EVENT.id, 3, 3, 3))
    )
    found = windows(EVENT, record)
    assert [(s.first, s.last, s.ordinal) for s in found.spans] == [(2, 4, 0), (3, 3, 1)]
    assert len(found.notices) == 2


def test_without_an_anchor_the_window_is_the_whole_session() -> None:
    """No anchor of this check: the whole session, and not taken for an authored cue."""
    for anchors in ((), (anchor("IB-A1", 1, 1, 1),)):
        found = windows(EVENT, transcript(*SAID, anchors=anchors))
        assert found.spans == (UnitSpan(Unit.EVENT_WINDOW, 1, 4),)
        assert not found.anchored


@pytest.mark.parametrize("unit", [u for u in Unit if u is not Unit.EVENT_WINDOW])
def test_other_units_read_the_whole_whatever_the_anchors(unit: Unit) -> None:
    """Anchors bound the event windows alone."""
    item = check(unit_of_analysis=unit)
    found = windows(item, transcript(*SAID, anchors=(anchor(item.id, 2, 2, 2),)))
    assert (found.spans, found.anchored) == ((UnitSpan(unit, 1, 4),), False)
