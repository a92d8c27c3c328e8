"""One normal form for all matching, with the way back to the characters as they were written.

Models write typographic apostrophes, Markdown emphasis and line breaks; people quote them
without. Matching happens on the normal form, evidence is cut from the original.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

Edit = tuple[int, int, str]
"""Original start, original end, replacement."""

_FOLDS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u02bc\u02b9\u00b4\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\uff02", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
}
_FOLD_TABLE = str.maketrans(_FOLDS)
_INVISIBLE = "\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
# Emphasis, code marks, headings and invisible characters go; a run of them with any white
# space in it becomes one space. Underscores inside a word stay.
_DROP = (
    rf"[^\S ]|[*`{_INVISIBLE}]|(?<!\w)_+|_+(?!\w)|~~|(?m:^)\#{{1,6}}(?= )"
)
_RUN = re.compile(rf" *(?:{_DROP})(?: |{_DROP})*| {{2,}}")
# Where a run may be: cheap to look for, so that the exact pattern is tried at few places.
_MAYBE = re.compile(rf"[^\S ]|[*`~_#{_INVISIBLE}]| {{2}}")


@dataclass(frozen=True, slots=True)
class _Layer:
    """One pass of edits over a text, kept as break points."""

    new_starts: tuple[int, ...]
    new_ends: tuple[int, ...]
    old_starts: tuple[int, ...]
    old_ends: tuple[int, ...]

    def start(self, position: int) -> int:
        """The original index of the character at `position`."""
        i = bisect_right(self.new_starts, position) - 1
        if i < 0:
            return position
        if position < self.new_ends[i]:
            return self.old_starts[i]
        return position - self.new_ends[i] + self.old_ends[i]

    def end(self, position: int) -> int:
        """The original index just behind the character that ends at `position`."""
        last = position - 1
        i = bisect_right(self.new_starts, last) - 1
        if i < 0:
            return position
        if last < self.new_ends[i]:
            return self.old_ends[i]
        return last - self.new_ends[i] + self.old_ends[i] + 1


@dataclass(frozen=True, slots=True)
class Normalized:
    """A text in normal form, and its original."""

    text: str
    original: str
    _layers: tuple[_Layer, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The half-open span of the original that `text[start:end]` came from."""
        if start >= end:
            return (0, 0)
        for layer in reversed(self._layers):
            start, end = layer.start(start), layer.end(end)
        return start, end

    def quote(self, start: int, end: int) -> str:
        """The characters of the original behind `text[start:end]`, exactly as written."""
        begin, stop = self.span(start, end)
        return self.original[begin:stop]


def normalize(original: str) -> Normalized:
    """NFKC, quotes and dashes folded, Markdown emphasis removed, white space collapsed."""
    layers: list[_Layer] = []
    text = original
    if not text.isascii():
        text = _fold_one_to_one(text)
        text, layer = _apply(text, _unicode_edits(text))
        if layer is not None:
            layers.append(layer)
    text, layer = _apply(text, _space_edits(text))
    if layer is not None:
        layers.append(layer)
    return Normalized(text, original, tuple(layers))


def fold(text: str) -> str:
    """NFKC with quotes and dashes folded: `normalize` without its layout part."""
    return unicodedata.normalize("NFKC", text.translate(_FOLD_TABLE)).translate(_FOLD_TABLE)


def _fold_one_to_one(text: str) -> str:
    """Quotes and dashes, which are most of what is not ASCII, and move no offset."""
    for character in set("".join(_NON_ASCII.findall(text))):
        if character in _FOLDS:
            text = text.replace(character, _FOLDS[character])
    return text


def _unicode_edits(text: str) -> Iterable[Edit]:
    for run in _NON_ASCII.finditer(text):
        start, end = run.span()
        # A mark that combines with the ASCII letter before it takes that letter along.
        if start and unicodedata.combining(text[start]):
            start -= 1
        whole = fold(text[start:end])
        if whole == text[start:end]:
            continue
        pieces = tuple(_clusters(text, start, end))
        if "".join(new for _, _, new in pieces) == whole:
            yield from pieces
        else:
            yield start, end, whole


def _clusters(text: str, start: int, end: int) -> Iterable[Edit]:
    """One edit for each base character with its marks, so that offsets stay close."""
    at = start
    while at < end:
        stop = at + 1
        while stop < end and unicodedata.combining(text[stop]):
            stop += 1
        yield at, stop, fold(text[at:stop])
        at = stop


def _space_edits(text: str) -> Iterable[Edit]:
    at = 0
    while (maybe := _MAYBE.search(text, at)) is not None:
        start = maybe.start()
        while start > at and text[start - 1] == " ":
            start -= 1
        run = _RUN.match(text, start)
        if run is None:
            at = maybe.start() + 1
            continue
        at = run.end()
        words = run.group()
        inner = start > 0 and at < len(text)
        spaced = " " in words or any(character.isspace() for character in words)
        yield start, at, " " if inner and spaced else ""


def _apply(text: str, edits: Iterable[Edit]) -> tuple[str, _Layer | None]:
    """The edited text, and the way back; None where nothing was edited."""
    pieces: list[str] = []
    rows: list[tuple[int, int, int, int]] = []
    at = length = 0
    for start, end, new in edits:
        pieces += (text[at:start], new)
        begin = length + start - at
        length = begin + len(new)
        rows.append((begin, length, start, end))
        at = end
    if not rows:
        return text, None
    pieces.append(text[at:])
    return "".join(pieces), _Layer(*zip(*rows, strict=True))
