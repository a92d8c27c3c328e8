"""Patterns of data files: RE2 compiles them, and what could run away elsewhere is refused.

RE2 cannot backtrack. Lexicons are read by other tools as well, so a pattern that would run away
in a backtracking engine is refused here too, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import groupby

# The parsed form of a pattern is public nowhere else.
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

import re2

from ib.text.normalize import fold

if TYPE_CHECKING:
    from concurrent.futures import Executor

_UNBOUNDED = sre.MAXREPEAT
# Only a group that is repeated can hold one repetition inside another; most patterns have none,
# and need not be parsed.
_REPEATED_GROUP = re.compile(r"\)(?:[*+]|\{\d*,\})")


def _options(*, case_sensitive: bool = False) -> Any:
    """The options that every pattern is compiled with: no regard to case, no log on error."""
    chosen = re2.Options()
    chosen.case_sensitive = case_sensitive
    chosen.log_errors = False
    # The automaton of a set of patterns is built as texts need it; with too little room for it
    # RE2 falls back to a search that is thirty times slower.
    chosen.max_mem = 256 << 20
    return chosen


_OPTIONS = _options()
_AS_WRITTEN = _options(case_sensitive=True)
"""For patterns in lower case that meet a text in lower case, and to ask whether a pattern is allowed at
all: folding case takes RE2 two thirds of the time of parsing, and makes larger automata."""


@cache
def compile_pattern(regex: str) -> Any:
    """A compiled RE2 pattern, of a file that was checked with `refusal` when it was loaded.

    Patterns are compiled when they are first met: most never are.
    """
    return re2.compile(regex, options=_OPTIONS)


@cache
def compile_for_lower_case(regex: str) -> tuple[Any, bool]:
    """The same for a text that is at hand in lower case too, and whether the pattern is to meet that one.

    Without regard to case RE2 takes three times as long to compile.
    """
    if _needs_no_folding(regex):
        return re2.compile(regex, options=_AS_WRITTEN), True
    return compile_pattern(regex), False


_TOKEN = re.compile(r"\\.|\[(?:\\.|[^\]\\])+\]|[()|]", re.DOTALL)


def _anchored(regex: str) -> bool:
    """Whether a pattern can match only at the beginning: it says so, and no alternative says otherwise."""
    depth = 0
    for token in _TOKEN.findall(regex):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if token == "|" and depth == 0:
            return False
    return regex.startswith("^")


def _occurs(regex: str, text: bytes) -> bool:
    pattern, lower = compile_for_lower_case(regex)
    return pattern.search(text.lower() if lower else text) is not None


_NAMED_CLASS = re.compile(r"\[:\^?\w+:\]")
_LOWER_CASE = re.compile(r"(?:[^A-Z\\\x80-\U0010ffff]|\\[bBdDsSwW]|\\[^0-9A-Za-z])*")


def _needs_no_folding(regex: str) -> bool:
    """Whether a pattern says the same, case folded or not, of a text whose ASCII letters are lower case.

    It does where it names lower-case ASCII only, and sets no flag. (Two letters beyond ASCII fold to
    `k` and `s`; NFKC leaves neither of them in a normal form.)
    """
    flags = "(?" in regex.replace("(?:", "") or _NAMED_CLASS.search(regex) is not None
    return not flags and _LOWER_CASE.fullmatch(regex) is not None


MANY = 8
"""From how many texts on it is worth spreading a search over threads."""

THREADS = 2
"""How many: a search is short, and on one core the second costs nothing that can be measured."""


@cache
def _workers() -> Executor:
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and used for many texts alone

    return ThreadPoolExecutor(THREADS, thread_name_prefix="search")


class PatternSet:
    """Many patterns searched for at once: which of them occur in a normal form, not where.

    Patterns of one family, such as those of one lexicon, begin alike and meet the same words: together
    they make a smaller automaton than the same number taken from everywhere.
    """

    SIZE = 75
    """How many patterns share an automaton. Fewer cost more passes over a text, more make an automaton
    that grows for longer and no longer fits the cache; see benchmarks/RESULTS.md."""
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
            kind = (regex.startswith(r"\bi"), _anchored(regex), _needs_no_folding(regex))
            kinds.setdefault(kind, []).append(index)
        return [
            (part, self._set(part, first=first, lower=lower), lower)
            for (i, first, lower), indices in kinds.items()
            for part in self._parts(indices, self.SIZE_OF_FIRST_PERSON if i else self.SIZE)
        ]

    def _parts(self, indices: Iterable[int], size: int) -> Iterator[list[int]]:
        """At most so many patterns a part, and families whole where they fit."""
        part: list[int] = []
        for _, family in groupby(indices, key=lambda index: self._families[index]):
            members = list(family)
            if part and len(part) + len(members) > size:
                yield part
                part = []
            while len(members) > size:
                yield members[:size]
                members = members[size:]
            part += members
        if part:
            yield part

    def _set(self, indices: Sequence[int], *, first: bool, lower: bool) -> Any:
        """The automaton of some patterns.

        What can only stand at the beginning need not be looked for in the rest of a text.
        """
        make = re2.Set.MatchSet if first else re2.Set.SearchSet
        chosen = make(_AS_WRITTEN if lower else _OPTIONS)
        for index in indices:
            chosen.Add(self._pieces[index])
        chosen.Compile()
        return chosen

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


_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_CLASS_RANGE = re.compile(r"[^0-9A-Za-z]-[^\]]|[^\]]-[^0-9A-Za-z\]]")
_WIDE_CLASS = re.compile(r"\\[^wsd'\"-]")
_WIDE_ESCAPE = re.compile(r"\\[WSDpPCxQ.!?0-9]|\(\?(?!:)|[.!]")


@cache
def keeps_to_a_sentence(regex: str) -> bool:
    """Whether no match of a pattern can hold a full stop, a question mark or an exclamation mark.

    Told from how it is written; False where that leaves a doubt.
    """
    for found in _CLASS.findall(regex):
        named = [mark in found for mark in ".!?"]
        if _CLASS_RANGE.search(found[1:]) or _NAMED_CLASS.search(found) or _WIDE_CLASS.search(found):
            return False
        if not all(named) if found.startswith("[^") else any(named):
            return False
    return _WIDE_ESCAPE.search(_CLASS.sub("", regex)) is None


_GAP = re.compile(r"(?<!\\)\[\^[^\]\\]*\]\*\??")


def rarest_piece(regex: str) -> str:
    """The pattern, or where it has gaps without end the piece between them that looks rarest.

    A pattern such as `if you[^.!?]*don't blame me` keeps an automaton busy from its first words on,
    together with every other gap that is open then. A piece of it occurs wherever the whole does.
    """
    gaps = list(_GAP.finditer(regex))
    if not gaps or "(?" in regex.replace("(?:", ""):
        return regex
    pieces, at = [], 0
    for gap in gaps:
        before, after = regex[at : gap.start()], regex[gap.end() :]
        if _is_one_piece(before) and _is_one_piece(after):
            pieces.append(before)
            at = gap.end()
    if not pieces:
        return regex
    return max((*pieces, regex[at:]), key=_letters_for_each_alternative)


def _is_one_piece(part: str) -> bool:
    """Whether a part of a pattern can stand alone: its groups are closed, and no alternative splits it."""
    depth = 0
    for token in _TOKEN.findall(part):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth < 0 or (token == "|" and depth == 0):
            return False
    return depth == 0


def _letters_for_each_alternative(piece: str) -> float:
    """How long the words of a piece are; of many short ones, one is soon met."""
    written = re.sub(r"\\.", "", piece)
    return sum(map(str.isalpha, written)) / (1 + written.count("|"))


def phrase_regex(phrase: str) -> str:
    """The regular expression of a phrase: its words whole, any white space between them."""
    words = r"\s+".join(re2.escape(word) for word in fold(phrase).split())
    return f"{_edge(words[:1])}{words}{_edge(words[-1:])}"


def _edge(character: str) -> str:
    """The end of a word at one of its characters.

    RE2 knows ASCII words alone, and cannot look ahead: a boundary beyond ASCII is one to an ASCII letter,
    so that none there keeps `jos\u00e9` out of `jos\u00e9phine`. What no pattern can see without taking it
    into the match is a letter beyond ASCII on the other side.
    """
    if not character.isalnum():
        return ""
    return r"\b" if character.isascii() else r"\B"


def refusal(regex: str) -> str | None:
    """Why a pattern may not be used, or None. Parses it, without the cost of compiling it."""
    if _REPEATED_GROUP.search(regex):
        try:
            tree = sre_parser.parse(regex)
        except re.error as error:
            return f"is no regular expression: {error}"
        if _runs_away(tree):
            return "backtracks catastrophically: a repetition without bound inside another one"
    try:
        re2.Set.SearchSet(_AS_WRITTEN).Add(regex)
    except re2.error:
        return f"is outside RE2 syntax: {_complaint(regex)}"
    return None


def _complaint(regex: str) -> str:
    """What RE2 has against a pattern, in its words."""
    try:
        re2.compile(regex, options=_OPTIONS)
    except re2.error as error:
        return str(error.args[0].decode())
    return "it was refused"


def _runs_away(tree: Any, *, inside: bool = False) -> bool:
    """Whether an unbounded repetition holds another of variable width, or overlapping branches."""
    for op, argument in tree:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            low, high, body = argument
            if inside and low != high:
                return True
            if _runs_away(body, inside=inside or high == _UNBOUNDED):
                return True
        elif op is sre.BRANCH:
            branches = argument[1]
            if inside and _overlap(branches):
                return True
            if any(_runs_away(branch, inside=inside) for branch in branches):
                return True
        elif (op is sre.SUBPATTERN and _runs_away(argument[-1], inside=inside)) or (
            op in (sre.ASSERT, sre.ASSERT_NOT) and _runs_away(argument[1], inside=inside)
        ):
            return True
    return False


def _overlap(branches: list[Any]) -> bool:
    """Whether two branches may begin alike, so that (a|a)* has many readings of one text."""
    firsts = [branch[0] if len(branch) else None for branch in branches]
    literals = [chr(first[1]).casefold() for first in firsts if first is not None and first[0] is sre.LITERAL]
    return len(literals) < len(branches) or len(set(literals)) < len(literals)
