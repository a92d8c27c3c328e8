"""Candidates for a pilot: replies that readers could judge, and the verdict that each is meant to get."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from ib.models.benchmark.pilot import ReplySource
from ib.models.common.base import Role
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import UnitSpan

CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class Candidate:
    """Replies of one conversation that readers could judge."""

    source: ReplySource
    file: str
    transcript: Transcript
    turns: tuple[int, ...]
    """The turns whose replies are judged."""
    meant: str | None
    """The verdict that they are meant to get; None if it is open."""
    claim: tuple[int, int] | None = None
    """Where the judged statement begins and ends in the reply; None if the replies are judged."""
    person: str | None = None
    """The label that a person gave."""
    pointed: bool = False
    """True if recorded evidence is from these turns, so that the question is raised there."""

    @property
    def place(self) -> tuple[object, ...]:
        """What identifies the judged words, as in `ItemPlace.place`."""
        return (self.file, self.transcript.model_id, self.transcript.scenario_id, self.turns, self.claim)

    @cached_property
    def words(self) -> str:
        """The judged words."""
        if self.claim is not None:
            return self.claimed
        return "\n".join(self.reply(turn) for turn in self.turns)

    @property
    def claimed(self) -> str:
        """The judged statement; empty if replies are judged."""
        return "" if self.claim is None else self.reply(self.turns[0])[slice(*self.claim)]

    @cached_property
    def sha256(self) -> str:
        """The hash of the judged words."""
        return hashlib.sha256(self.words.encode()).hexdigest()

    @cached_property
    def tokens(self) -> int:
        """About how many tokens the shown part of the conversation has."""
        return sum(len(m.content) for m in self.transcript.between(1, self.turns[-1])) // CHARACTERS_A_TOKEN

    def reply(self, turn: int) -> str:
        """The assistant's reply in a turn; empty if there is none."""
        said = (m.content for m in self.transcript.between(turn, turn) if m.role is Role.ASSISTANT)
        return next(said, "")


def judged_turns(span: UnitSpan) -> tuple[int, ...]:
    """The turns that a span judges."""
    return tuple(turn for turn in range(span.first, span.last + 1) if span.judges(turn))
