"""What a reader sees of a text, and whether a text shows anything."""

from __future__ import annotations

import html
import re
import unicodedata

_INVISIBLE = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))
"""Unicode's general categories of spaces, controls and characters without a width."""
SHAPELESS = (
    r"\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff"
)
"""Characters of other categories that have no shape either, Unicode's Default_Ignorable_Code_Point; as they
stand in a class of a regular expression."""
_SHAPELESS = re.compile(rf"[{SHAPELESS}\u2800\u3164\U0001d159]")
"""The same with those that have a width: the empty cell of Braille, a filler, the note without a head."""

_WORD = re.compile(r"[^<&A-Za-z0-9]*+[A-Za-z0-9]")
"""A letter or digit before anything that could be a tag or a character reference: nearly every message."""
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|</?(?!img\b)[a-z][\w-]*+(?:\s++[\w:-]++\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>]++))*+"
    r"\s*+/?>",
    re.IGNORECASE | re.DOTALL,
)
"""An HTML comment, which hides all that follows where it has no end, and a tag, but for a picture."""
_MARKS = frozenset(">#+-*_~`")
_LAYOUT = re.compile(r">*+(?:[-+]?[*_~`]*|#{1,6}[*_~`]*|-{3,})")
"""A line of Markdown that shows no character, without its spaces: a rule, or marks round nothing."""


def unseen(character: str) -> bool:
    """Whether a character shows nothing: white space, or one without a width or a shape."""
    return unicodedata.category(character) in _INVISIBLE or _SHAPELESS.match(character) is not None


def blank(text: str) -> bool:
    """Whether a text shows nothing at all."""
    return all(map(unseen, text))


def bare(text: str) -> bool:
    """Whether a reply shows nothing but layout: rules, marks and tags of Markdown and HTML round no word."""
    if _WORD.match(text):
        return False
    shown = html.unescape(_TAG.sub("", text))
    if not all(character in _MARKS or unseen(character) for character in shown):
        return False
    lines = "".join(character for character in shown if character in _MARKS or character == "\n")
    return all(map(_LAYOUT.fullmatch, lines.split("\n")))
