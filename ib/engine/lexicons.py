"""Lexicon matching: search a text for the patterns of many lexicons in one pass."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ib.models.base import Role
from ib.models.lexicon import Exclusion, Lexicon, Pattern
from ib.text.drafts import is_drafted
from ib.text.normalize import SAID_AGAIN, Normalized, Span
from ib.text.occurrences import Guarded, guarded
from ib.text.patterns import compile_for_lower_case
from ib.text.phrases import compile_phrase
from ib.text.sets import PatternSet, release_automata
from ib.text.shapes import Lead, keeps_to_a_sentence, lead

SENTENCE_ENDS = (b".", b"!", b"?")
SENTENCE = 1_000
"""How many bytes before and after a hit are searched for the ends of its sentence."""
LONG = 16_000
"""In a text of more bytes, an exclusion is searched only near the hit."""
NEAR = 2_000
"""How many bytes before and after a hit count as near."""
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


@dataclass(frozen=True, slots=True)
class _Entry:
    lexicon: str
    pattern: Pattern
    guarded: Guarded
    own: bool
    """True if matches inside a draft for another person are ignored (see `ib.text.drafts`)."""


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
        return PatternSet([entry.guarded.regex for entry in entries], [entry.lexicon for entry in entries])

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
        self._entries = [
            _Entry(lexicon.name, pattern, guarded_pattern(lexicon, pattern), lexicon.decides)
            for lexicon in chosen
            for pattern in lexicon.patterns
        ]
        self._exclusions = {lexicon.name: lexicon.exclusions for lexicon in chosen}
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
        """The hits of patterns, without those that an exclusion touches.

        Hits are sorted by their start; hits with the same start are sorted longest first. A match inside
        a draft for another person is not a hit of a lexicon that decides: those are not the speaker's own
        words.
        """
        places = _Places(text)
        hits: list[Hit] = []
        for index in patterns:
            entry = self._entries[index]
            regex = entry.guarded.regex
            found = places.of(regex) if entry.pattern.phrase is None else entry.guarded.spans(text)
            for start, end in found:
                if start < end and not self._harmless(entry, start, end, places):
                    hit = _hit(entry, text, text.character(start), text.character(end))
                    if not (entry.own and is_drafted(text.original, hit.start, hit.end)):
                        hits.append(hit)
        return tuple(sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.lexicon, hit.pattern)))

    def match(self, text: Normalized) -> tuple[Hit, ...]:
        """All hits of all lexicons."""
        indices = [index for found in self.found(text).values() for index in found]
        return self.hits(text, indices)

    def _harmless(self, entry: _Entry, start: int, end: int, places: _Places) -> bool:
        """True if an exclusion touches a hit of a pattern, from `start` to `end` in bytes.

        Exclusions are tried one by one, up to the first that touches the hit. One automaton for all
        of them would be slow to build because of their gaps, and one of the first few exclusions
        usually touches the hit.
        """
        return any(
            places.touching(exclusion.regex, start, end)
            for exclusion in self._exclusions[entry.lexicon]
            if exclusion.regex is not None and exclusion.group in (None, entry.pattern.group)
        )


class _Places:
    """The matches of regular expressions in one text. Each expression is searched once, on first use."""

    def __init__(self, text: Normalized) -> None:
        self.text = text.encoded
        self._lowered = text.lowered
        self._found = text.places
        self._sentences: dict[Span, Span | None] = {}
        self._inside: dict[tuple[str, Span], tuple[Span, ...]] = {}

    def of(self, regex: str) -> tuple[Span, ...]:
        """The spans of all matches, in bytes."""
        found = self._found.get(regex)
        if found is None:
            found = self._found[regex] = self._search(regex, 0, len(self.text))
        return found

    def touching(self, regex: str, start: int, end: int) -> bool:
        """True if a match touches the bytes from `start` to `end`.

        A pattern that cannot match across sentences is searched only in the sentence of the hit. Of a
        pattern that ends in a long gap, only the head is searched; then the text between the head and
        the hit is compared with the gap.
        """
        sentence = self._sentence(start, end) if keeps_to_a_sentence(regex) else None
        if sentence is not None:
            return _touches(self._in(regex, sentence), start, end)
        leading = lead(regex)
        if leading is None:
            return _touches(self._near(regex, start, end), start, end)
        heads = self._near(leading.head, start, end)
        return any(self._leads(leading, *head, start, end) for head in heads)

    def _leads(self, leading: Lead, begin: int, stop: int, start: int, end: int) -> bool:
        """True if a head touches the hit, or if the text between them fits the gap."""
        if stop > start:
            return begin < end
        between = self.text[stop : start + 1]
        return len(between) <= 4 * leading.most and (
            not any(mark in between for mark in leading.barred)
            and len(between.decode(errors="ignore")) <= leading.most
        )

    def _near(self, regex: str, start: int, end: int) -> tuple[Span, ...]:
        """The matches near a hit; all matches if the text is not long."""
        if len(self.text) <= LONG:
            return self.of(regex)
        # Rounded to multiples of NEAR, so that hits close to each other share one search.
        first, last = (start - NEAR) // NEAR * NEAR, (end + 2 * NEAR) // NEAR * NEAR
        return self._in(regex, (max(0, first), min(last, len(self.text))))

    def _in(self, regex: str, part: Span) -> tuple[Span, ...]:
        """The matches in a part of the text."""
        if (regex, part) not in self._inside:
            self._inside[regex, part] = self._search(regex, *part)
        return self._inside[regex, part]

    def _search(self, regex: str, begin: int, stop: int) -> tuple[Span, ...]:
        pattern, lower = compile_for_lower_case(regex)
        matches = pattern.finditer(self._lowered if lower else self.text, begin, stop)
        return tuple(match.span() for match in matches)

    def _sentence(self, start: int, end: int) -> Span | None:
        """The sentence around `start` and `end`, in bytes; None if it is long."""
        if (start, end) not in self._sentences:
            self._sentences[start, end] = self._between_ends(start, end)
        return self._sentences[start, end]

    def _between_ends(self, start: int, end: int) -> Span | None:
        text, first, last = self.text, max(0, start - SENTENCE), end + SENTENCE
        begin = 1 + max(text.rfind(mark, first, start) for mark in SENTENCE_ENDS)
        ends = [at for mark in SENTENCE_ENDS if (at := text.find(mark, end, last)) >= 0]
        if (begin == 0 and first > 0) or (not ends and last < len(text)):
            return None
        return begin, min(ends, default=len(text))


def _touches(found: Sequence[Span], start: int, end: int) -> bool:
    """True if a match touches the bytes from `start` to `end`. Matches are sorted and do not overlap."""
    last = bisect_left(found, (end,)) - 1  # the last match that begins before `end` also ends last
    return last >= 0 and found[last][1] > start


def guarded_pattern(lexicon: Lexicon, pattern: Pattern) -> Guarded:
    """A pattern of a lexicon, compiled with its own exclusions and those of the lexicon.

    Raises PhraseError if the lexicon does not know a group of words that a phrase names.
    """
    if pattern.regex is not None:
        return Guarded(pattern.regex)
    concerning = [one for one in lexicon.exclusions if one.group in (None, pattern.group)]
    voiding: list[Pattern | Exclusion] = [pattern, *concerning]
    return guarded(
        pattern.phrase or "",
        lexicon.words,
        not_before=[phrase for one in voiding for phrase in one.not_before],
        not_after=[phrase for one in voiding for phrase in one.not_after],
    )


def pattern_regex(pattern: Pattern) -> str:
    """The regular expression of a pattern without groups of words."""
    return pattern.regex or compile_phrase(pattern.phrase or "")


def _hit(entry: _Entry, text: Normalized, start: int, end: int) -> Hit:
    begin, stop = text.span(start, end)
    pattern = entry.pattern
    quote = text.original[begin:stop]
    return Hit(begin, stop, entry.lexicon, pattern.id, pattern.group, pattern.decides, quote)
