"""Properties of a pattern that follow from its text, without compiling it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

# The tokens of RE2's syntax: an escape, a class, the start or end of a group, a quantifier, plain text.
_TOKEN = re.compile(
    r"\\."
    r"|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]"
    r"|\(\?:|[()|]"
    r"|[*+?]\??|\{\d+(?:,\d*)?\}\??"
    r"|[^\\\[\](){}|*+?]+|.",
    re.DOTALL,
)
_NAMED_CLASS = re.compile(r"\[:\^?\w+:\]")
_RANGE = re.compile(r"(.)-(.)", re.DOTALL)
_CLASS_ESCAPE = re.compile(r"\\[^wsd'\"-]")
_LOWER_CASE = re.compile(r"(?:[^A-Z\\\x80-\U0010ffff]++|\\[bBdDsSwW]|\\[^0-9A-Za-z])*")
_REPETITION = re.compile(r"\{\d+,\d*\}|[*+]")
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_OPENING = ("(", "(?:")
# A gap at the end of a pattern: a negated class of a few marks, with a maximum length.
_LONG_GAP = re.compile(r"""(?<=[^\\(|])\[\^(?P<barred>(?:\\?["'.!?,;:])+)\]\{0,(?P<most>[1-9]\d\d+)\}\Z""")
_EDGES = (r"\b", r"\B", r"\A", r"\z")


@cache
def alternatives(regex: str) -> tuple[str, ...]:
    """The top-level alternatives of a pattern; only the pattern itself if one of them is empty."""
    if "|" not in regex or _flagged(regex):
        return (regex,)
    bars = [at for token, at, depth in _tokens(regex) if token == "|" and depth == 0]
    found = tuple(regex[begin + 1 : end] for begin, end in pairwise((-1, *bars, len(regex))))
    return found if bars and all(found) else (regex,)


def _tokens(regex: str) -> Iterator[tuple[str, int, int]]:
    """The tokens of a pattern, each with its start and the depth of groups after it."""
    depth = at = 0
    for token in _TOKEN.findall(regex):
        depth += (token in _OPENING) - (token == ")")
        yield token, at, depth
        at += len(token)


@cache
def anchored(regex: str) -> bool:
    """True if a pattern can match only at the beginning of a text."""
    if not regex.startswith("^") or regex[1:2] in tuple("*+?{") or _flagged(regex):
        return False
    return not any(token == "|" and depth == 0 for token, _, depth in _tokens(regex))


@cache
def needs_no_folding(regex: str) -> bool:
    """True if case folding makes no difference when the pattern is matched with lower-case text.

    That is so if it contains only lower-case ASCII and sets no flag. (Two letters beyond ASCII fold to
    `k` and `s`, but NFKC replaces both in the normal form.)
    """
    if _flagged(regex) or _NAMED_CLASS.search(regex) or _LOWER_CASE.fullmatch(regex) is None:
        return False
    if _RANGE.search(regex) is None:
        return True
    return not any(token[0] == "[" and _holds_an_odd_range(token) for token in _TOKEN.findall(regex))


def _holds_an_odd_range(group: str) -> bool:
    """True if a class has a range other than of digits or of letters of one case."""
    inside = _ESCAPE.sub("", group[1:-1].removeprefix("^")).strip("-")
    return any(
        not any(kind(first) and kind(last) for kind in (str.isdigit, str.islower, str.isupper))
        for first, last in _RANGE.findall(inside)
    )


@cache
def keeps_to_a_sentence(regex: str) -> bool:
    """True if no match of a pattern can contain a full stop, question mark or exclamation mark.

    False if that is not certain from the text of the pattern.
    """
    return not _flagged(regex) and not any(map(_may_end_a_sentence, _TOKEN.findall(regex)))


def _may_end_a_sentence(token: str) -> bool:
    """True if one token of a pattern may match the end of a sentence."""
    if token[0] == "\\":
        return token[1:] in ".!?" or (token[1:].isalnum() and token[1:] not in "bBdswAz")
    if token[0] != "[":
        return "." in token or "!" in token
    if _NAMED_CLASS.search(token) or _holds_an_odd_range(token) or _CLASS_ESCAPE.search(token):
        return True
    named = [mark in token for mark in ".!?"]
    return not all(named) if token.startswith("[^") else any(named)


@cache
def rarest_piece(regex: str) -> str:
    """The piece of a pattern between unbounded gaps with the longest minimum match; without gaps, the
    pattern.

    In a pattern such as `if you[^.!?]*don't blame me`, the automaton must track the gap after every
    `if you`, together with all other open gaps. The piece occurs wherever the whole pattern does.
    """
    if "]*" not in regex or _flagged(regex):
        return regex
    pieces: list[str] = []
    begin, before = 0, ""
    for token, at, depth in _tokens(regex):
        if token == "|" and depth == 0:
            return regex
        if depth == 0 and token in ("*", "*?") and before.startswith("[^"):
            pieces.append(regex[begin : at - len(before)])
            begin = at + len(token)
        before = token
    if not pieces:
        return regex
    return max((*pieces, regex[begin:]), key=shortest)


@dataclass(frozen=True, slots=True)
class Lead:
    """A pattern that ends in a gap: its head, and the marks that must not be between the head and a hit."""

    head: str
    barred: bytes
    most: int
    """The maximum number of characters between the head and a hit."""


@cache
def lead(regex: str) -> Lead | None:
    """The head of a pattern that ends in a gap of 100 characters or more; None for other patterns.

    Without this, the automaton must count the characters after every head.
    """
    gap = _LONG_GAP.search(regex)
    if gap is None or _flagged(regex):
        return None
    if any(token == "|" and depth == 0 for token, _, depth in _tokens(regex)):
        return None
    barred = gap["barred"].replace("\\", "")
    return Lead(regex[: gap.start()], barred.encode(), int(gap["most"]))


@cache
def repetitions(regex: str) -> int:
    """The number of repetitions in a pattern."""
    return len(_REPETITION.findall(regex))


def shortest(regex: str) -> int:
    """A lower bound of the length of a match, as far as it follows from the text of the pattern."""
    around: list[tuple[int, list[int]]] = []  # for each open group: the lengths before it
    length, last = 0, 0
    ended: list[int] = []  # the alternatives of the group before this one
    for token in _TOKEN.findall(regex):
        if token in _OPENING:
            around.append((length, ended))
            length, last, ended = 0, 0, []
        elif token == "|":
            ended.append(length)
            length = last = 0
        elif token == ")" and around:
            last = min([*ended, length])
            length, ended = around.pop()
            length += last
        elif token[0] in "*?" or token.startswith("{0,"):
            length -= last
        elif token[0] == "{":
            length += last * (int(re.findall(r"\d+", token)[0]) - 1)
        elif token in _EDGES:
            last = 0
        elif token[0] in "\\[":
            last = 1
            length += last
        elif token[0] != "+":
            last = int(token[-1] not in "^$")
            length += len(token.strip("^$"))
    return min([*ended, length])


def _flagged(regex: str) -> bool:
    """True if a pattern sets flags, names groups or quotes text, which this module does not analyze."""
    return "\\Q" in regex or "(?" in regex.replace("(?:", "")
