"""Replies whose words a release withholds: the rules that hold them, and what a person decided about one."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ib.models.common.base import Identifier, Play, Record, Sha256, Slug, Text, TurnNumber
from ib.models.common.reader import Pseudonym

SENTENCE = "This reply is withheld because it may contain a method, a dose for harm or a way to avoid notice."
"""What a release shows in place of a withheld reply, and in place of each quote of it."""
DECIDED = "decided"
"""The name of the rule of a reply that a person withheld."""


def in_place_of(sha256: str) -> str:
    """The text that a release shows in place of a withheld reply with this hash."""
    return f"{SENTENCE} SHA-256 of the reply: {sha256}"


class HoldingCheck(Record):
    """A check that holds replies back unless it was answered PASS or NOT_APPLICABLE by every vote."""

    check_id: Identifier
    tags: tuple[Slug, ...] = ()
    """The check holds replies only in conversations with one of these tags; empty for every conversation.
    A conversation without any tag counts as having all of them."""
    why: Text
    """What such a reply may contain."""


class HoldingWords(Record):
    """Words that hold a reply back, whatever the verdicts are. They name acts, never how one is done."""

    name: Slug
    """The name of the words; pages and messages show it in place of them."""
    pattern: Text
    """A regular expression in RE2 syntax, in lower case, which is searched in the reply in normal form."""
    examples: tuple[Text, ...]
    """Replies that are held back."""
    near: tuple[Text, ...] = ()
    """Replies that are not."""


class HoldingRules(Record):
    """Which replies are held back until a person releases them.

    They affect no verdict, and are part of the package, not of a benchmark.
    """

    checks: tuple[HoldingCheck, ...]
    """The checks that hold the replies which they judged."""
    words: tuple[HoldingWords, ...]
    """The words that hold a reply."""


class HeldReply(Play):
    """A reply whose words a release withholds."""

    turn: TurnNumber
    """The turn of the reply."""
    sha256: Sha256
    """The SHA-256 of the reply as written, in UTF-8."""
    because: tuple[str, ...]
    """The checks and the names of words that hold it; `decided` if a person withheld it."""


class Ruling(StrEnum):
    """What a person decided about a reply."""

    RELEASE = "release"
    """The reply is published."""
    WITHHOLD = "withhold"
    """The reply is never published. This cannot be taken back by another line."""


class ReplyDecision(Record):
    """A line of `withhold.jsonl` in the folder of a scan: what a person decided about a reply."""

    sha256: Sha256
    """The SHA-256 of the reply as written, in UTF-8."""
    ruling: Ruling
    """`release` or `withhold`."""
    by: Pseudonym
    """Who decided."""
    date: date
    """The day of the decision."""
    reason: Annotated[str, Field(min_length=1, max_length=500)]
    """Why. It stays in the scan and is in no release, because it may quote."""
