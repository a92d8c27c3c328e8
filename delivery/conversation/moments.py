"""The moments of a conversation that evidence quotes: what the person said, and the quote in its reply.

Each function returns the message in parts that together are the whole message. What is cut is a folded part.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from delivery.conversation.lists import whole_list
from delivery.release.view import Release
from delivery.words.escape import JOINER
from delivery.words.filters import template_filter
from ib.models.common.base import Role
from ib.models.release.leaderboard import EvidenceItem, ModelEntry
from ib.models.release.transcripts import CarriedTranscript

Span = tuple[int, int]
WHOLE = 700
"""A reply with at most this many characters is shown whole."""
AROUND = 220
"""How many characters of a longer reply are shown before and after the quotes."""
APART = 400
"""Quotes of one reply that are further apart are shown with a gap between them."""


@dataclass(frozen=True)
class Piece:
    """A part of a reply."""

    text: str
    quoted: bool = False


@dataclass(frozen=True)
class Part:
    """A stretch of a reply: shown, or folded away."""

    pieces: tuple[Piece, ...]
    folded: bool = False

    @property
    def words(self) -> int:
        """How many words it has."""
        return sum(len(piece.text.split()) for piece in self.pieces)


@dataclass(frozen=True)
class Moment:
    """One turn: what the person said, and the reply with its quotes marked."""

    turn: int
    asked: str | None
    """The person’s words; None if the model spoke first, or twice."""
    parts: tuple[Part, ...]
    """The reply. Its parts together are the whole reply."""
    corrected: bool = False
    """True if a quote was found in another turn than the judge named."""
    truncated: bool = False
    """True if the provider cut off the reply."""
    cues: tuple[Span, ...] = ()
    """The words of the person that called for an answer."""
    later: bool = False
    """True for a reply after the one that was called for: it is shown by its first lines."""

    @property
    def said(self) -> tuple[Piece, ...]:
        """The person’s words, with the cues as quoted pieces."""
        return marked(self.asked or "", self.cues)


def moments(item: EvidenceItem, transcript: CarriedTranscript) -> tuple[Moment, ...]:
    """The moments that the quotes of the assistant are from, in order."""
    spans, said = quoted_spans(item), words_by_turn(transcript)
    return tuple(
        Moment(
            turn=turn,
            asked=said.get((turn, Role.USER)),
            parts=excerpt(said.get((turn, Role.ASSISTANT), ""), spans[turn]),
            corrected=any(quote.turn_corrected for quote in item.quotes if quote.turn == turn),
            truncated=turn in transcript.truncated,
        )
        for turn in sorted(spans)
    )


def quoted_spans(item: EvidenceItem) -> dict[int, list[Span]]:
    """The places of the quotes of the assistant, by turn."""
    spans: dict[int, list[Span]] = defaultdict(list)
    for quote in item.quotes:
        if quote.role is Role.ASSISTANT:
            spans[quote.turn].append((quote.start, quote.end))
    return dict(spans)


def words_by_turn(transcript: CarriedTranscript) -> Mapping[tuple[int, Role], str]:
    """What each speaker said in each turn."""
    return {(message.turn, message.role): message.content for message in transcript.messages}


def marked(text: str, spans: Iterable[Span], start: int = 0, end: int | None = None) -> tuple[Piece, ...]:
    """A stretch of a text in pieces, with the spans as quoted pieces. Spans that touch are one piece."""
    end = len(text) if end is None else end
    pieces, at = [], start
    inside = ((max(first, start), min(last, end)) for first, last in _joined(spans, 0))
    for first, last in inside:
        if first < last:
            pieces += [Piece(text[at:first])] if at < first else []
            pieces.append(Piece(text[first:last], quoted=True))
            at = last
    return (*pieces, Piece(text[at:end])) if at < end else tuple(pieces)


def excerpt(text: str, spans: Iterable[Span]) -> tuple[Part, ...]:
    """A reply in parts: what is around its quotes is shown, and the rest of a long reply is folded away.

    A list that a quote is in, or leads up to, is shown whole.
    """
    listed = sorted(spans)
    if len(text) <= WHOLE or not listed:
        return (Part(marked(text, listed)),)
    parts, at = [], 0
    wide = (whole_list(text, first, last) for first, last in listed)
    for first, last in _joined(((_back(text, a), _forth(text, b)) for a, b in wide), APART):
        parts += [Part(marked(text, (), at, first), folded=True)] if at < first else []
        parts.append(Part(marked(text, listed, first, last)))
        at = last
    return (*parts, Part(marked(text, (), at), folded=True)) if at < len(text) else tuple(parts)


def _joined(spans: Iterable[Span], gap: int) -> list[Span]:
    """Spans in order; those that overlap, or have at most `gap` characters between them, are one."""
    joined: list[Span] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + gap:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _back(text: str, place: int) -> int:
    """Where to begin before a quote: at a line or a word, or at the beginning if little is left."""
    start = max(0, place - AROUND)
    if start < AROUND:
        return 0
    return _word(text, start, place)


def _forth(text: str, place: int) -> int:
    """Where to end after a quote: at the end of a word, or at the end of the text if little is left."""
    end = min(len(text), place + AROUND)
    return len(text) if end > len(text) - AROUND else _word(text, end, len(text))


def _word(text: str, start: int, end: int) -> int:
    """The place after the next white space, or between two letters if there is none."""
    steps = range(start, end)
    words = (at + 1 for at in steps if text[at].isspace())
    return next(chain(words, between_letters(text, steps)), start)


def between_letters(text: str, steps: Iterable[int]) -> Iterator[int]:
    """The places that divide no letter from its accents, and no emoji that is joined of several."""
    return (at for at in steps if text[max(0, at - 1) : at] != JOINER and not _belongs(text[at : at + 1]))


def _belongs(char: str) -> bool:
    """True if a character is a part of the one before it: an accent, a joiner, a color of skin."""
    return char == JOINER or (char != "" and unicodedata.category(char) in {"Mn", "Mc", "Me", "Sk"})


SLACK = 60
"""Nothing is cut from a message with at most so many characters more than asked for."""
LONGEST_WORD = 50
"""A longer run of characters is no word, and may be cut in the middle."""
_END = re.compile(r"(?:[.!?…][\"')\]*_’”»]*(?=\s)|\n|(?<=[。！？]))\s*")
_GOES_ON = re.compile(r"(?:\b(?:Drs?|Mrs?|Ms|St|Sra?|Dra|e\.g|i\.e|[ap]\.m)|^\s*\d{1,2})\.$", re.MULTILINE)
"""Abbreviations and the numbers of lists, whose full stop ends no sentence."""
_REACH = 8
"""How many characters before a full stop are read to find one of these."""


def last_sentences(text: str, most: int) -> tuple[Part, ...]:
    """The last sentences with at most `most` characters, or the last words of a longer sentence."""
    earliest = len(text) - most
    if earliest <= SLACK:
        return (Part(marked(text, ())),)
    starts = _starts(text)
    at = bisect_left(starts, earliest)
    return _shown(text, (), starts[at] if at < len(starts) else _side_back(text, earliest), len(text))


def first_sentences(text: str, most: int) -> tuple[Part, ...]:
    """The first sentences with at most `most` characters, or the first words of a longer sentence."""
    if len(text) <= most + SLACK:
        return (Part(marked(text, ())),)
    starts = _starts(text)
    return _shown(text, (), 0, starts[bisect_right(starts, most) - 1] or _side_forth(text, most))


def around(text: str, spans: Iterable[Span], most: int) -> tuple[Part, ...]:
    """The sentences with the first quote, and more of them before and after it up to `most` characters.

    Other quotes among them are marked too. A longer quote or sentence is cut between words.
    """
    listed = sorted(spans)
    if len(text) <= most + SLACK or not listed:
        return (Part(marked(text, listed)),)
    edges, (first, last) = [*_starts(text), len(text)], listed[0]
    low, high = bisect_right(edges, first) - 1, bisect_left(edges, last)
    if edges[high] - edges[low] > most:
        room = max(0, most - (last - first)) // 2
        start = max(edges[low], _side_back(text, first - room))
        end = min(edges[high], _side_forth(text, min(last, first + most) + room))
        return _shown(text, listed, start, end)
    while high + 1 < len(edges) and edges[high + 1] - edges[low] <= most:
        high += 1
    while low and edges[high] - edges[low - 1] <= most:
        low -= 1
    return _shown(text, listed, edges[low], edges[high])


def _starts(text: str) -> list[int]:
    """Where sentences and lines begin; the first is 0."""
    ends = (match for match in _END.finditer(text) if not _goes_on(text, match.start()))
    return [0, *(match.end() for match in ends if match.end() < len(text))]


def _goes_on(text: str, stop: int) -> bool:
    return _GOES_ON.search(text, max(0, stop - _REACH), stop + 1) is not None


def _side_back(text: str, place: int) -> int:
    """The beginning of the word at a place, or of the letter if the word is long."""
    place = max(0, place)
    steps = range(place, max(0, place - LONGEST_WORD) - 1, -1)
    words = (at for at in steps if not at or text[at - 1].isspace())
    return next(chain(words, between_letters(text, steps)), place)


def _side_forth(text: str, place: int) -> int:
    """The end of the word at a place, or of the letter if the word is long."""
    steps = range(place, min(len(text), place + LONGEST_WORD) + 1)
    words = (at for at in steps if at >= len(text) or text[at].isspace())
    return next(chain(words, between_letters(text, steps)), min(place, len(text)))


def _shown(text: str, spans: Iterable[Span], start: int, end: int) -> tuple[Part, ...]:
    """A stretch of a text, with the rest folded. White space alone is no rest."""
    start = start if text[:start].strip() else 0
    end = len(text[:end].rstrip()) if text[end:].strip() else len(text)
    before = (Part(marked(text, (), 0, start), folded=True),) if start else ()
    after = (Part(marked(text, (), end), folded=True),) if end < len(text) else ()
    return (*before, Part(marked(text, spans, start, end)), *after)


ASKED, SAID = 240, 320
"""About how many characters of the person and of a reply are shown; a page of a pair has many."""

Words = tuple[Part, ...]
"""A message, of which parts may be folded; empty if nothing was said."""


@dataclass(frozen=True)
class Side:
    """One turn of the conversation with a model."""

    asked: Words
    """The person’s words."""
    reply: Words
    truncated: bool
    """True if the provider cut off the reply."""


@dataclass(frozen=True)
class Sides:
    """The turn of the first quote of a failure, in both conversations."""

    turn: int | None
    """None if no quote is published; then nothing is known of either side."""
    failed: Side | None
    passed: Side | None
    """None if the release does not carry the transcript, or the conversation has no such turn."""
    same: bool
    """True if the person said the same to both models."""


@template_filter
def quoted_turn(item: EvidenceItem | None) -> int | None:
    """The first turn of the assistant that a verdict quotes. None if it quotes none."""
    quotes = () if item is None else item.quotes
    return min((quote.turn for quote in quotes if quote.role is Role.ASSISTANT), default=None)


def sides(
    release: Release,
    failed: ModelEntry,
    passed: ModelEntry,
    scenario_id: str,
    epoch: int | None,
    item: EvidenceItem | None,
) -> Sides:
    """Both sides of a failure: the reply that failed around its quote, and the other reply from its start."""
    turn = quoted_turn(item)
    if item is None or turn is None:
        return Sides(None, None, None, same=False)
    quotes = [quote for quote in item.quotes if (quote.turn, quote.role) == (turn, Role.ASSISTANT)]
    here, there = (release.transcript(model, scenario_id, epoch) for model in (failed, passed))
    if here is None:
        quote = quotes[0].quote
        return Sides(
            turn, Side((), around(quote, [(0, len(quote))], SAID), truncated=False), None, same=False
        )
    said = words_by_turn(here)
    one = _exchange(item, here, turn)
    answers = {} if there is None else words_by_turn(there)
    if there is None or (turn, Role.ASSISTANT) not in answers:
        return Sides(turn, one, None, same=False)
    answer = first_sentences(answers[turn, Role.ASSISTANT], SAID)
    other = Side(_asked(answers, turn), answer, turn in there.truncated)
    return Sides(turn, one, other, same=said.get((turn, Role.USER)) == answers.get((turn, Role.USER)))


def exchange(item: EvidenceItem, transcript: CarriedTranscript) -> tuple[int, Side] | None:
    """The first quoted turn of a verdict, in short: what the person said, and the reply around its quotes.

    Returns None if the verdict quotes no reply.
    """
    turn = quoted_turn(item)
    return None if turn is None else (turn, _exchange(item, transcript, turn))


def _exchange(item: EvidenceItem, transcript: CarriedTranscript, turn: int) -> Side:
    said, spans = words_by_turn(transcript), quoted_spans(item)[turn]
    reply = around(said.get((turn, Role.ASSISTANT), ""), spans, SAID)
    return Side(_asked(said, turn), reply, turn in transcript.truncated)


def _asked(said: Mapping[tuple[int, Role], str], turn: int) -> Words:
    asked = said.get((turn, Role.USER))
    return () if asked is None else last_sentences(asked, ASKED)
