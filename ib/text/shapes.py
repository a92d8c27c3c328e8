"""What can be told of a pattern from how it is written, without compiling it."""

from __future__ import annotations

import re
from functools import cache

_TOKEN = re.compile(r"\\.|\[(?:\\.|[^\]\\])+\]|[()|]", re.DOTALL)


def anchored(regex: str) -> bool:
    """Whether a pattern can match only at the beginning: it says so, and no alternative says otherwise."""
    if not regex.startswith("^"):
        return False
    depth = 0
    for token in _TOKEN.findall(regex):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if token == "|" and depth == 0:
            return False
    return True


_NAMED_CLASS = re.compile(r"\[:\^?\w+:\]")
_LOWER_CASE = re.compile(r"(?:[^A-Z\\\x80-\U0010ffff]++|\\[bBdDsSwW]|\\[^0-9A-Za-z])*")


def needs_no_folding(regex: str) -> bool:
    """Whether a pattern says the same, case folded or not, of a text whose ASCII letters are lower case.

    It does where it names lower-case ASCII only, and sets no flag. (Two letters beyond ASCII fold to
    `k` and `s`; NFKC leaves neither of them in a normal form.)
    """
    flags = "(?" in regex.replace("(?:", "") or _NAMED_CLASS.search(regex) is not None
    return not flags and _LOWER_CASE.fullmatch(regex) is not None


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
