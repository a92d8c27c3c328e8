"""Find a quote in a text by its words. Only letters and digits are compared."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise, takewhile

from ib.text.normalize import Normalized, normalize

PIECE_LEAST = 3
"""The minimum length of a piece next to an ellipsis, because `I ... to ... a` is in every reply."""
LEFT_OUT = 100
"""The maximum length of an omission, in multiples of the shorter of the two pieces next to it. The evidence
shows the omitted words too, and a short piece occurs by chance more often."""
LEFT_OUT_MOST = 2_000
"""The maximum length of any omission, in characters; about a long reply."""
PIECES_MOST = 20
"""A quote with more pieces is not accepted. Each piece costs a pass over the text."""
_TOKEN = re.compile(r"[^\W_]+")
_ELLIPSIS = re.compile(r"(?:\s*[\[(]?\s*(?:\.{3,}|(?:\. ){2,}\.)\s*[\])]?\s*)")


@dataclass(frozen=True)
class TokenText:
    """A text as its tokens, case folded. Where they stand is worked out only for a quote that is found."""

    source: Normalized
    tokens: tuple[str, ...]

    @cached_property
    def joined(self) -> str:
        """The tokens, separated by single spaces, with a space at both ends."""
        return f" {' '.join(self.tokens)} " if self.tokens else " "

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """For each token, its start and end in the normal form."""
        return tuple(match.span() for match in _TOKEN.finditer(self.source.text))

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """For each token, where it begins in `joined`."""
        lengths = (len(token) + 1 for token in self.tokens)
        return tuple(accumulate(lengths, initial=1))[:-1]


def tokenize(text: Normalized) -> TokenText:
    """The tokens of a normalized text: runs of letters and digits, case folded."""
    if text.text.isascii():
        return TokenText(text, tuple(_TOKEN.findall(text.text.lower())))
    return TokenText(text, tuple(token.casefold() for token in _TOKEN.findall(text.text)))


@lru_cache(maxsize=4096)
def pieces(quote: str) -> tuple[str, ...]:
    """The tokens of a quote as strings, one for each piece between ellipses."""
    found = []
    for part in _ELLIPSIS.split(normalize(quote).text):
        tokens = [match.group().casefold() for match in _TOKEN.finditer(part)]
        if tokens:
            found.append(" ".join(tokens))
    return tuple(found)


@lru_cache(maxsize=4096)
def _around(quote: str) -> tuple[str, str]:
    """The characters of a quote before its first token and after its last, up to the next ellipsis."""
    text = normalize(quote).text
    places = [match.span() for match in _TOKEN.finditer(text)]
    return _ELLIPSIS.split(text[: places[0][0]])[-1], _ELLIPSIS.split(text[places[-1][1] :])[0]


def find(quote: str, text: TokenText) -> tuple[int, int] | None:
    """The span of the original that holds the pieces of the quote in order; None if there is none.

    The end is excluded. The pieces next to an ellipsis must be long enough and near each other. Punctuation
    at the ends of the quote, such as its full stop, is part of the span if the original has it there.
    """
    wanted = pieces(quote)
    held = _held(wanted, text.joined) if 0 < len(wanted) <= PIECES_MOST else None
    if held is None:
        return None
    first, last = held
    index = _token_at(text, first)
    stop = _token_at(text, last - 1)
    begin, end = text.places[index][0], text.places[stop][1]
    head, tail = _around(quote)
    normal = text.source.text
    begin -= _shared(head[::-1], normal[max(0, begin - len(head)) : begin][::-1])
    end += _shared(tail, normal[end : end + len(tail)])
    return text.source.span(begin, end)


def _shared(one: str, other: str) -> int:
    """How many characters two texts share at the start, without white space at the end."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return len("".join(char for char, _ in same).rstrip())


def _held(wanted: Sequence[str], joined: str) -> tuple[int, int] | None:
    """The start of the first piece and the end of the last, in the first place that holds all pieces."""
    chains: Iterator[tuple[int, int]] = ((at, at + len(wanted[0])) for at in _places(wanted[0], joined))
    for before, piece in pairwise(wanted):
        chains = _followed(chains, piece, joined, _left_out_most(before, piece))
    return next(chains, None)


def _followed(
    chains: Iterator[tuple[int, int]], piece: str, joined: str, most: int
) -> Iterator[tuple[int, int]]:
    """The chains that the piece continues with at most `most` characters omitted, with their new ends.

    Each occurrence of the piece continues the nearest chain before it, which omits the least.
    """
    coming = next(chains, None)
    nearest: tuple[int, int] | None = None
    for at in _places(piece, joined):
        while coming is not None and coming[1] < at:
            nearest, coming = coming, next(chains, None)
        if nearest is not None and at - nearest[1] - 1 <= most:
            yield nearest[0], at + len(piece)


def _left_out_most(one: str, other: str) -> int:
    """The maximum omission between two pieces, in characters; 0 if one of them is too short."""
    least = min(len(one), len(other))
    return min(LEFT_OUT * least, LEFT_OUT_MOST) if least >= PIECE_LEAST else 0


def _places(piece: str, joined: str) -> Iterator[int]:
    """The starts of all occurrences of a piece as whole words."""
    at = joined.find(f" {piece} ")
    while at >= 0:
        yield at + 1
        at = joined.find(f" {piece} ", at + 1)


def _token_at(text: TokenText, position: int) -> int:
    """The index of the token that covers a position of `joined`."""
    return bisect_right(text.offsets, position) - 1
