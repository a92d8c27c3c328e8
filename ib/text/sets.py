"""Search a text for many patterns at once, with a few automata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from itertools import groupby
from threading import Thread
from typing import Any

import re2

from ib.text.patterns import AS_WRITTEN, OPTIONS, compile_for_lower_case, unchecked
from ib.text.shapes import alternatives, anchored, needs_no_folding, rarest_piece, repetitions

MANY = 8
"""The minimum number of texts for which a second thread is used. On one core, it costs almost nothing."""
_threads = 2


def search_in_one_thread() -> None:
    """Use no second thread in this process, because other processes use the other cores."""
    global _threads  # noqa: PLW0603 - a worker process sets it once
    _threads = 1


@lru_cache(maxsize=512)
def _automaton(regexes: tuple[str, ...], first: bool, lower: bool) -> Any:
    """The automaton of some patterns, cached, because it grows while it searches.

    With `first`, it searches only at the beginning of a text. Raises DataError if RE2 refuses a
    pattern.
    """
    made = (re2.Set.MatchSet if first else re2.Set.SearchSet)(AS_WRITTEN if lower else OPTIONS)
    for regex in regexes:
        try:
            made.Add(regex)
        except re2.error as error:
            raise unchecked(regex) from error
    made.Compile()
    return made


_kept = False


@contextmanager
def automata_kept() -> Iterator[None]:
    """Keep automata while this block runs: several steps in one process search for the same patterns."""
    global _kept  # noqa: PLW0603 - a process holds one cache of automata
    before, _kept = _kept, True
    try:
        yield
    finally:
        _kept = before


def release_automata() -> bool:
    """Let go of the automata that texts have grown, some 200 MB. A later search makes them again.

    Returns False if they are kept for further steps.
    """
    if not _kept:
        _automaton.cache_clear()
    return not _kept


class PatternSet:
    """Many patterns that are searched for at once: finds which patterns occur in a text, but not where.

    Patterns of one family, such as a lexicon, begin alike, so together they make a smaller automaton
    than patterns of several families.
    """

    SIZE = 110
    """How many alternatives share an automaton. With fewer, there are more passes over a text. With more, the
    automaton grows for longer and no longer fits the cache; see benchmarks/RESULTS.md."""
    REPETITIONS = 160
    """How many repetitions they may have together. Each repetition multiplies the states of an automaton."""
    SIZE_OF_FIRST_PERSON = 250
    """The same for alternatives that begin with the word `i`: few words match, so their automaton is
    small."""

    def __init__(self, regexes: Sequence[str], families: Sequence[str] | None = None) -> None:
        self._regexes = tuple(regexes)
        parts = [(index, part) for index, regex in enumerate(regexes) for part in alternatives(regex)]
        self._owners = tuple(index for index, _ in parts)
        self._alternatives = tuple(part for _, part in parts)
        self._pieces = tuple(rarest_piece(part) for _, part in parts)
        self._families = tuple("" if families is None else families[index] for index, _ in parts)

    @cached_property
    def _chunks(self) -> list[tuple[list[int], Any, bool]]:
        """The automata, each with the indices of its alternatives, and True if it needs lower-case text."""
        kinds: dict[tuple[bool, bool, bool], list[int]] = {}
        for index, regex in enumerate(self._pieces):
            kind = (regex.startswith(r"\bi"), anchored(regex), needs_no_folding(regex))
            kinds.setdefault(kind, []).append(index)
        return [
            (part, _automaton(tuple(self._pieces[index] for index in part), first, lower), lower)
            for (i, first, lower), indices in kinds.items()
            for part in self._divided(indices, self.SIZE_OF_FIRST_PERSON if i else self.SIZE)
        ]

    def _divided(self, indices: Iterable[int], size: int) -> Iterator[list[int]]:
        """Divide alternatives into parts of at most `size`. A family that fits into a part is not split.

        A family that is too big for a part is divided by itself, so that its parts, and the cached
        automata, are the same in every set. Its parts are smaller, because such a family has many
        repetitions.
        """
        most = self.REPETITIONS * size // self.SIZE
        part: list[int] = []
        for _, members in groupby(indices, key=lambda index: self._families[index]):
            family = list(members)
            if self._fit([*part, *family], size, most):
                part += family
                continue
            if part:
                yield part
            part = family
            if not self._fit(family, size, most):
                yield from self._cut(family, size, most // 2)
                part = []
        if part:
            yield part

    def _cut(self, family: list[int], size: int, most: int) -> Iterator[list[int]]:
        begin = 0
        for end in range(1, len(family) + 1):
            if end - begin > 1 and not self._fit(family[begin:end], size, most):
                yield family[begin : end - 1]
                begin = end - 1
        yield family[begin:]

    def _fit(self, part: Sequence[int], size: int, most: int) -> bool:
        """True if alternatives may share an automaton: neither they nor their repetitions are too many."""
        return len(part) <= size and sum(repetitions(self._pieces[index]) for index in part) <= most

    def match(self, text: bytes) -> tuple[int, ...]:
        """The indices of the patterns that occur in a UTF-8 text, in order."""
        return self.match_each([text])[0]

    def match_each(self, texts: Sequence[bytes]) -> list[tuple[int, ...]]:
        """What `match` returns, for many texts; one automaton at a time, so that it stays in the CPU cache.

        RE2 releases the interpreter lock while it searches, so a second thread shares the work.
        """
        lowered = [text.lower() for text in texts]
        chunks = self._chunks
        searched: list[list[list[int] | None] | None] = [None] * len(chunks)
        left: Iterator[int] = iter(range(len(chunks)))

        def search() -> None:
            for number in left:  # each number is handed out once, to either thread
                _, automaton, lower = chunks[number]
                match = automaton.Match
                searched[number] = [match(text) for text in (lowered if lower else texts)]

        many = len(texts) >= MANY and len(chunks) > 1 and _threads > 1
        second = Thread(target=search, name="search") if many else None
        with suppress(RuntimeError):  # no thread could be started
            if second is not None:
                second.start()
        search()
        if second is not None and second.ident is not None:
            second.join()
        left = iter([number for number, each in enumerate(searched) if each is None])
        search()  # what the other thread did not finish; raises its error here
        found: list[list[int]] = [[] for _ in texts]
        for (indices, _, _), each in zip(chunks, searched, strict=True):
            for at, hits in enumerate(each or ()):
                if hits:
                    found[at] += [indices[hit] for hit in hits]
        return [self._confirmed(text, hits) if hits else () for text, hits in zip(texts, found, strict=True)]

    def _confirmed(self, text: bytes, found: Iterable[int]) -> tuple[int, ...]:
        """The patterns of the alternatives found. If only a piece was found, the whole pattern is
        searched."""
        sure: set[int] = set()
        pieces: set[int] = set()
        for part in found:
            whole = self._pieces[part] is self._alternatives[part]
            (sure if whole else pieces).add(self._owners[part])
        sure |= {index for index in pieces - sure if _occurs(self._regexes[index], text)}
        return tuple(sorted(sure))


def _occurs(regex: str, text: bytes) -> bool:
    pattern, lower = compile_for_lower_case(regex)
    return pattern.search(text.lower() if lower else text) is not None
