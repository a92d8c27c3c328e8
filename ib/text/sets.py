"""Many patterns in few automata: which of them occur in a text, in a handful of passes over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

import re2

from ib.text.patterns import AS_WRITTEN, OPTIONS, compile_for_lower_case
from ib.text.shapes import anchored, needs_no_folding, rarest_piece, repetitions

if TYPE_CHECKING:
    from concurrent.futures import Executor

MANY = 8
"""From how many texts on it is worth spreading a search over threads."""

THREADS = 2
"""How many: a search is short, and on one core the second costs nothing that can be measured."""


@cache
def _workers() -> Executor:
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and used for many texts alone

    return ThreadPoolExecutor(THREADS, thread_name_prefix="search")


@lru_cache(maxsize=512)
def _automaton(regexes: tuple[str, ...], first: bool, lower: bool) -> Any:
    """The automaton of some patterns, shared by all who look for them: it grows with each text.

    What can only stand at the beginning need not be looked for in the rest of a text.
    """
    made = (re2.Set.MatchSet if first else re2.Set.SearchSet)(AS_WRITTEN if lower else OPTIONS)
    for regex in regexes:
        made.Add(regex)
    made.Compile()
    return made


class PatternSet:
    """Many patterns searched for at once: which of them occur in a normal form, not where.

    Patterns of one family, such as those of one lexicon, begin alike and meet the same words: together
    they make a smaller automaton than the same number taken from everywhere.
    """

    SIZE = 75
    """How many patterns share an automaton. Fewer cost more passes over a text, more make an automaton
    that grows for longer and no longer fits the cache; see benchmarks/RESULTS.md."""
    REPETITIONS = 110
    """How many repetitions they may hold together; each of them multiplies the states of an automaton."""
    SIZE_OF_FIRST_PERSON = 200
    """The same for patterns that begin with `i`, which few words of a text do: their automaton rests."""

    def __init__(self, regexes: Sequence[str], families: Sequence[str] | None = None) -> None:
        self._regexes = tuple(regexes)
        self._families = tuple(families) if families is not None else ("",) * len(self._regexes)
        self._pieces = tuple(rarest_piece(regex) for regex in self._regexes)

    @cached_property
    def _chunks(self) -> list[tuple[list[int], Any, bool]]:
        """The sets, each with the indices of its patterns and whether it wants a text in lower case."""
        kinds: dict[tuple[bool, bool, bool], list[int]] = {}
        for index, regex in enumerate(self._pieces):
            kind = (regex.startswith(r"\bi"), anchored(regex), needs_no_folding(regex))
            kinds.setdefault(kind, []).append(index)
        return [
            (part, _automaton(tuple(self._pieces[index] for index in part), first, lower), lower)
            for (i, first, lower), indices in kinds.items()
            for part in self._parts(indices, self.SIZE_OF_FIRST_PERSON if i else self.SIZE)
        ]

    def _parts(self, indices: Iterable[int], size: int) -> Iterator[list[int]]:
        """At most so many patterns a part; families whole where they fit, and else by themselves.

        So a big family is divided alike wherever it is searched for; and into smaller parts, since what
        is too much for one automaton repeats a lot, and grows for long.
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
                yield from self._divided(family, size, most // 2)
                part = []
        if part:
            yield part

    def _divided(self, family: list[int], size: int, most: int) -> Iterator[list[int]]:
        begin = 0
        for end in range(1, len(family) + 1):
            if end - begin > 1 and not self._fit(family[begin:end], size, most):
                yield family[begin : end - 1]
                begin = end - 1
        yield family[begin:]

    def _fit(self, part: Sequence[int], size: int, most: int) -> bool:
        """Whether patterns may share an automaton: not too many of them, nor too many repetitions."""
        return len(part) <= size and sum(repetitions(self._pieces[index]) for index in part) <= most

    def match(self, text: bytes) -> tuple[int, ...]:
        """The indices of the patterns that occur in a UTF-8 text, in order."""
        return self.match_each([text])[0]

    def match_each(self, texts: Sequence[bytes]) -> list[tuple[int, ...]]:
        """The same for many texts, one automaton after the other, so that each stays in the cache.

        RE2 lets go of the interpreter while it searches: each core takes another automaton.
        """
        lowered = [text.lower() for text in texts]

        def search(chunk: tuple[list[int], Any, bool]) -> list[list[int] | None]:
            _, automaton, lower = chunk
            match = automaton.Match
            return [match(text) for text in (lowered if lower else texts)]

        spread = _workers().map if len(texts) >= MANY else map
        found: list[list[int]] = [[] for _ in texts]
        for (indices, _, _), each in zip(self._chunks, spread(search, self._chunks), strict=True):
            for at, hits in enumerate(each):
                if hits:
                    found[at] += [indices[hit] for hit in hits]
        return [self._confirmed(text, hits) if hits else () for text, hits in zip(texts, found, strict=True)]

    def _confirmed(self, text: bytes, hits: list[int]) -> tuple[int, ...]:
        """The patterns found, less those of which only a piece was."""
        return tuple(
            index
            for index in sorted(hits)
            if self._pieces[index] is self._regexes[index] or _occurs(self._regexes[index], text)
        )


def _occurs(regex: str, text: bytes) -> bool:
    pattern, lower = compile_for_lower_case(regex)
    return pattern.search(text.lower() if lower else text) is not None
