"""What can be told of a pattern from how it is written, without compiling it."""

from __future__ import annotations

import re
from functools import cache

# The words of RE2's syntax: an escape, a class, a group's beginning or end, a quantifier, plain characters.
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


def anchored(regex: str) -> bool:
    """Whether a pattern can match only at the beginning: it says so, and no alternative says otherwise."""
    if not regex.startswith("^") or regex[1:2] in tuple("*+?{") or _flagged(regex):
        return False
    depth = 0
    for token in _TOKEN.findall(regex):
        depth += (token in _OPENING) - (token == ")")
        if token == "|" and depth == 0:
            return False
    return True


def needs_no_folding(regex: str) -> bool:
    """Whether a pattern says the same, case folded or not, of a text whose ASCII letters are lower case.

    It does where it names lower-case ASCII only, and sets no flag. (Two letters beyond ASCII fold to
    `k` and `s`; NFKC leaves neither of them in a normal form.)
    """
    if _flagged(regex) or _NAMED_CLASS.search(regex) or _LOWER_CASE.fullmatch(regex) is None:
        return False
    if _RANGE.search(regex) is None:
        return True
    return not any(token[0] == "[" and _holds_an_odd_range(token) for token in _TOKEN.findall(regex))


def _holds_an_odd_range(group: str) -> bool:
    """Whether a class has a range that is not one of digits, or of letters of one case."""
    inside = _ESCAPE.sub("", group[1:-1].removeprefix("^")).strip("-")
    return any(
        not any(kind(first) and kind(last) for kind in (str.isdigit, str.islower, str.isupper))
        for first, last in _RANGE.findall(inside)
    )


@cache
def keeps_to_a_sentence(regex: str) -> bool:
    """Whether no match of a pattern can hold a full stop, a question mark or an exclamation mark.

    Told from how it is written; False where that leaves a doubt.
    """
    return not _flagged(regex) and not any(map(_may_end_a_sentence, _TOKEN.findall(regex)))


def _may_end_a_sentence(token: str) -> bool:
    """Whether one word of a pattern may match the end of a sentence, for all that is plain to see."""
    if token[0] == "\\":
        return token[1:] in ".!?" or (token[1:].isalnum() and token[1:] not in "bBdswAz")
    if token[0] != "[":
        return "." in token or "!" in token
    if _NAMED_CLASS.search(token) or _holds_an_odd_range(token) or _CLASS_ESCAPE.search(token):
        return True
    named = [mark in token for mark in ".!?"]
    return not all(named) if token.startswith("[^") else any(named)


def rarest_piece(regex: str) -> str:
    """The pattern, or where it has gaps without end the piece between them that looks rarest.

    A pattern such as `if you[^.!?]*don't blame me` keeps an automaton busy from its first words on,
    together with every other gap that is open then. A piece of it occurs wherever the whole does.
    """
    if "]*" not in regex or _flagged(regex):
        return regex
    pieces: list[str] = []
    depth = begin = at = 0
    before = ""
    for token in _TOKEN.findall(regex):
        depth += (token in _OPENING) - (token == ")")
        if token == "|" and depth == 0:
            return regex
        if depth == 0 and token in ("*", "*?") and before.startswith("[^"):
            pieces.append(regex[begin : at - len(before)])
            begin = at + len(token)
        at += len(token)
        before = token
    if not pieces:
        return regex
    return max((*pieces, regex[begin:]), key=_letters_for_each_alternative)


@cache
def repetitions(regex: str) -> int:
    """How many parts of a pattern may repeat."""
    return len(_REPETITION.findall(regex))


def _letters_for_each_alternative(piece: str) -> float:
    """How long the words of a piece are; of many short ones, one is soon met."""
    written = _ESCAPE.sub("", piece)
    return sum(map(str.isalpha, written)) / (1 + written.count("|"))


def _flagged(regex: str) -> bool:
    """Whether a pattern sets flags, names groups, or quotes: what is not told here from how it is written."""
    return "\\Q" in regex or "(?" in regex.replace("(?:", "")
