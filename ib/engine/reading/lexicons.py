"""Lexicon matching: search a text for the patterns of many lexicons in one pass."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ib.models.benchmark.lexicon import Exclusion, Lexicon, Pattern
from ib.models.common.base import Role
from ib.text.drafts import is_drafted
from ib.text.normalize import SAID_AGAIN, Normalized, Span
from ib.text.occurrences import Guarded, guarded
from ib.text.sets import PatternSet, release_automata

KNOWN = 2_048
"""For how many user messages the patterns found are cached."""

TOGETHER = ""
"""The name of the group of lexicons that are searched together; no lexicon has this name."""

Occurring: TypeAlias = Mapping[str, tuple[int, ...]]
"""For each lexicon that occurs in a text, the indices of its patterns found there."""


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """One match of a pattern; the offsets and the quote are those of the original text."""

    start: int
    end: int
    lexicon: str
    pattern: str
    group: str | None
    decides: bool
    quote: str


@dataclass(frozen=True)
class _Entry:
    of: Lexicon
    pattern: Pattern

    @property
    def lexicon(self) -> str:
        return self.of.name

    @cached_property
    def guarded(self) -> Guarded:
        """The compiled pattern. Most patterns of a scan are never searched for."""
        return guarded_pattern(self.of, self.pattern)


class _Group:
    """Lexicons that are searched for together."""

    def __init__(self, entries: Mapping[int, _Entry], *, remembers: bool) -> None:
        self._entries = entries
        self._indices = tuple(entries)
        self._remembers = remembers
        self._known: dict[str, Occurring] = {}

    @cached_property
    def _set(self) -> PatternSet:
        entries = self._entries.values()
        families = [entry.lexicon for entry in entries]
        return PatternSet([entry.guarded.regex for entry in entries], families, lower_case=True, lines=True)

    def found_each(self, texts: Sequence[Normalized]) -> list[Occurring]:
        each = {text.text: self._known[text.text] for text in texts if text.text in self._known}
        new = {text.text: text.encoded for text in texts if text.text not in each}
        for text, found in zip(new, self._set.match_each(list(new.values())), strict=True):
            each[text] = self._by_lexicon(self._indices[index] for index in found)
        if self._remembers:
            self._remember({text: each[text] for text in new if len(text) <= SAID_AGAIN})
        return [each[text.text] for text in texts]

    def _remember(self, found: Mapping[str, Occurring]) -> None:
        """Cache what occurs in short user messages: every model that plays a scenario gets the same ones."""
        if len(self._known) >= KNOWN:
            self._known.clear()
        self._known.update(found)

    def _by_lexicon(self, indices: Iterable[int]) -> Occurring:
        by_lexicon: dict[str, tuple[int, ...]] = {}
        for index in indices:
            name = self._entries[index].lexicon
            by_lexicon[name] = (*by_lexicon.get(name, ()), index)
        return by_lexicon


class Matcher:
    """All lexicons of one speaker, compiled on first use.

    `found_each` finds in one pass which patterns of a group of lexicons occur in texts. `hits` then
    finds their positions. The lexicons in `together` (by default all) form one group. Each other
    lexicon is a group of its own, which costs nothing until it is searched.
    """

    def __init__(
        self, lexicons: Iterable[Lexicon], speaker: Role, *, together: Collection[str] | None = None
    ) -> None:
        chosen = [lexicon for lexicon in lexicons if lexicon.speaker is speaker]
        self._entries = [_Entry(lexicon, pattern) for lexicon in chosen for pattern in lexicon.patterns]
        self._group_of = {
            lexicon.name: TOGETHER if together is None or lexicon.name in together else lexicon.name
            for lexicon in chosen
        }
        members: dict[str, dict[int, _Entry]] = {}
        for index, entry in enumerate(self._entries):
            members.setdefault(self._group_of[entry.lexicon], {})[index] = entry
        remembers = speaker is Role.USER
        self._groups = {name: _Group(entries, remembers=remembers) for name, entries in members.items()}

    def release(self) -> None:
        """Let go of the automata, once everything was searched. A later search makes them again."""
        if release_automata():
            for group in self._groups.values():
                group.__dict__.pop("_set", None)

    @cached_property
    def is_one_group(self) -> bool:
        """True if all lexicons are searched for together."""
        return self._groups.keys() <= {TOGETHER}

    def group_of(self, lexicon: str) -> str | None:
        """The group that a lexicon is searched with; None if it is not a lexicon of this speaker."""
        return self._group_of.get(lexicon)

    def found(self, text: Normalized) -> Occurring:
        """The indices of all patterns that occur in a text, by the name of their lexicon."""
        return {
            name: found for group in self._groups for name, found in self.found_each([text], group)[0].items()
        }

    def found_each(self, texts: Sequence[Normalized], group: str = TOGETHER) -> list[Occurring]:
        """What `found` returns, for many texts and one group; faster than text by text."""
        searched = self._groups.get(group)
        return [{} for _ in texts] if searched is None else searched.found_each(texts)

    def hits(self, text: Normalized, patterns: Iterable[int]) -> tuple[Hit, ...]:
        """The hits of patterns, without those that an exclusion voids.

        Hits are sorted by their start; hits with the same start are sorted longest first. A match in a
        draft or a script for another person is not a hit of a lexicon that decides: those are not the
        speaker's own words.
        """
        hits: list[Hit] = []
        for index in patterns:
            entry = self._entries[index]
            own = entry.of.decides
            for span in entry.guarded.spans(text):
                hit = _hit(entry, text, span)
                if not (own and is_drafted(text.original, hit.start, hit.end)):
                    hits.append(hit)
        return tuple(sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.lexicon, hit.pattern)))

    def match(self, text: Normalized) -> tuple[Hit, ...]:
        """All hits of all lexicons."""
        indices = [index for found in self.found(text).values() for index in found]
        return self.hits(text, indices)


def guarded_pattern(lexicon: Lexicon, pattern: Pattern) -> Guarded:
    """A pattern of a lexicon, compiled with its own exclusions and those of the lexicon.

    Raises PhraseError if the lexicon does not know a group of words that a phrase names.
    """
    concerning = [one for one in lexicon.exclusions if one.group in (None, pattern.group)]
    voiding: list[Pattern | Exclusion] = [pattern, *concerning]
    return guarded(
        pattern.phrase,
        lexicon.words,
        not_before=[phrase for one in voiding for phrase in one.not_before],
        not_after=[phrase for one in voiding for phrase in one.not_after],
    )


def _hit(entry: _Entry, text: Normalized, span: Span) -> Hit:
    begin, stop = text.span(text.character(span[0]), text.character(span[1]))
    pattern = entry.pattern
    quote = text.original[begin:stop]
    return Hit(begin, stop, entry.lexicon, pattern.id, pattern.group, pattern.decides, quote)
