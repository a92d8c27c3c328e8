"""The normal form of a text, which all matching uses, with a map back to the original characters.

Models write typographic apostrophes, Markdown emphasis and line breaks; people quote texts without
them. Patterns are matched with the normal form, and evidence is cut from the original.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate

from ib.text.edits import Layer, apply_edits
from ib.text.shown import SHAPELESS, Edit, beyond_ascii, shown_edits

Span = tuple[int, int]
"""The start and the end of a part of a text; the end is excluded."""

BLOCK = 4_096
"""The size in bytes of the blocks in which characters are counted."""
_CONTINUED = bytes(range(0x80, 0xC0))
"""The UTF-8 bytes that continue a character."""

_FOLDS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02bd\u00b4\uff07", "'"),
    **dict.fromkeys("\u2800\u3164", " "),
    **dict.fromkeys("\u055a\u05f3\u1fbd\u1fbf\u275b\u275c\ua78c", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\uff02", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
}
_COMMON = "\u2019\u2018\u201c\u201d\u2014\u2013\u2011"
_FOLD_TABLE = str.maketrans(_FOLDS)
# Cyrillic letters, and Greek ones from the small omicron on, that look like Latin ones.
_LOOKS = "аеорсухіјѕһԁАВЕКМНОРСТУХІЈЅοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
_LATIN = str.maketrans(_LOOKS, "aeopcyxijshdABEKMHOPCTYXIJSoABEZHIKMNOPTYX")
# A word in two scripts imitates a Latin word; then all words that could be Latin are read as Latin (UTS 39).
_LOOKALIKE = re.compile(f"[{_LOOKS}]")
_MIXED = re.compile(f"[A-Za-z][{_LOOKS}]|[{_LOOKS}][A-Za-z]")
_BORROWED = re.compile(rf"(?<!\w)[A-Za-z{_LOOKS}]+(?!\w)")
_FOLDED = re.compile(f"[{''.join(_FOLDS)}]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_SPACES = r"\t-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Rare white space that NFKC does not change.
_RARE_SPACES = "\t\v\f\r\x1c\x1d\x1e\x1f\x85\u1680\u2028\u2029"
# Invisible characters: controls, format characters, characters without a shape, the keycap frame.
_INVISIBLE = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\ufeff"
    rf"\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a{SHAPELESS}"
)
_UNSEEN = re.compile(rf"[{_INVISIBLE}]+")
_CONTROLS = list(filter(_UNSEEN.match, map(chr, range(128))))
# Underscores inside a word are kept, and so is a hash that does not begin a heading.
_RARE_MARKS = re.compile(r"(?<!\w)_+|_+(?!\w)|~~|(?m:^)#{1,6}(?= )")
_HEADINGS = re.compile(r"\n#{1,6}(?= )")
_DROP = rf"[{_SPACES}]|[*`]|{_UNSEEN.pattern}|{_RARE_MARKS.pattern}"
# For the map back: runs of marks and white space, and a space at the beginning or the end.
_RUN = re.compile(rf" *(?:{_DROP})(?: |{_DROP})*| {{2,}}|\A | \Z")
# The same for texts without rare marks, as character classes, which are the fastest to search.
_PLAIN = rf"[{_SPACES}{_INVISIBLE}*`][ {_SPACES}{_INVISIBLE}*`]*"
_PLAIN_RUN = re.compile(_PLAIN)
_SPACED_RUN = re.compile(rf"{_PLAIN}|  [ {_SPACES}{_INVISIBLE}*`]*")
_SPACE = re.compile(rf"[ {_SPACES}]")


@dataclass(frozen=True)
class Normalized:
    """A text in normal form, with its original."""

    text: str
    original: str
    places: dict[str, tuple[Span, ...]] = field(default_factory=dict, compare=False, repr=False)
    """A cache of the matches of patterns in `encoded`, in bytes, by regular expression."""

    @cached_property
    def encoded(self) -> bytes:
        """The normal form in UTF-8, which patterns are matched with."""
        return self.text.encode()

    @cached_property
    def lowered(self) -> bytes:
        """`encoded` with its ASCII letters in lower case; offsets are the same."""
        return self.encoded.lower()

    @cached_property
    def _before_blocks(self) -> tuple[int, ...]:
        """How many characters begin before each block of the encoded text."""
        blocks = range(0, len(self.encoded), BLOCK)
        counts = (_characters(self.encoded[at : at + BLOCK]) for at in blocks)
        return tuple(accumulate(counts, initial=0))

    def character(self, byte: int) -> int:
        """The index in `text` of the character that begins at a byte of `encoded`, in constant time."""
        if len(self.encoded) == len(self.text):
            return byte
        block = byte // BLOCK
        return self._before_blocks[block] + _characters(self.encoded[block * BLOCK : byte])

    @cached_property
    def _layers(self) -> tuple[Layer, ...]:
        """The map back to the original, computed on first use."""
        layers = []
        text = _fold_one_to_one(self.original)
        for edits in (_shown_edits, _unicode_edits, _space_edits):
            text, layer = apply_edits(text, edits(text))
            if layer is not None:
                layers.append(layer)
        if text != self.text:
            # Texts may be hostile. If the two computations ever differ, the evidence is the whole message.
            return (Layer((0,), (len(self.text),), (0,), (len(self.original),)),)
        return tuple(layers)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The half-open span of the original that `text[start:end]` came from."""
        if start >= end:
            return (0, 0)
        for layer in reversed(self._layers):
            start, end = layer.start(start), layer.end(end)
        return start, end

    def quote(self, start: int, end: int) -> str:
        """The part of the original that `text[start:end]` came from, exactly as written."""
        begin, stop = self.span(start, end)
        return self.original[begin:stop]


def _characters(encoded: bytes) -> int:
    """How many characters begin in these bytes of UTF-8."""
    return len(encoded.translate(None, _CONTINUED))


def normalize(original: str) -> Normalized:
    """Normalize a text: only what is shown (`ib.text.shown`), in NFKC, with plain quotes and dashes, without
    emphasis, and with single spaces."""
    text = original
    if not text.isascii():
        text = _fold_one_to_one(text)
    text, _ = apply_edits(text, _shown_edits(text))
    if not text.isascii() and not unicodedata.is_normalized("NFKC", text):
        text = fold(text)
    if _has_rare_marks(text):
        text = _without_rare_marks(text)
    text = text.replace("*", "").replace("`", "")
    if _holds_unseen(text):
        text = _UNSEEN.sub("", text)
    return Normalized(_collapsed(text), original)


SAID_AGAIN = 4_000
"""User messages up to this length are cached: every model that plays a scenario gets the same ones."""


def normalize_said(original: str) -> Normalized:
    """Normalize a user message, with a cache, because all models of a scenario get the same message."""
    # In bytes too, because NFKC can make text beyond ASCII longer.
    short = len(original) <= SAID_AGAIN and len(original.encode("utf-8", "surrogatepass")) <= SAID_AGAIN
    return _said_before(original) if short else normalize(original)


_said_before = lru_cache(maxsize=1024)(normalize)


def _collapsed(text: str) -> str:
    """The same as `" ".join(text.split())`, in half the time."""
    for space in _RARE_SPACES:
        if space in text:
            return " ".join(text.split())
    text = " ".join([line for part in text.split("\n") if (line := part.strip(" "))])
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def _without_rare_marks(text: str) -> str:
    """Remove rare marks; a text with headings only takes a faster way."""
    if "_" not in text and "~~" not in text:
        return _HEADINGS.sub("\n", f"\n{text}")
    return _RARE_MARKS.sub("", text)


def fold(text: str) -> str:
    """NFKC with plain quotes and dashes; layout is not changed."""
    return unicodedata.normalize("NFKC", text.translate(_FOLD_TABLE)).translate(_FOLD_TABLE)


def _fold_one_to_one(text: str) -> str:
    """Fold quotes, dashes, blanks and look-alike letters, one character to one, so that offsets stay."""
    for character in _COMMON:
        text = text.replace(character, _FOLDS[character])
    if text.isascii():
        return text
    rare = beyond_ascii(text)
    if _FOLDED.search(rare) is not None:
        text = text.translate(_FOLD_TABLE)
    if _LOOKALIKE.search(rare) is not None and _MIXED.search(text) is not None:
        text = _BORROWED.sub(lambda word: word[0].translate(_LATIN), text)
    return text


def _holds_unseen(text: str) -> bool:
    if not text.isascii() and _UNSEEN.search(beyond_ascii(text)):
        return True
    return any(map(text.__contains__, _CONTROLS))


def _shown_edits(text: str) -> list[Edit]:
    return [(start, end, fold(new)) for start, end, new in shown_edits(text)]


def _unicode_edits(text: str) -> Iterable[Edit]:
    if unicodedata.is_normalized("NFKC", text):
        return  # most texts; five times faster than looking at their characters beyond ASCII
    for run in _NON_ASCII.finditer(text):
        start, end = run.span()
        # A combining mark belongs to the ASCII letter before it.
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
    """One edit for each base character with its marks, so that offsets are exact."""
    at = start
    while at < end:
        stop = at + 1
        while stop < end and unicodedata.combining(text[stop]):
            stop += 1
        yield at, stop, fold(text[at:stop])
        at = stop


def _space_edits(text: str) -> Iterable[Edit]:
    """The runs to remove; a run that contains white space is replaced with one space."""
    pattern = _RUN
    if not _has_rare_marks(text) and text[:1] != " " and text[-1:] != " ":
        pattern = _SPACED_RUN if "  " in text else _PLAIN_RUN
    before, last = 0, len(text)
    for run in pattern.finditer(text):
        start, end = run.span()
        if start > before and text[start - 1] == " ":
            start -= 1
        before = end
        yield start, end, _stands_for(text[start:end]) if start > 0 and end < last else ""


def _has_rare_marks(text: str) -> bool:
    if "_" in text or ("~" in text and "~~" in text):
        return True
    return "#" in text and ("\n#" in text or text[0] == "#")


@lru_cache(maxsize=1024)
def _stands_for(run: str) -> str:
    """One space if a run contains white space, else nothing."""
    return " " if _SPACE.search(run) else ""
