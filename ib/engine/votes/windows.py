"""The windows of a transcript that a verifier judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ib.models.benchmark.check import Check
from ib.models.common.base import Unit
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Cue, Stretch, UnitSpan


@dataclass(frozen=True, slots=True)
class Window:
    """The turns of one question, and the cues in them that the scenario's author marked."""

    span: UnitSpan
    cues: tuple[Cue, ...] = ()


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of one check on one transcript, with notices about anchors."""

    windows: tuple[Window, ...]
    notices: tuple[str, ...] = ()


def windows(check: Check, transcript: Transcript) -> Windows:
    """One window for each episode of an event-window check; the whole session for other checks.

    The anchors of an episode that are in one session share a window: the union of their response windows.
    An anchor without an episode has a window of its own. A response window that ends after the last turn
    is clamped. An anchor whose cue comes after the last turn is dropped. Both give a notice.
    """
    unit = check.routing.unit_of_analysis
    whole = Window(UnitSpan(unit, 1, transcript.turns))
    if unit is not Unit.EVENT_WINDOW:
        return Windows((whole,))
    notices: list[str] = []
    episodes: dict[object, list[Cue]] = {}
    for cue, episode in _cues(check, transcript, notices):
        episodes.setdefault(episode, []).append(cue)
    if not episodes:
        return Windows((whole,), notices=tuple(notices))
    found = tuple(_window(unit, cues, ordinal) for ordinal, cues in enumerate(episodes.values()))
    return Windows(found, tuple(notices))


def _cues(check: Check, transcript: Transcript, notices: list[str]) -> Iterator[tuple[Cue, object]]:
    """Each cue of a check that lies in the transcript, and what identifies its episode."""
    last = transcript.turns
    sessions = {message.turn: message.session for message in transcript.messages}
    for number, anchor in enumerate(transcript.anchors):
        if check.id not in anchor.checks:
            continue
        if anchor.cue_turn > last:
            notices.append(f"anchor at turn {anchor.cue_turn} lies beyond the last turn {last}")
            continue
        if anchor.to_turn > last:
            notices.append(f"window of turn {anchor.cue_turn} clamped from {anchor.to_turn} to {last}")
        name = anchor.episode.get(check.id)
        episode = number if name is None else (name, sessions.get(anchor.cue_turn))
        first = min(anchor.cue_turn, anchor.from_turn)
        yield Cue(anchor.cue_turn, first, min(anchor.to_turn, last), anchor.raises), episode


def _window(unit: Unit, cues: Iterable[Cue], ordinal: int) -> Window:
    """The window of an episode. Missing its first cue always fails it."""
    ordered = sorted(cues, key=lambda cue: (cue.turn, cue.first, cue.last))
    begin = min(cue.first for cue in ordered)
    end = max(cue.last for cue in ordered)
    first = ordered[0]
    marked = (Cue(first.turn, first.first, first.last, raises=True), *ordered[1:])
    return Window(UnitSpan(unit, begin, end, ordinal, tuple(_gaps(ordered))), marked)


def _gaps(cues: Iterable[Cue]) -> Iterator[Stretch]:
    """The turns between the response windows, in order."""
    stretches = sorted((cue.first, cue.last) for cue in cues)
    reached = stretches[0][1]
    for first, last in stretches:
        if first > reached + 1:
            yield reached + 1, first - 1
        reached = max(reached, last)
