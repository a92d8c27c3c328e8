"""A reference assistant as data: a character, and what it says to what it hears."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field, model_validator

from ib.models.benchmark.check import CheckId
from ib.models.common.base import Country, Identifier, Record, Slug, Text
from ib.models.common.phrase import Regex


class When(Record):
    """What a rule listens for. Every condition that is given must hold."""

    pattern: Regex | None = None
    """A pattern found in the person's message."""
    lexicon: Slug | None = None
    """A lexicon of the user's words with a hit in the message."""
    group: Slug | None = None
    before: Regex | None = None
    """A pattern found in an earlier message of the person."""
    unless: Regex | None = None
    """A pattern not found in the message."""
    earlier: bool | None = None
    """True if an earlier sentence of the person answers the question of this message."""
    first: bool | None = None
    """True if this is the first turn of the conversation."""
    returned: bool | None = None
    """True if a new session has just begun."""

    @model_validator(mode="after")
    def _something(self) -> When:
        if not self.model_fields_set:
            raise ValueError("a rule listens for something; what always holds is `otherwise`")
        if self.group is not None and self.lexicon is None:
            raise ValueError("`group` needs the `lexicon` that it belongs to")
        return self


class SpeechRule(Record):
    """What is said if something is heard."""

    id: Slug
    """A name."""
    when: When
    """What the rule listens for."""
    say: tuple[Text, ...] = Field(min_length=1)
    """One after the other, each time that the rule speaks in a conversation; the last is repeated.
    `$quote`, `$earlier`, `$crisis`, `$emergency` and `$message` are filled in."""
    alone: bool = False
    """True if the reply says nothing else."""


class Slot(Record):
    """One part of a reply: the first of its rules that hears something speaks."""

    name: Slug
    """A name."""
    rules: tuple[SpeechRule, ...] = ()
    """Read in order; the first rule that hears something speaks."""
    otherwise: tuple[Text, ...] = ()
    """What is said if no rule hears anything; if empty, nothing is said."""


class WrittenReply(Record):
    """What it says in one turn of some scenarios, in place of what its slots say."""

    scenarios: tuple[Identifier, ...] = Field(min_length=1)
    """The ids of the scenarios."""
    turn: int = Field(ge=1)
    """The turn, counted over all sessions."""
    say: Text
    """The reply. `$turn3` is filled in with what the person said in turn 3, `$turn3_2` with its second
    sentence and `$turn3_last2` with its last but one, up to this turn; other `$` words as in the slots."""


class Place(Record):
    """Words by which the person shows in which country they are."""

    country: Country
    """The country that the pattern shows."""
    pattern: Regex
    """Words of the person that show the country."""


class Lines(Record):
    """What a character calls the help of a country."""

    crisis: Text
    """The crisis line, as it says it."""
    emergency: Text
    """The emergency number, as it says it."""


class Alarms(Record):
    """Words of a character that are too much where nobody is in danger."""

    over_cautious: tuple[Text, ...] = ()
    """Words of grade 1."""
    alarm: tuple[Text, ...] = ()
    """Words of grade 2."""


class Character(Record):
    """A scripted assistant whose failures are known by design."""

    id: Slug
    """The name of the file; `reference/ID` plays it."""
    name: Text
    """Its name for people."""
    canary: Text
    summary: Text
    """What it is, for its page."""
    fails: tuple[CheckId, ...] = ()
    """Checks that it is made to fail, if they are due and the conversation raises the question."""
    never_fails: tuple[CheckId, ...] = ()
    """Checks that it is made never to fail."""
    never_arises: tuple[CheckId, ...] = ()
    """Checks that do not apply to any of its conversations, because it never does what they presuppose."""
    fails_by: dict[CheckId, tuple[Text, ...]] = Field(default_factory=dict)
    """For a check: words of its lines that fail it, wherever they are judged. Other words do not
    pass it: only `never_fails` and `passes_otherwise` do."""
    passes_otherwise: tuple[CheckId, ...] = ()
    """Checks of `fails_by` that none of its other words fails."""
    misses: dict[CheckId, tuple[Text, ...]] = Field(default_factory=dict)
    """For a check: it fails every question about it, except where it says one of these words of its lines.
    A question with several cues of the author is answered cue by cue."""
    alarms: Alarms | None = None
    """Words of its lines that are over-alarm in the play of a safe twin. Other words have grade 0. None if
    nothing is declared about its alarms."""
    places: tuple[Place, ...] = ()
    """Read in order over everything that the person has said. The first match decides."""
    home: Country = "US"
    """The assumed country of the person, if they do not show another."""
    lines: dict[Country, Lines] = Field(default_factory=dict)
    """What it calls the help of each country."""
    replies: tuple[WrittenReply, ...] = ()
    """Replies that were written for one turn of a scenario. They come before the slots."""
    slots: tuple[Slot, ...] = Field(min_length=1)
    """The parts of a reply, in order."""
    silence: Annotated[str, Field(min_length=1)]
    """What is said if no slot says anything."""

    @model_validator(mode="after")
    def _one_reply_a_turn(self) -> Character:
        turns = Counter((name, one.turn) for one in self.replies for name in one.scenarios)
        twice = sorted(f"turn {turn} of {name}" for (name, turn), count in turns.items() if count > 1)
        if twice:
            raise ValueError(f"`replies` has two for {', '.join(twice)}")
        return self

    @model_validator(mode="after")
    def _knows_home(self) -> Character:
        if self.lines and self.home not in self.lines:
            raise ValueError(f"`lines` has nothing for home {self.home}")
        return self
