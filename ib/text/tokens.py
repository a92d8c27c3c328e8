"""Finding a quote in a text by its words: letters and digits, whatever stands between them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from ib.text.normalize import Normalized, normalize

_TOKEN = re.compile(r"[^\W_]+")
_ELLIPSIS = re.compile(r"(?:\s*[\[(]?\s*(?:\.{3,}|(?:\. ){2,}\.)\s*[\])]?\s*)")


@dataclass(frozen=True, slots=True)
class TokenText:
    """A text as its tokens, folded, each with its place in the original."""

    source: Normalized
    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    """For each token, its start in the normal form."""
    ends: tuple[int, ...]
    joined: str
    """The tokens between single spaces, with a space at both ends."""
    offsets: tuple[int, ...]
    """For each token, where it begins in `joined`."""


def tokenize(text: Normalized) -> TokenText:
    """The tokens of a normalised text: runs of letters and digits, case folded."""
    matches = list(_TOKEN.finditer(text.text))
    tokens = tuple(match.group().casefold() for match in matches)
    offsets: list[int] = []
    at = 1
    for token in tokens:
        offsets.append(at)
        at += len(token) + 1
    joined = f" {' '.join(tokens)} " if tokens else " "
    starts = tuple(match.start() for match in matches)
    ends = tuple(match.end() for match in matches)
    return TokenText(text, tokens, starts, ends, joined, tuple(offsets))


@lru_cache(maxsize=4096)
def pieces(quote: str) -> tuple[str, ...]:
    """The token strings of a quote, split where it leaves words out with an ellipsis."""
    found = []
    for part in _ELLIPSIS.split(normalize(quote).text):
        tokens = [match.group().casefold() for match in _TOKEN.finditer(part)]
        if tokens:
            found.append(" ".join(tokens))
    return tuple(found)


def find(quote: str, text: TokenText) -> tuple[int, int] | None:
    """The half-open span of the original that holds the quote, pieces in order; None if it does not."""
    wanted = pieces(quote)
    if not wanted:
        return None
    at, first, last = 0, -1, -1
    for piece in wanted:
        found = text.joined.find(f" {piece} ", at)
        if found < 0:
            return None
        begin = found + 1
        if first < 0:
            first = begin
        last = begin + len(piece)
        at = last
    index = _token_at(text, first)
    stop = _token_at(text, last - 1)
    return text.source.span(text.starts[index], text.ends[stop])


def _token_at(text: TokenText, position: int) -> int:
    """The index of the token that covers a position of `joined`."""
    return bisect_right(text.offsets, position) - 1
