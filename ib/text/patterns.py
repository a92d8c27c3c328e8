"""Patterns of data files: RE2 compiles them, and what could run away elsewhere is refused.

RE2 cannot backtrack. Lexicons are read by other tools as well, so a pattern that would run away
in a backtracking engine is refused here too, with the reason.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version

# The parsed form of a pattern is public nowhere else.
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any

import re2

from ib.errors import DataError
from ib.text.normalize import fold
from ib.text.shapes import needs_no_folding

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


OPTIONS = _options()
AS_WRITTEN = _options(case_sensitive=True)
"""For patterns in lower case that meet a text in lower case, and to ask whether a pattern is allowed at
all: folding case takes RE2 two thirds of the time of parsing, and makes larger automata."""


@cache
def compile_pattern(regex: str) -> Any:
    """A compiled RE2 pattern, of a file that was checked with `refusal` when it was loaded.

    Patterns are compiled when they are first met: most never are. DataError where it was not checked.
    """
    return _compiled(regex, OPTIONS)


@cache
def compile_for_lower_case(regex: str) -> tuple[Any, bool]:
    """The same for a text that is at hand in lower case too, and whether the pattern is to meet that one.

    Without regard to case RE2 takes three times as long to compile.
    """
    if needs_no_folding(regex):
        return _compiled(regex, AS_WRITTEN), True
    return compile_pattern(regex), False


def _compiled(regex: str, options: Any) -> Any:
    try:
        return re2.compile(regex, options=options)
    except re2.error as error:
        raise unchecked(regex) from error


def unchecked(regex: str) -> DataError:
    """What to raise for a pattern that does not compile: it was changed, or declared sound, unseen."""
    found = f"{regex!r} {refusal(regex) or 'was refused by RE2'}"
    return DataError.one("benchmark", None, "pattern", found, "a pattern that `ib lint` finds sound")


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


def re2_version() -> str | None:
    """The version of google-re2, which decides what a pattern may be; None where nobody knows."""
    try:
        return version("google-re2")
    except PackageNotFoundError:
        return None


@cache
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
        re2.Set.SearchSet(AS_WRITTEN).Add(regex)
    except re2.error:
        return f"is outside RE2 syntax: {_complaint(regex)}"
    return None


def _complaint(regex: str) -> str:
    """What RE2 has against a pattern, in its words."""
    try:
        re2.compile(regex, options=OPTIONS)
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
