"""Lexicon matching: every pattern of every lexicon in one pass over a text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ib.models.base import Role
from ib.models.lexicon import Lexicon, Pattern
from ib.text.normalize import Normalized
from ib.text.patterns import PatternSet, compile_pattern, phrase_regex


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """One place where a pattern was found; offsets and words are those of the original."""

    start: int
    end: int
    lexicon: str
    pattern: str
    group: str | None
    decides: bool
    quote: str


@dataclass(frozen=True, slots=True)
class _Entry:
    lexicon: str
    pattern: Pattern
    regex: str


class Matcher:
    """All lexicons of one speaker, compiled once.

    `found` tells in one pass which patterns occur in a text; `hits` then finds where, for the
    lexicons that somebody asks about.
    """

    def __init__(self, lexicons: Iterable[Lexicon], speaker: Role) -> None:
        chosen = [lexicon for lexicon in lexicons if lexicon.speaker is speaker]
        self._entries = [
            _Entry(lexicon.name, pattern, pattern_regex(pattern))
            for lexicon in chosen
            for pattern in lexicon.patterns
        ]
        self._exclusions = {lexicon.name: lexicon.exclusions for lexicon in chosen}
        self._set = PatternSet([entry.regex for entry in self._entries])

    def found(self, text: Normalized) -> Mapping[str, tuple[int, ...]]:
        """The patterns that occur in a text, by the name of their lexicon."""
        by_lexicon: dict[str, tuple[int, ...]] = {}
        for index in self._set.match(text.text.encode()):
            name = self._entries[index].lexicon
            by_lexicon[name] = (*by_lexicon.get(name, ()), index)
        return by_lexicon

    def decides(self, index: int) -> bool:
        """Whether a hit of a pattern decides by itself."""
        return self._entries[index].pattern.decides

    def hits(self, text: Normalized, patterns: Iterable[int]) -> tuple[Hit, ...]:
        """Where patterns occur and no exclusion touches them, in order of the text, longest first."""
        places = _Places(text.text.encode())
        hits: list[Hit] = []
        for index in patterns:
            entry = self._entries[index]
            for start, end in places.of(entry.regex):
                if start < end and not self._harmless(entry, start, end, places):
                    hits.append(_hit(entry, text, *_characters(places.text, start, end)))
        return tuple(sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.lexicon, hit.pattern)))

    def match(self, text: Normalized) -> tuple[Hit, ...]:
        """Every hit of every lexicon."""
        indices = [index for found in self.found(text).values() for index in found]
        return self.hits(text, indices)

    def _harmless(self, entry: _Entry, start: int, end: int, places: _Places) -> bool:
        """Whether an exclusion touches a hit of a pattern, from `start` to `end` in bytes.

        One by one, up to the first that does: together, the gaps in exclusions make an automaton that
        takes long to grow, and most hits that do not count are voided by one of the first few.
        """
        return any(
            exclusion.group in (None, entry.pattern.group)
            and _touches(start, end, places.of(exclusion.regex))
            for exclusion in self._exclusions[entry.lexicon]
        )


class _Places:
    """Where regular expressions match in one text, each looked for once, when somebody asks."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._found: dict[str, tuple[tuple[int, int], ...]] = {}

    def of(self, regex: str) -> tuple[tuple[int, int], ...]:
        """The spans of all matches, in bytes."""
        found = self._found.get(regex)
        if found is None:
            found = tuple(match.span() for match in compile_pattern(regex).finditer(self.text))
            self._found[regex] = found
        return found


def _characters(encoded: bytes, start: int, end: int) -> tuple[int, int]:
    """Byte offsets as character offsets."""
    if encoded.isascii():
        return start, end
    return len(encoded[:start].decode()), len(encoded[:end].decode())


def pattern_regex(pattern: Pattern) -> str:
    """The regular expression that a pattern stands for."""
    return pattern.regex if pattern.regex is not None else phrase_regex(pattern.phrase or "")


def _touches(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < stop and begin < end for begin, stop in spans)


def _hit(entry: _Entry, text: Normalized, start: int, end: int) -> Hit:
    begin, stop = text.span(start, end)
    pattern = entry.pattern
    quote = text.original[begin:stop]
    return Hit(begin, stop, entry.lexicon, pattern.id, pattern.group, pattern.decides, quote)
