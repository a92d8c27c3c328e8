"""Find what a reply drafts or quotes: block quotes, code, italics, letters, scripts and quoted words.

There, "I" is somebody else and not the assistant. Drafts are recognized by the layout of the message and by
what introduces them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate

from ib.text.normalize import Span

MOST = 0.8
"""If more than this share of a reply is block quotes, code or italics, they are its style and not drafts.
Letters are not counted: a reply may be one line and the letter that the person asked for."""

_DRAFT = re.compile(
    r"^(?: {0,3}>[^\n]*(?:\n|\Z))+"
    r"|^ {0,3}(?P<fence>```|~~~)[^\n]*\n(?:(?! {0,3}(?P=fence))[^\n]*(?:\n|\Z))*(?: {0,3}(?P=fence)[^\n]*)?"
    r"|(?<=:)(?:\*\*)?\s{1,4}(?P<slant>[*_])(?![*_\s])(?:[^*_\n]|\n(?!\n))+(?P=slant)(?![*_])",
    re.MULTILINE,
)
"""A block quote; a code fence, closed or not; italics after a colon."""
_LETTER = re.compile(
    r"^(?:[^\n]*:[*_ ]*|-{3,} *)\n\s*"
    r"(?P<letter>[*_]{0,3}(?:(?:subject|re)(?=:)|dear|hi|hello|hey|to whom"
    r"|good (?:morning|afternoon|evening))\b[^\n]*\n"
    r"(?:(?!-{3,})[^\n]*\n){0,60}?"
    r"(?:[*_]{0,3}(?:sincerely|respectfully|yours|love|best|thanks|thank you|many thanks|warmly"
    r"|(?:kind|best|warm) (?:regards|wishes)|with (?:love|thanks))\b[^.!?\n]{0,40}"
    r"(?:\n+[^\n]{0,60})?(?=\n|\Z)"
    r"|(?=-{3,})))",
    re.MULTILINE | re.IGNORECASE,
)
"""From a salutation after a colon or a rule to the closing of the letter, or to the next rule."""
_COLON = re.compile(
    r"(?:^|(?<=[.!?] ))(?P<before>[^\n:.!?]{3,160}):[*_]{0,3}[ \n]{1,3}(?P<script>\S[^\n]*)", re.MULTILINE
)
_ASKS_TO_SAY = re.compile(
    r"\b(?:say(?:ing)?|tell|text|write|ask|try|reply|respond|repeat|remind|whisper|e-?mails?|letters?|notes?"
    r"|messages?|scripts?|templates?|prompts?|drafts?|phrases?|sentences?|wording|words|affirmations?|mantras?"
    r"|versions?|(?:something|sounds?|goes) like|begin|starts?|play)\b",
    re.IGNORECASE,
)
_SPEAKS_ITSELF = re.compile(
    r"\b(?:let me|I (?:want|need|will|would|can|am|have|promise|mean|say)|I['\u2019](?:m|ll|ve|d)) (?!play)",
    re.IGNORECASE,
)
"""What follows a colon in a line is a script if the words before the colon ask the person to say or to write
something, and the assistant does not speak itself there ("I want to say this:")."""
_QUOTED = re.compile(
    r"[\u201c\u201e\"][^\u201c\u201d\u201e\"\n]{2,600}[\u201c\u201d\"]"
    r"|(?<![\w'\u2019])['\u2018](?:[^'\u2018\u2019\n]|(?<=\w)['\u2019](?=\w)){2,300}['\u2019](?!\w)"
)
"""Words in quotation marks, in one line."""
_WORD = re.compile(r"\w")


@lru_cache(maxsize=64)
def drafts(text: str) -> tuple[Span, ...]:
    """The spans of the drafts in a message, in order. Quoted words are not among them."""
    if ">" not in text and "```" not in text and "~~~" not in text and ":" not in text and "---" not in text:
        return ()
    set_apart = [match.span() for match in _DRAFT.finditer(text)]
    if sum(end - start for start, end in set_apart) > MOST * len(text):
        set_apart = []
    letters = [
        match.span("letter")
        for match in _LETTER.finditer(text)
        if _WORD.search(
            text, 0, match.start("letter")
        )  # a salutation at the very beginning is the assistant's own
    ]
    return tuple(sorted([*set_apart, *letters]))


@lru_cache(maxsize=64)
def scripts(text: str) -> tuple[Span, ...]:
    """The spans of words in quotation marks, and of words after a colon that somebody is to say, in order."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    asked = [
        match.span("script")
        for match in _COLON.finditer(text)
        if _ASKS_TO_SAY.search(match["before"]) and not _SPEAKS_ITSELF.search(match["before"])
    ]
    return tuple(sorted([*quoted, *asked]))


def is_drafted(text: str, start: int, end: int) -> bool:
    """True if a part of a message overlaps a draft, or is inside a script."""
    begun = bisect_left(drafts(text), (end,))
    if begun > 0 and _farthest(drafts(text))[begun - 1] > start:
        return True
    around = bisect_right(scripts(text), (start, len(text)))
    return around > 0 and _farthest(scripts(text))[around - 1] >= end


@lru_cache(maxsize=128)
def _farthest(spans: tuple[Span, ...]) -> tuple[int, ...]:
    """For each span, the greatest end of it and the spans before it."""
    return tuple(accumulate((stop for _, stop in spans), max))
