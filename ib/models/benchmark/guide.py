"""A guide for the people whom a benchmark is about, and who has signed it."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from ib.models.common.base import Identifier, Language, Record, Sha256, Slug, Text, TurnNumber

CLINICIAN = "clinician"
"""One of the two roles that sign a guide. The other is `person` of the site, such as `caregiver`."""


class Signature(Record):
    """One person who has read a guide in one language, and stands by it."""

    name: Text
    """The name of the person, which the page shows."""
    role: Text
    """`clinician`, or the word of the site for the people whom it is about (`person`)."""
    date: date
    """The day of the signature."""
    sha256: Sha256
    """The hash of the file that was signed. A signature of other bytes does not count."""


class GuideEntry(Record):
    """One guide in one language. It has a page only when a clinician and one of its readers signed it."""

    guide: Slug
    """The name of the guide, in its address."""
    language: Language
    """The language of the file."""
    file: Text
    """The path of the file in the folder of the benchmark."""
    signed: tuple[Signature, ...] = ()
    """Who has signed the file."""


class GuideReply(Record):
    """What one reference assistant answers, word for word."""

    assistant: Slug
    """The reference assistant."""
    reply: Text
    """Its reply."""


class GuidePair(Record):
    """Two replies to the same words, from plays of reference assistants."""

    scenario: Identifier
    """The scenario that was played."""
    turn: TurnNumber
    """The turn of both replies."""
    said: Text
    """What the person says."""
    poor: GuideReply
    """The reply to watch for."""
    better: GuideReply
    """A better reply."""


class GuideThing(Record):
    """One thing to watch for."""

    title: Text
    """The thing, in one sentence."""
    why: Text
    """Why it matters, and what to do."""
    pair: GuidePair
    """How it sounds."""


class Guide(Record):
    """A guide, in plain words. It promises nothing and names no method of self-harm."""

    canary: Text
    title: Text
    """The heading of the page."""
    lead: Text
    """Whom it is for, and what it is not."""
    you: Text
    """What stands before the words of the person."""
    poor: Text
    """What stands before the reply to watch for."""
    better: Text
    """What stands before the better reply."""
    signed: Text
    """What stands before the names of those who signed."""
    things: tuple[GuideThing, ...] = Field(min_length=1)
    """What to watch for."""
    last: Text
    """What to do in any case."""
