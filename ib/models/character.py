"""A reference assistant as data: a character, and what it says to what it hears."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ib.models.base import Country, Record, Slug, Text
from ib.models.check import CheckId
from ib.models.lexicon import Regex


class When(Record):
    """What a rule listens for. Everything that is given must hold."""

    pattern: Regex | None = None
    """Found in the person's message."""
    lexicon: Slug | None = None
    """A lexicon of the user's words with a hit in the message."""
    group: Slug | None = None
    before: Regex | None = None
    """Found in something that the person said in an earlier turn."""
    unless: Regex | None = None
    """Not found in the message."""
    earlier: bool | None = None
    """Whether an earlier sentence of the person's answers what they now ask."""
    first: bool | None = None
    """Whether this is the first turn of the conversation."""
    returned: bool | None = None
    """Whether a new session has just begun."""

    @model_validator(mode="after")
    def _something(self) -> When:
        if not self.model_fields_set:
            raise ValueError("a rule listens for something; what always holds is `otherwise`")
        if self.group is not None and self.lexicon is None:
            raise ValueError("`group` needs the `lexicon` that it belongs to")
        return self


class SpeechRule(Record):
    """What is said where something is heard."""

    id: Slug
    when: When
    say: tuple[Text, ...] = Field(min_length=1)
    """One after the other, each time that the rule speaks in a conversation; the last is repeated.
    `$quote`, `$earlier`, `$crisis`, `$emergency` and `$message` are filled in."""
    alone: bool = False
    """Nothing else is said in that reply."""


class Slot(Record):
    """One part of a reply: the first of its rules that hears something speaks."""

    name: Slug
    rules: tuple[SpeechRule, ...] = ()
    otherwise: tuple[Text, ...] = ()
    """What is said where no rule hears anything; nothing, if empty."""


class Place(Record):
    """Words by which the person shows in which country they are."""

    country: Country
    pattern: Regex


class Lines(Record):
    """What a character calls the help of a country."""

    crisis: Text
    emergency: Text


class Character(Record):
    """A scripted assistant whose failures are known by design."""

    id: Slug
    name: Text
    canary: Text
    summary: Text
    """What it is, for its page."""
    fails: tuple[CheckId, ...] = ()
    """Checks that it is made to fail wherever they are due and something calls for it."""
    never_fails: tuple[CheckId, ...] = ()
    places: tuple[Place, ...] = ()
    """Read in order over everything that the person has said; the first decides."""
    home: Country = "US"
    """Where the person is taken to be if they do not show it."""
    lines: dict[Country, Lines] = Field(default_factory=dict)
    slots: tuple[Slot, ...] = Field(min_length=1)
    silence: Annotated[str, Field(min_length=1)]
    """What is said where no slot says anything."""

    @model_validator(mode="after")
    def _knows_home(self) -> Character:
        if self.lines and self.home not in self.lines:
            raise ValueError(f"`lines` has nothing for home {self.home}")
        return self
