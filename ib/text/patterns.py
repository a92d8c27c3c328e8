"""Compile and check the patterns of data files.

Patterns are compiled by RE2, which does not backtrack. Other tools read lexicons too, so a pattern that
would backtrack catastrophically in another engine is refused, with the reason.
"""

from __future__ import annotations

import re
from functools import cache

# There is no public parser of regular expressions.
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any

import re2

from ib.errors import DataError
from ib.text.normalize import fold

_UNBOUNDED = sre.MAXREPEAT
# Only a repeated group can contain nested repetitions. Most patterns have none and are not parsed.
_REPEATED_GROUP = re.compile(r"\)(?:[*+]|\{\d*,\})")


def _options(*, case_sensitive: bool = False) -> Any:
    """RE2 options: by default case does not matter; errors are not logged."""
    chosen = re2.Options()
    chosen.case_sensitive = case_sensitive
    chosen.log_errors = False
    # RE2 builds its automaton while it searches. With too little memory for the automaton, it falls
    # back to a search that is thirty times slower.
    chosen.max_mem = 256 << 20
    return chosen


OPTIONS = _options()
AS_WRITTEN = _options(case_sensitive=True)
"""For lower-case patterns on lower-case texts, and for checking patterns: case folding takes RE2 two
thirds of the parsing time, and makes larger automata."""


@cache
def compile_pattern(regex: str) -> Any:
    """Compile a pattern with RE2 on first use. Most patterns are never used.

    Patterns are checked with `refusal` when their file is loaded. Raises DataError if this one was not.
    """
    return _compiled(regex, OPTIONS)


@cache
def compile_lower_case(regex: str) -> Any:
    """Compile a pattern that is written for lower-case texts, such as a phrase."""
    return _compiled(regex, AS_WRITTEN)


def _compiled(regex: str, options: Any) -> Any:
    try:
        return re2.compile(regex, options=options)
    except re2.error as error:
        raise unchecked(regex) from error


def unchecked(regex: str) -> DataError:
    """The error for a pattern that does not compile because it was never checked."""
    found = f"{regex!r} {refusal(regex) or 'was refused by RE2'}"
    return DataError.one("benchmark", None, "pattern", found, "a pattern that `ib lint` finds sound")


def phrase_regex(phrase: str) -> str:
    """The regular expression of a phrase: whole words, with any white space between them."""
    words = r"\s+".join(re2.escape(word) for word in fold(phrase).split())
    return f"{_edge(words[:1])}{words}{_edge(words[-1:])}"


def has_phrase(phrase: str, text: str) -> bool:
    """True if a text has a phrase as whole words, beside letters of any script."""
    found = compile_pattern(phrase_regex(phrase)).finditer(text)
    return any(whole_words(match.start(), match.end(), text) for match in found)


def whole_words(start: int, end: int, text: str) -> bool:
    """False if a letter or digit of any script goes on where a passage that begins or ends with one ends."""
    cut_before = text[start].isalnum() and text[max(0, start - 1) : start].isalnum()
    return not cut_before and not (text[end - 1].isalnum() and text[end : end + 1].isalnum())


def _edge(character: str) -> str:
    """The word boundary at the first or last character of a phrase.

    In RE2, only ASCII letters are word characters, and there is no lookahead. So after a letter beyond
    ASCII, "no boundary" keeps `jos\u00e9` from matching in `jos\u00e9phine`. A letter beyond ASCII on the
    other side cannot be seen without matching it.
    """
    if not character.isalnum():
        return ""
    return r"\b" if character.isascii() else r"\B"


@cache
def refusal(regex: str) -> str | None:
    """Why a pattern may not be used; None if it may. The pattern is parsed but not compiled."""
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
    """RE2's error message for a pattern."""
    try:
        re2.compile(regex, options=OPTIONS)
    except re2.error as error:
        return str(error.args[0].decode())
    return "it was refused"


def _runs_away(tree: Any, *, inside: bool = False) -> bool:
    """True if an unbounded repetition contains another of variable width, or overlapping branches."""
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
    """True if two branches may begin alike, so that a repetition such as (a|a)* is ambiguous."""
    firsts = [branch[0] if len(branch) else None for branch in branches]
    literals = [chr(first[1]).casefold() for first in firsts if first is not None and first[0] is sre.LITERAL]
    return len(literals) < len(branches) or len(set(literals)) < len(literals)
