"""Search a text for many patterns at once, with a few automata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from itertools import groupby
from threading import Thread
from typing import Any

import re2

from ib.text.patterns import AS_WRITTEN, OPTIONS, unchecked

MANY = 8
"""The minimum number of texts for which a second thread is used. On one core, it costs almost nothing."""
_threads = 2


def search_in_one_thread() -> None:
    """Use no second thread in this process, because other processes use the other cores."""
    global _threads  # noqa: PLW0603 - a worker process sets it once
    _threads = 1


JOINED = 2_000
"""Short texts are searched together, in pieces of at most this many bytes: a search costs as much as 500
bytes of text. With longer pieces, more texts are searched again, one by one, after a find."""
_EDGE = re.compile(r"\\(.)", re.DOTALL)


def _with_lines(regex: str) -> str:
    """A pattern for whose beginning and end of the text a line break stands too."""
    return _EDGE.sub(lambda found: rf"(?:{found[0]}|\n)" if found[1] in "Az" else found[0], regex)


@lru_cache(maxsize=512)
def _automaton(regexes: tuple[str, ...], lower: bool) -> Any:
    """The automaton of some patterns, cached, because it grows while it searches.

    Raises DataError if RE2 refuses a pattern.
    """
    made = re2.Set.SearchSet(AS_WRITTEN if lower else OPTIONS)
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
    """Let go of the automata that texts have grown. A later search makes them again.

    Returns False if they are kept for further steps.
    """
    if not _kept:
        _automaton.cache_clear()
    return not _kept


class PatternSet:
    """Many patterns that are searched for at once: finds which patterns occur in a text, but not where.

    Patterns of one family, such as a lexicon, begin alike, so together they make a smaller automaton
    than patterns of several families. With `lower_case`, the patterns are written for lower-case texts. With
    `lines`, they are those of phrases, and short texts without a line break are searched together.
    """

    SIZE = 60
    """How many patterns share an automaton. With fewer, there are more passes over a text. With more, the
    automaton grows for longer and no longer fits the cache; see benchmarks/RESULTS.md."""

    def __init__(
        self,
        regexes: Sequence[str],
        families: Sequence[str] | None = None,
        *,
        lower_case: bool = False,
        lines: bool = False,
    ) -> None:
        self._regexes = tuple(map(_with_lines, regexes) if lines else regexes)
        self._lines = lines
        self._families = tuple(families or ("",) * len(self._regexes))
        self._lower = lower_case

    @cached_property
    def _chunks(self) -> list[tuple[list[int], Any]]:
        """The automata, each with the indices of its patterns."""
        return [
            (part, _automaton(tuple(self._regexes[index] for index in part), self._lower))
            for part in self._divided()
        ]

    def _divided(self) -> Iterator[list[int]]:
        """Divide the patterns into parts of at most `SIZE`, without cutting a family that fits in one."""
        part: list[int] = []
        for _, members in groupby(range(len(self._regexes)), key=self._families.__getitem__):
            family = list(members)
            if part and len(part) + len(family) > self.SIZE:
                yield part
                part = []
            part += family
            while len(part) > self.SIZE:
                yield part[: self.SIZE]
                part = part[self.SIZE :]
        if part:
            yield part

    def match(self, text: bytes) -> tuple[int, ...]:
        """The indices of the patterns that occur in a UTF-8 text, in order."""
        searched = text.lower() if self._lower else text
        found = [indices[hit] for indices, one in self._chunks for hit in one.Match(searched) or ()]
        return tuple(sorted(found))

    def match_each(self, texts: Sequence[bytes]) -> list[tuple[int, ...]]:
        """What `match` returns, for many texts; one automaton at a time, so that it stays in the CPU cache.

        RE2 releases the interpreter lock while it searches, so a second thread shares the work.
        """
        searched_texts = [text.lower() for text in texts] if self._lower else texts
        pieces = _pieces(searched_texts) if self._lines else [[at] for at in range(len(texts))]
        joined = [b"\n".join([searched_texts[at] for at in piece]) for piece in pieces]
        found: list[list[int]] = [[] for _ in texts]
        for (indices, automaton), each in zip(self._chunks, self._searched(joined), strict=True):
            for piece, hits in zip(pieces, each, strict=True):
                if not hits:
                    continue
                if len(piece) == 1:
                    found[piece[0]] += [indices[hit] for hit in hits]
                    continue
                for at in piece:  # a phrase may have been found across two texts
                    found[at] += [indices[hit] for hit in automaton.Match(searched_texts[at]) or ()]
        return [tuple(sorted(hits)) for hits in found]

    def _searched(self, texts: Sequence[bytes]) -> list[list[list[int] | None]]:
        """For each automaton, the patterns that occur in each text."""
        chunks = self._chunks
        searched: list[list[list[int] | None] | None] = [None] * len(chunks)
        left: Iterator[int] = iter(range(len(chunks)))

        def search() -> None:
            for number in left:  # each number is handed out once, to either thread
                match = chunks[number][1].Match
                searched[number] = [match(text) for text in texts]

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
        return [each or [] for each in searched]


def _pieces(texts: Sequence[bytes]) -> list[list[int]]:
    """The indices of texts that are searched together: short ones without a line break. Others are alone."""
    pieces: list[list[int]] = []
    open_piece: list[int] = []
    size = 0
    for at, text in enumerate(texts):
        if len(text) > JOINED // 2 or b"\n" in text:
            pieces.append([at])
            continue
        if open_piece and size + len(text) > JOINED:
            pieces.append(open_piece)
            open_piece, size = [], 0
        open_piece.append(at)
        size += len(text) + 1
    return [*pieces, open_piece] if open_piece else pieces
