"""Edits of texts: pieces taken out or put in, and other forms of the same words."""

from __future__ import annotations

import re
from collections.abc import Iterable

_GAP = re.compile(r"[ \t]{2,}")
_LINES = re.compile(r"\n{3,}")
_LONG = re.compile(r"\b[a-zA-Z]{6,}\b")
EVERY = 6
"""Every so many long words, one gets a slip of the fingers."""


def without(text: str, pieces: Iterable[str], instead: str) -> str:
    """The text without these parts of it; `instead` if nothing is left.

    Raises ValueError if the text does not contain one of them.
    """
    for piece in pieces:
        if piece not in text:
            raise ValueError(f"the reply does not contain {piece!r}")
        text = text.replace(piece, " ", 1)
    text = _LINES.sub("\n\n", _GAP.sub(" ", text))
    text = "\n".join(line.strip() for line in text.splitlines()).strip()
    return text if any(map(str.isalnum, text)) else instead


def with_sentence(text: str, sentence: str) -> str:
    """The text with a sentence after it, in a paragraph of its own."""
    return f"{text.rstrip()}\n\n{sentence}"


def texted(text: str) -> str:
    """The words as in a hurried text message: small letters, no apostrophes, few stops."""
    text = re.sub(r"(?<=\w)['’](?=\w)", "", text.lower())
    return re.sub(r"\.(?=\s|$)", "", text)


def mistyped(text: str, kept: Iterable[str] = ()) -> str:
    """The text with two letters of some long words swapped; the parts in `kept` stay as they are."""
    spans = [(at, at + len(part)) for part in kept if part and (at := text.find(part)) >= 0]
    found = [m for m in _LONG.finditer(text) if not any(a < m.end() and m.start() < b for a, b in spans)]
    for match in reversed(found[::EVERY]):
        at = match.start() + 2
        if text[at] == text[at + 1]:
            at += 1
        text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text
