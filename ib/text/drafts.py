"""Find drafts in a reply, which another person will send: block quotes, code, italics and letters.

In a draft, "I" is the sender and not the assistant. Drafts are recognized by the layout of the message.
"""

from __future__ import annotations

import re
from bisect import bisect_left
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
_WORD = re.compile(r"\w")


@lru_cache(maxsize=64)
def drafts(text: str) -> tuple[Span, ...]:
    """The spans of the drafts in a message, in order."""
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


def is_drafted(text: str, start: int, end: int) -> bool:
    """True if a part of a message overlaps a draft."""
    begun = bisect_left(drafts(text), (end,))
    return begun > 0 and _farthest(text)[begun - 1] > start


@lru_cache(maxsize=64)
def _farthest(text: str) -> tuple[int, ...]:
    """For each draft, the greatest end of it and the drafts before it."""
    return tuple(accumulate((stop for _, stop in drafts(text)), max))
