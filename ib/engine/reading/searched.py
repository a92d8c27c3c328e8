"""A transcript indexed for verifiers: normalized, matched and tokenized once, on demand."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from ib.engine.reading.lexicons import TOGETHER, Hit, Matcher
from ib.engine.reading.lines import lines_before, message_line
from ib.models.benchmark.benchmark import Law
from ib.models.common.base import Role
from ib.models.conversation.transcript import Message, Transcript
from ib.text.normalize import Normalized, normalize, normalize_said
from ib.text.tokens import TokenText, tokenize

NONCE_LEAST = 12
"""The shortest code that delimits a conversation, in characters."""


@dataclass(frozen=True, slots=True)
class LexiconHit:
    """A hit and its turn."""

    turn: int
    hit: Hit


@dataclass(frozen=True)
class Utterance:
    """One message, with its normal form and tokens; each is computed once, on demand."""

    message: Message

    @cached_property
    def normal(self) -> Normalized:
        content = self.message.content
        return normalize_said(content) if self.message.role is Role.USER else normalize(content)

    @cached_property
    def tokens(self) -> TokenText:
        return tokenize(self.normal)


Found: TypeAlias = dict[str, list[tuple[Utterance, tuple[int, ...]]]]
"""For each lexicon, the messages of a speaker that hold it, each with the indices of its patterns."""


@dataclass(frozen=True)
class IndexedTranscript:
    """A transcript, the data computed from its text, and the person's country."""

    transcript: Transcript
    assistant_matcher: Matcher
    user_matcher: Matcher
    transcript_hash: str
    country: str | None = None
    """The person's country; None if neither the transcript nor its rule set names one."""
    laws: tuple[Law, ...] = ()
    """The laws of the transcript's rule set and of those that it extends."""
    utterances: tuple[Utterance, ...] = field(init=False)
    _found_in: dict[tuple[Role, str], Found] = field(init=False, default_factory=dict)
    _hits: dict[tuple[Role, str], tuple[LexiconHit, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        utterances = tuple(Utterance(message) for message in self.transcript.messages)
        object.__setattr__(self, "utterances", utterances)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Each message as the JSON that a judge is shown, after the shown lines of context before it."""
        messages = self.transcript.messages
        before = lines_before(messages, self.transcript.context)
        return tuple(
            "\n".join([*context, message_line(message)])
            for message, context in zip(messages, before, strict=True)
        )

    @cached_property
    def nonce(self) -> str:
        """A code from the transcript's hash, long enough that no line of the conversation contains it."""
        text = "\n".join(self.lines)
        source, length = self.transcript_hash, NONCE_LEAST
        while source[:length] in text:
            length += 4
            if length > len(source):
                source += hashlib.sha256(source.encode()).hexdigest()
        return source[:length]

    def said_by(self, role: Role, first: int = 1, last: int | None = None) -> tuple[Utterance, ...]:
        """The messages of one speaker in turns `first` to `last`, both included."""
        said = self._said[role]
        begin = bisect_left(said, first, key=_turn)
        return said[begin:] if last is None else said[begin : bisect_right(said, last, key=_turn)]

    @cached_property
    def _said(self) -> dict[Role, tuple[Utterance, ...]]:
        """The messages of each speaker, in turn order. A speaker has at most one message in a turn."""
        return {role: tuple(u for u in self.utterances if u.message.role is role) for role in Role}

    def _found(self, role: Role, lexicon: str) -> Sequence[tuple[Utterance, tuple[int, ...]]]:
        """The messages of a speaker in which patterns of a lexicon occur. Searched on first use."""
        group = self.matcher(role).group_of(lexicon)
        if group is None:
            return ()
        if (role, group) not in self._found_in:
            search((self,), role, group)
        return self._found_in[role, group].get(lexicon, ())

    def matcher(self, role: Role) -> Matcher:
        """The lexicons of one speaker."""
        return self.assistant_matcher if role is Role.ASSISTANT else self.user_matcher

    def lexicons_in(self, role: Role) -> Collection[str] | None:
        """The lexicons of which a pattern occurs in a speaker's messages, as `occurs` says it.

        None if not all lexicons of the speaker have been searched for.
        """
        if not self.matcher(role).is_one_group:
            return None
        found = self._found_in.get((role, TOGETHER))
        return None if found is None else found.keys()

    def occurs(self, role: Role, lexicon: str) -> bool:
        """True if any pattern of a lexicon occurs in a speaker's messages. Exclusions are not applied."""
        return bool(self._found(role, lexicon))

    def hits(
        self, role: Role, lexicon: str, group: str | None, *, deciding: bool = False
    ) -> tuple[LexiconHit, ...]:
        """The hits of a lexicon, or of one of its groups, in the order of the conversation.

        With `deciding`, only the hits of patterns that decide by themselves.
        """
        key = (role, lexicon)
        if key not in self._hits:
            self._hits[key] = tuple(self._look(role, lexicon))
        return tuple(
            found
            for found in self._hits[key]
            if (found.hit.decides or not deciding) and group in (None, found.hit.group)
        )

    def _look(self, role: Role, lexicon: str) -> Iterator[LexiconHit]:
        matcher = self.matcher(role)
        for utterance, patterns in self._found(role, lexicon):
            for hit in matcher.hits(utterance.normal, patterns):
                yield LexiconHit(utterance.message.turn, hit)


def _turn(utterance: Utterance) -> int:
    return utterance.message.turn


def search(indexed_all: Sequence[IndexedTranscript], role: Role, group: str = TOGETHER) -> None:
    """Search one speaker's messages in all of these transcripts for a group of lexicons.

    Searching many texts together takes about half the time of searching them one by one.
    """
    if not indexed_all:
        return
    said = [(indexed, utterance) for indexed in indexed_all for utterance in indexed.said_by(role)]
    each = indexed_all[0].matcher(role).found_each([utterance.normal for _, utterance in said], group)
    for indexed in indexed_all:
        indexed._found_in[role, group] = {}
    for (indexed, utterance), found in zip(said, each, strict=True):
        kept = indexed._found_in[role, group]
        for lexicon, patterns in found.items():
            kept.setdefault(lexicon, []).append((utterance, patterns))
