"""Where a reply drafts words for somebody else to say: block quotes, code, slanted words, letters.

Their "I" is the person who will send them. Told from the layout of the message as it was written.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate

from ib.text.normalize import Span

MOST = 0.8
"""A reply of which more than this share is quoted, fenced or slanted drafts nothing: it is set that way, and
is its own. Letters are apart: a reply may be a line and the letter that was asked for."""

_DRAFT = re.compile(
    r"^(?: {0,3}>[^\n]*(?:\n|\Z))+"
    r"|^ {0,3}(?P<fence>```|~~~)[^\n]*\n(?:(?! {0,3}(?P=fence))[^\n]*(?:\n|\Z))*(?: {0,3}(?P=fence)[^\n]*)?"
    r"|(?<=:)(?:\*\*)?\s{1,4}(?P<slant>[*_])(?![*_\s])(?:[^*_\n]|\n(?!\n))+(?P=slant)(?![*_])",
    re.MULTILINE,
)
"""A block quote; a fence of code, closed or not; slanted words behind a colon."""
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
"""From a greeting behind a colon or a rule to the greeting at its end, or to the next rule."""
_WORD = re.compile(r"\w")


@lru_cache(maxsize=64)
def drafts(text: str) -> tuple[Span, ...]:
    """The spans of a message that are words for somebody else, in order."""
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
        )  # a greeting at the very beginning is the assistant's own
    ]
    return tuple(sorted([*set_apart, *letters]))


def is_drafted(text: str, start: int, end: int) -> bool:
    """Whether a part of a message stands in words for somebody else, wholly or in part."""
    begun = bisect_left(drafts(text), (end,))
    return begun > 0 and _farthest(text)[begun - 1] > start


@lru_cache(maxsize=64)
def _farthest(text: str) -> tuple[int, ...]:
    """For each draft, how far it and those before it reach."""
    return tuple(accumulate((stop for _, stop in drafts(text)), max))
