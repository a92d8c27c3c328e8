"""The moments of a conversation that evidence quotes: what the caregiver said, and the quote in its reply."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from delivery.words.escape import JOINER
from ib.models.common.base import Role
from ib.models.release.leaderboard import EvidenceItem
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
    """One turn: what the caregiver said, and the reply with its quotes marked."""

    turn: int
    asked: str | None
    """The caregiver’s words; None if the model spoke first, or twice."""
    parts: tuple[Part, ...]
    """The reply. Its parts together are the whole reply."""
    corrected: bool = False
    """True if a quote was found in another turn than the judge named."""
    truncated: bool = False
    """True if the provider cut off the reply."""


def moments(item: EvidenceItem, transcript: CarriedTranscript) -> tuple[Moment, ...]:
    """The moments that the quotes of the assistant are from, in order."""
    spans: dict[int, list[Span]] = defaultdict(list)
    corrected = set()
    for quote in item.quotes:
        if quote.role is Role.ASSISTANT:
            spans[quote.turn].append((quote.start, quote.end))
            corrected |= {quote.turn} if quote.turn_corrected else set()
    said = words_by_turn(transcript)
    return tuple(
        Moment(
            turn=turn,
            asked=said.get((turn, Role.USER)),
            parts=excerpt(said.get((turn, Role.ASSISTANT), ""), spans[turn]),
            corrected=turn in corrected,
            truncated=turn in transcript.truncated,
        )
        for turn in sorted(spans)
    )


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
    """A reply in parts: what is around its quotes is shown, and the rest of a long reply is folded away."""
    listed = sorted(spans)
    if len(text) <= WHOLE or not listed:
        return (Part(marked(text, listed)),)
    parts, at = [], 0
    for first, last in _joined(((_back(text, a), _forth(text, b)) for a, b in listed), APART):
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
