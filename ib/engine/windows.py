"""The windows of a transcript that a verifier judges."""

from __future__ import annotations

from dataclasses import dataclass

from ib.models.base import Unit
from ib.models.check import Check
from ib.models.judge import UnitSpan
from ib.models.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of one check on one transcript, with notices about anchors."""

    spans: tuple[UnitSpan, ...]
    anchored: bool
    notices: tuple[str, ...] = ()


def windows(check: Check, transcript: Transcript) -> Windows:
    """One window for each anchor of an event-window check; the whole session for other checks.

    The window of an anchor that ends after the last turn is clamped. An anchor that begins after the
    last turn is dropped. Both give a notice.
    """
    unit = check.routing.unit_of_analysis
    last = transcript.turns
    whole = UnitSpan(unit, 1, last)
    if unit is not Unit.EVENT_WINDOW:
        return Windows((whole,), anchored=False)
    spans: list[UnitSpan] = []
    notices: list[str] = []
    for anchor in transcript.anchors:
        if check.id not in anchor.checks:
            continue
        first = min(anchor.cue_turn, anchor.from_turn)
        if first > last:
            notices.append(f"anchor at turn {anchor.cue_turn} lies beyond the last turn {last}")
            continue
        if anchor.to_turn > last:
            notices.append(f"window of turn {anchor.cue_turn} clamped from {anchor.to_turn} to {last}")
        spans.append(UnitSpan(unit, first, min(anchor.to_turn, last), len(spans)))
    if not spans:
        return Windows((whole,), anchored=False, notices=tuple(notices))
    return Windows(tuple(spans), anchored=True, notices=tuple(notices))
