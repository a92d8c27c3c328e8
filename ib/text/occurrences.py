"""Find phrases in a text, less those that stand beside words that void them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import re2

from ib.text.normalize import Normalized, Span
from ib.text.patterns import AS_WRITTEN, compile_lower_case
from ib.text.phrases import Words, compile_after, compile_before, compile_phrase, frozen

REACH = 600
"""How many bytes of a sentence before and after a phrase are searched for exclusions."""
_ENDS = re2.compile(r"""[.!?]["')]*(?: |$)""", options=AS_WRITTEN)
_TITLES = (b" dr", b" mr", b" ms", b" mrs", b" st")
"""Abbreviations whose full stop ends no sentence."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A compiled phrase with the patterns that void it: in its sentence, before it or after it."""

    regex: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def spans(self, text: Normalized) -> Iterator[Span]:
        """Where the phrase stands in a text: spans of `text.lowered`, in bytes, in order."""
        searched = text.lowered
        found = compile_lower_case(self.regex)
        for match in found.finditer(searched):
            start, end = match.span(1) if found.groups else match.span()
            if not _goes_on(searched, end) and not self._voided(searched, start, end):
                yield start, end

    def _voided(self, text: bytes, start: int, end: int) -> bool:
        if not self.before and not self.after:
            return False
        first, last = _sentence(text, start, end)
        return any(_occurs(regex, text[first:start]) for regex in self.before) or any(
            _occurs(regex, text[end:last]) for regex in self.after
        )


def guarded(
    phrase: str, words: Words, *, not_before: Iterable[str] = (), not_after: Iterable[str] = ()
) -> Guarded:
    """Compile a phrase with the phrases that must not stand before it or after it. Raises PhraseError."""
    known = frozen(words)
    return Guarded(
        compile_phrase(phrase, known),
        tuple(compile_before(one, known) for one in not_before),
        tuple(compile_after(one, known) for one in not_after),
    )


def _goes_on(text: bytes, end: int) -> bool:
    """True if the last word found is only the beginning of one with an apostrophe, such as `nurse's`."""
    return text[end : end + 1] == b"'" and text[end + 1 : end + 2].isalpha() and text[end - 1 : end].isalnum()


def _occurs(regex: str, text: bytes) -> bool:
    return compile_lower_case(regex).search(text) is not None


def _sentence(text: bytes, start: int, end: int) -> Span:
    """The sentence around a span, as far as REACH."""
    ends = _sentence_ends(text)
    at = bisect_right(ends, start)
    begin = ends[at - 1] if at else 0
    after = bisect_left(ends, end)
    stop = ends[after] if after < len(ends) else len(text)
    return max(begin, start - REACH), min(stop, end + REACH)


@lru_cache(maxsize=64)
def _sentence_ends(text: bytes) -> tuple[int, ...]:
    """Where sentences end, with the space behind the mark."""
    ends = (match.span() for match in _ENDS.finditer(text))
    return tuple(end for start, end in ends if not text[max(0, start - 4) : start].endswith(_TITLES))
