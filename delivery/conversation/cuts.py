"""Cut a long message at the ends of sentences: its last sentences, its first ones, or those around a quote.

Each function returns the message in parts that together are the whole message. What is cut is a folded part.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import chain

from delivery.conversation.moments import Part, Span, between_letters, marked

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
    return _shown(text, (), starts[at] if at < len(starts) else _back(text, earliest), len(text))


def first_sentences(text: str, most: int) -> tuple[Part, ...]:
    """The first sentences with at most `most` characters, or the first words of a longer sentence."""
    if len(text) <= most + SLACK:
        return (Part(marked(text, ())),)
    starts = _starts(text)
    return _shown(text, (), 0, starts[bisect_right(starts, most) - 1] or _forth(text, most))


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
        start = max(edges[low], _back(text, first - room))
        end = min(edges[high], _forth(text, min(last, first + most) + room))
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


def _back(text: str, place: int) -> int:
    """The beginning of the word at a place, or of the letter if the word is long."""
    place = max(0, place)
    steps = range(place, max(0, place - LONGEST_WORD) - 1, -1)
    words = (at for at in steps if not at or text[at - 1].isspace())
    return next(chain(words, between_letters(text, steps)), place)


def _forth(text: str, place: int) -> int:
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
