"""Where a reply drafts words for somebody else to say: block quotes, code, slanted words behind a colon.

Their "I" is the person who will send them. Told from the layout of the message as it was written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

Span = tuple[int, int]

MOST = 0.8
"""A reply of which more than this share stands so drafts nothing: it is set that way, and is its own."""

_DRAFT = re.compile(
    r"^(?: {0,3}>[^\n]*(?:\n|\Z))+"
    r"|^ {0,3}(?P<fence>```|~~~)[^\n]*\n(?:(?! {0,3}(?P=fence))[^\n]*(?:\n|\Z))*(?: {0,3}(?P=fence)[^\n]*)?"
    r"|(?<=:)(?:\*\*)?\s{1,4}(?P<slant>[*_])(?![*_\s])(?:[^*_\n]|\n(?!\n))+(?P=slant)(?![*_])",
    re.MULTILINE,
)


@lru_cache(maxsize=64)
def drafts(text: str) -> tuple[Span, ...]:
    """The spans of a message that are words for somebody else, in order and apart."""
    if ">" not in text and "```" not in text and "~~~" not in text and ":" not in text:
        return ()
    found = tuple(match.span() for match in _DRAFT.finditer(text))
    drafted = sum(end - start for start, end in found)
    return found if drafted <= MOST * len(text) else ()


def is_drafted(text: str, start: int, end: int) -> bool:
    """Whether a part of a message stands in words for somebody else, wholly or in part."""
    spans = drafts(text)
    last = bisect_right(spans, (end - 1, len(text))) - 1
    return last >= 0 and spans[last][1] > start
