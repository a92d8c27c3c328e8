"""What the assistant left out: the hint, every later reply of the window, and what would have counted.

A verdict about something left out cannot be judged from one quote. A reader needs the words that called for
an answer, and all replies that could have given it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from delivery.conversation.moments import (
    Moment,
    Span,
    excerpt,
    first_sentences,
    moments,
    quoted_spans,
    words_by_turn,
)
from delivery.release.view import Release
from delivery.words.filters import template_filter
from ib.models.benchmark.check import Check, FailureKind
from ib.models.common.base import Role, Unit, Verdict
from ib.models.conversation.scenario import Scenario
from ib.models.release.leaderboard import EvidenceItem, ModelEntry
from ib.models.release.transcripts import CarriedTranscript

LATER = 180
"""About how many characters of a later reply are shown before it is folded."""
UNFOLDED = 2
"""How many later replies in a row are shown by their first lines; further ones are folded together."""
_LONG_UNITS = (Unit.EVENT_WINDOW, Unit.SESSION_STATE)
"""The units in which later replies are judged, too. In the others, each reply is judged by itself."""
_SENTENCE = re.compile(r".+?[.!?](?=\s+[A-Z(]|$)", re.DOTALL)


def is_gap(check: Check, item: EvidenceItem) -> bool:
    """True if a verdict says, or cannot exclude, that the assistant left something out."""
    return check.failure is FailureKind.LEFT_OUT and item.verdict in (Verdict.FAIL, Verdict.UNCLEAR)


def would_count(check: Check) -> str:
    """The least that would have counted, in one sentence of the check."""
    if check.enough is not None:
        return check.enough
    first = _SENTENCE.match(check.pass_rule)
    return check.pass_rule if first is None else first[0]


Cues = Mapping[int, tuple[Span, ...]]
"""The words of the person that called for an answer, by turn."""


def cues(scenario: Scenario | None, transcript: CarriedTranscript, check_id: str | None = None) -> Cues:
    """Where the cues that the scenario's author marked, for one check or for any, stand in a conversation.

    A cue is left out if the conversation took a branch in which the person says something else.
    """
    said, found = words_by_turn(transcript), defaultdict[int, list[Span]](list)
    for anchor in () if scenario is None else scenario.anchors:
        at = said.get((anchor.cue_turn, Role.USER), "").find(anchor.cue)
        if at >= 0 and (check_id is None or check_id in anchor.checks):
            found[anchor.cue_turn].append((at, at + len(anchor.cue)))
    return {turn: tuple(spans) for turn, spans in found.items()}


def gap(check: Check, item: EvidenceItem, transcript: CarriedTranscript, marked: Cues) -> tuple[Moment, ...]:
    """The hints with their replies, the quoted replies, and every later reply that was judged, in order.

    The hints are the marked cues of the windows; without one, the words before the first quoted reply, or the
    start of a window.
    """
    said, quoted = words_by_turn(transcript), quoted_spans(item)
    windows = failed_windows(item)
    hints = {turn for turn in marked if any(first <= turn <= last for first, last in windows)}
    hints = hints or set(sorted(quoted)[:1]) or {first for first, _ in windows}
    shown = {turn for turn in hints | quoted.keys() if (turn, Role.USER) in said or turn in quoted}
    later = _later(check, shown, windows)
    turns = shown | {turn for turn in later if (turn, Role.ASSISTANT) in said}
    return tuple(_moment(turn, transcript, item, marked, later=turn not in shown) for turn in sorted(turns))


def failed_windows(item: EvidenceItem) -> tuple[tuple[int, int], ...]:
    """The first and last turn of each window with a vote for the verdict; all windows if there is none."""
    named = {vote.window for vote in item.votes if vote.verdict is item.verdict}
    voted = tuple(window for at, window in enumerate(item.windows) if at in named)
    return voted or item.windows


def _later(check: Check, shown: Collection[int], windows: Iterable[tuple[int, int]]) -> set[int]:
    """The turns of a window after its first hint, if later replies are judged with the first."""
    if check.routing.unit_of_analysis not in _LONG_UNITS:
        return set()
    found = set()
    for first, last in windows:
        start = min((turn for turn in shown if first <= turn <= last), default=last)
        found |= set(range(start, last + 1))
    return found


def _moment(
    turn: int, transcript: CarriedTranscript, item: EvidenceItem, marked: Cues, *, later: bool
) -> Moment:
    said, spans = words_by_turn(transcript), quoted_spans(item).get(turn, [])
    reply = said.get((turn, Role.ASSISTANT), "")
    return Moment(
        turn=turn,
        asked=None if later else said.get((turn, Role.USER)),
        parts=first_sentences(reply, LATER) if later else excerpt(reply, spans),
        corrected=any(quote.turn_corrected for quote in item.quotes if quote.turn == turn),
        truncated=turn in transcript.truncated,
        cues=() if later else marked.get(turn, ()),
        later=later,
    )


@template_filter
def folded(found: Sequence[Moment]) -> Iterator[tuple[bool, tuple[Moment, ...]]]:
    """The moments in groups; True for those that a reader opens: later replies after two in a row."""
    for later, group in groupby(found, key=lambda one: one.later):
        listed = tuple(group)
        most = UNFOLDED if later else len(listed)
        yield False, listed[:most]
        if listed[most:]:
            yield True, listed[most:]


def evidence_in_place(release: Release, model: ModelEntry, item: EvidenceItem) -> tuple[Moment, ...]:
    """The moments of a verdict; none if the release does not carry the transcript, or nothing is quoted."""
    transcript = release.transcript(model, item.scenario_id, item.epoch)
    if transcript is None:
        return ()
    check = release.benchmark.checks[item.check_id]
    if not is_gap(check, item):
        return moments(item, transcript)
    marked = cues(release.background.scenarios.get(item.scenario_id), transcript, check.id)
    return gap(check, item, transcript, marked)
