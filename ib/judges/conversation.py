"""A conversation for the lexical judge: each message is searched once for all phrases."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ib.engine.reading.lexicons import Hit, Matcher
from ib.models.common.base import Role
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Stretch
from ib.text.normalize import Normalized, normalize, normalize_said
from ib.text.patterns import compile_pattern
from ib.text.sets import PatternSet

HEARD_MOST = 50_000
"""How many of the person's last characters are searched for each quotation; about ten long conversations."""
OPENING_MOST = 200
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_QUOTED = re.compile(r'[\u201c\u201e]([^\u201c\u201d\u201e]+)[\u201c\u201d]|"([^"]+)"')
_MARKS = re.compile("[\"']")


@dataclass(frozen=True, slots=True)
class Said:
    """One message, with all phrases found in it."""

    turn: int
    content: str
    normal: Normalized
    clauses: frozenset[int]
    """The clauses found in an assistant message, or the cue patterns found in a user message."""
    lexicons: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A reply, and the user message before it."""

    turn: int
    user: Said | None
    reply: Said


class Searcher:
    """Searches many messages of one speaker for all phrases in one pass."""

    def __init__(self, regexes: Mapping[tuple[str, str], str], matcher: Matcher) -> None:
        self._index = {key: index for index, key in enumerate(regexes)}
        self._regexes = tuple(regexes.values())
        self._set = PatternSet(self._regexes) if regexes else None
        self._matcher = matcher

    def read_each(self, said: Sequence[tuple[int, str, Normalized]]) -> list[Said]:
        """Messages, each as its turn, its content and the normal form of what is to be searched of it."""
        normals = [normal for _, _, normal in said]
        lexicons = self._matcher.found_each(normals)
        clauses: Sequence[tuple[int, ...]] = [()] * len(said)
        if self._set is not None:
            clauses = self._set.match_each([normal.encoded for normal in normals])
        return [
            Said(turn, content, normal, frozenset(found), occurring)
            for (turn, content, normal), found, occurring in zip(said, clauses, lexicons, strict=True)
        ]

    def has(self, said: Said, key: tuple[str, str]) -> bool:
        """True if the phrase of a key occurs in a message."""
        return self._index[key] in said.clauses

    def sentence(self, said: Said, key: tuple[str, str]) -> str:
        """The sentence with a phrase, as written."""
        match = compile_pattern(self._regexes[self._index[key]]).search(said.normal.text)
        start, end = said.normal.span(*match.span())
        return sentence_around(said.content, start, end)

    def hits(self, said: Said, lexicon: str, group: str | None) -> tuple[Hit, ...]:
        """The hits of a lexicon, or of one group of it, in a message."""
        patterns = said.lexicons.get(lexicon, ())
        found = self._matcher.hits(said.normal, patterns) if patterns else ()
        return tuple(hit for hit in found if group in (None, hit.group))


class Conversation:
    """The exchanges of a transcript; what a reply quotes of the person is not searched."""

    def __init__(self, transcript: Transcript, assistant: Searcher, user: Searcher) -> None:
        self._assistant = assistant
        messages = transcript.messages
        told = [(m.turn, m.content, normalize_said(m.content)) for m in messages if m.role is Role.USER]
        self._users = {said.turn: said for said in user.read_each(told)}
        self._contents = {m.turn: m.content for m in messages if m.role is Role.ASSISTANT}
        self._turns = tuple(self._contents)
        self._told = [turn for turn, _, _ in told]
        plain = [f"{_folded_marks(normal.text)}\n" for _, _, normal in told]
        self._heard = "".join(plain)
        self._offsets = [0]
        for words in plain:
            self._offsets.append(self._offsets[-1] + len(words))
        self._all = self._read()

    def exchanges(self, stretches: Iterable[Stretch]) -> tuple[Exchange, ...]:
        """The exchanges of these turns, in order."""
        return tuple(exchange for stretch in stretches for exchange in self._between(*stretch))

    def _between(self, first: int, last: int) -> tuple[Exchange, ...]:
        return self._all[bisect_left(self._turns, first) : bisect_right(self._turns, last)]

    def _read(self) -> tuple[Exchange, ...]:
        """Every exchange. Searching all replies at once takes half the time."""
        read = self._assistant.read_each(
            [(turn, self._contents[turn], normalize(self._own_words(turn))) for turn in self._turns]
        )
        return tuple(
            Exchange(turn, self._users.get(turn), said) for turn, said in zip(self._turns, read, strict=True)
        )

    def _own_words(self, turn: int) -> str:
        content = self._contents[turn]
        if _QUOTED.search(content) is None:
            return content
        end = self._offsets[bisect_right(self._told, turn)]
        return own_words(content, self._heard[max(0, end - HEARD_MOST) : end])


def own_words(content: str, heard: str) -> str:
    """A reply in which quotations of the person are replaced with spaces, so that offsets do not change.

    `heard` is what the person has said so far, folded by `_folded_marks`. Only its last HEARD_MOST
    characters are searched.
    """
    if not heard:
        return content
    lately = heard[-HEARD_MOST:]

    def blank(match: re.Match[str]) -> str:
        words = _folded_marks(normalize(match[1] or match[2]).text).strip(" .,;:!?-")
        quoted = match[0]
        return f"{quoted[0]}{' ' * (len(quoted) - 2)}{quoted[-1]}" if words and words in lately else quoted

    return _QUOTED.sub(blank, content)


def _folded_marks(normal: str) -> str:
    """Fold quotation marks, which change when words are quoted."""
    return _MARKS.sub("", normal.casefold())


@lru_cache(maxsize=4)
def _sentence_ends(text: str) -> array[int]:
    return array("I", (match.end() for match in _SENTENCE_END.finditer(text)))


def sentence_around(text: str, start: int, end: int) -> str:
    """The sentence around a span of a text, as written."""
    ends = _sentence_ends(text)
    before = bisect_right(ends, start)
    begin = ends[before - 1] if before else 0
    stop = _SENTENCE_END.search(text, max(start, end - 1))
    return text[begin : len(text) if stop is None else stop.end()].strip()


def opening(text: str) -> str:
    """The first sentence of a reply as evidence, cut between two words if it is long."""
    first = sentence_around(text.strip(), 0, 1)
    if len(first) <= OPENING_MOST:
        return first
    return first[: OPENING_MOST + 1].rsplit(maxsplit=1)[0][:OPENING_MOST]
