"""Reads a phrase and writes it as an RE2 pattern. `ib.text.phrases` explains the language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from ib.text.normalize import fold

LookUp = Callable[[str], str]
"""Returns the pattern of a group, by its name."""

GAP, MOST_GAP = 4, 12
"""How many words a gap has if it names no number, and the most that it may name."""
MOST_DEPTH = 8
"""How deep parentheses, or groups, may stand in one another."""

BETWEEN = r"""[ ,;:"()-]+"""
"""What stands between two words."""
_ANY_WORD = r"""[^ ,;:"().!?-]+"""
_GAP_WORD = f"(?:{BETWEEN}{_ANY_WORD})"
_WORD_FORM = r"[^\W_](?:[\w'/&%+-]|\.(?=\w))*\*?"
_WORD = re.compile(_WORD_FORM)
_TOKEN = re.compile(rf"\.{{2,3}}\d*|\^\^?|<[^<>]*>|{_WORD_FORM}|\S")
_NUMBERED = re.compile(r"\.\.(\d*)")
_REST = "..."
_SPELLED = {".": r"\.?", "+": r"\+", "-": "[- ]?"}
_OTHER_WORDS = (
    "he'll",
    "i'd",
    "i'll",
    "it's",
    "let's",
    "she'd",
    "she'll",
    "we'd",
    "we'll",
    "we're",
    "who're",
)
"""Words that are another word without their apostrophe."""
# Where a word begins and ends, until it is known whether the phrase has letters beyond ASCII.
_BEGIN, _STOP = "\x02", "\x03"
_EDGE = re.compile(f"{_BEGIN}(?=(.))|(?<=(.)){_STOP}", re.DOTALL)
_ALLOWED = (
    "words, * for any word, <groups>, (a|b), [a], gaps such as .. or ..8, and the marks ^ ^^ $ ? at the ends"
)


class PhraseError(ValueError):
    """A text that is not a phrase: what was found, and what is allowed."""

    def __init__(self, found: str, allowed: str = _ALLOWED) -> None:
        super().__init__(f"{found}; allowed: {allowed}")
        self.found, self.allowed = found, allowed


def tokens_of(phrase: str) -> list[str]:
    """The words and signs of a phrase."""
    return _TOKEN.findall(fold(phrase).lower())


def is_group(token: str) -> bool:
    """True if a token names a group."""
    return token[0] == "<" and token[-1] == ">" and len(token) > 2


def either(parts: Sequence[str]) -> str:
    """The pattern of several alternatives."""
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def with_edges(core: str) -> str:
    """The pattern with the edges of its words.

    In RE2, only ASCII letters are word characters. Between other letters and a space is "no boundary".
    """
    if core.isascii():
        return rf"\b{core.replace(_BEGIN, '').replace(_STOP, '')}\b"
    return _EDGE.sub(lambda edge: r"\b" if (edge[1] or edge[2]).isascii() else r"\B", core)


class Parser:
    """Reads one phrase without its marks, from left to right."""

    def __init__(self, phrase: str, tokens: list[str], look_up: LookUp) -> None:
        self._phrase = phrase
        self._tokens = tokens[::-1]
        self._look_up = look_up
        self._depth = 0

    def read(self) -> str:
        """The pattern of the phrase, with the edges of its words marked."""
        core = self._choice()
        if self._tokens:
            raise self._wrong(f"`{self._tokens[-1]}` without an opening one")
        return core

    def distance(self, facing: str | None) -> str:
        """What may stand between an exclusion and its phrase; `facing` is the gap that says so."""
        if facing == _REST:
            return rf"{BETWEEN}(?s:.*)"
        return f"{self._gap(facing) if facing else ''}{BETWEEN}"

    def _choice(self) -> str:
        parts = [self._sequence()]
        while self._next() == "|":
            self._tokens.pop()
            parts.append(self._sequence())
        return either(parts)

    def _sequence(self) -> str:
        """Items side by side. At least one must be a word, and gaps stand between words."""
        out, begun, after_gap = "", False, False
        for kind, regex in self._items():
            if kind == "gap":
                if not begun or after_gap:
                    raise self._wrong("a gap that is not between two words")
                out += regex
                after_gap = True
            elif kind == "[":
                out += f"(?:{BETWEEN}{regex})?" if begun else f"(?:{regex}{BETWEEN})?"
            else:
                out += f"{BETWEEN if begun else ''}{regex}"
                begun, after_gap = True, False
        if not begun:
            raise self._wrong("no word that must be there")
        if after_gap:
            raise self._wrong("a gap that is not between two words")
        return out

    def _items(self) -> Iterator[tuple[str, str]]:
        """The items up to the end of the sequence: the kind and the pattern of each."""
        while (token := self._next()) is not None and token not in ("|", ")", "]"):
            self._tokens.pop()
            if token in ("(", "["):
                yield token, self._inside(token)
            elif token.startswith(".."):
                yield "gap", self._gap(token)
            elif is_group(token):
                yield "group", self._look_up(token[1:-1])
            elif token == "*":
                yield "word", _ANY_WORD
            elif _WORD.fullmatch(token):
                yield "word", _word(token)
            else:
                raise self._wrong(f"`{token}`")

    def _inside(self, opening: str) -> str:
        closing = ")" if opening == "(" else "]"
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self._wrong(f"parentheses {self._depth} deep", f"at most {MOST_DEPTH}")
        core = self._choice()
        self._depth -= 1
        if self._next() != closing:
            raise self._wrong(f"`{opening}` without `{closing}`")
        self._tokens.pop()
        return core

    def _gap(self, token: str) -> str:
        found = _NUMBERED.fullmatch(token)
        most = int(found[1] or GAP) if found else 0
        if not 1 <= most <= MOST_GAP:
            raise self._wrong(f"`{token}`", f"a gap such as .. or ..8, of at most {MOST_GAP} words")
        return f"{_GAP_WORD}{{0,{most}}}"

    def _next(self) -> str | None:
        return self._tokens[-1] if self._tokens else None

    def _wrong(self, found: str, allowed: str = _ALLOWED) -> PhraseError:
        return PhraseError(f"{found} in {self._phrase!r}", allowed)


@lru_cache(maxsize=8192)  # the benchmark has 3,000 words, and says most of them many times
def _word(token: str) -> str:
    bare = token.rstrip("*")
    regex = "".join(_SPELLED.get(character, character) for character in bare)
    if bare not in _OTHER_WORDS:
        regex = regex.replace("'", "'?")
    ending = _STOP if bare == token else r"[\w']*"
    return f"{_BEGIN}{regex}{ending}"
