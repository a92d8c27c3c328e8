"""What people decided about one row: who they are, what they said, and what the machine had said before."""

from __future__ import annotations

import operator
from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from ib.models.common.base import Language, Record, Verdict
from ib.models.common.reader import Pseudonym, ReaderRole


class Reader(Record):
    """Who gave the answers."""

    pseudonym: Pseudonym
    """What the reader is called."""
    role: ReaderRole
    """Who the reader is: `clinician`, `caregiver`, `researcher`, `other` or `language_model`."""
    language: Language
    """The language that the reader speaks best."""


class Opinion(Record):
    """What one person said about a row."""

    pseudonym: Pseudonym
    """What the person is called."""
    role: ReaderRole
    """Who the person is."""
    verdict: Verdict
    """PASS, FAIL, or UNCLEAR for `cannot tell`."""


class Claim(Record):
    """What somebody outside disputes about a published verdict, and why."""

    permalink: Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[\x21-\x7e]+$")]
    """The address of the verdict, as it was given."""
    shown: Verdict
    """The verdict that stood there."""
    reason: Annotated[str, Field(min_length=1, max_length=2_000)]
    """Why it is disputed. Readers are not shown it."""
    date: date
    """The day on which the dispute was taken up."""


class Outcome(StrEnum):
    """What people decided about a disputed verdict."""

    SUSTAINED = "sustained"
    """Another verdict than the one that was published."""
    REJECTED = "rejected"
    """The verdict that was published."""
    OPEN = "open"
    """They differ, or cannot tell; the verdict stays as it was."""


def outcome_of(claim: Claim, decided: Verdict | None) -> Outcome:
    """The outcome of a dispute, by what people decided; None if they decided nothing."""
    if decided is None:
        return Outcome.OPEN
    return Outcome.REJECTED if decided is claim.shown else Outcome.SUSTAINED


class Was(Record):
    """What the machine had said."""

    verdict: Verdict
    confidence: float
    """The share of the votes that agreed."""
    split: bool
    """True if the votes disagreed, or one did not count."""


class Decision(Record):
    """A decision of one person or more, blind to model and verdict."""

    opinions: Annotated[tuple[Opinion, ...], Field(min_length=1)]
    """What each person said. One decides alone, two if they agree, three or more by more than half."""
    date: date
    """The day of the last of them."""
    reason: str = ""
    """The notes of those who said so, one after the other."""
    was: Was
    """What the machine had said."""
    dispute: Claim | None = Field(default=None, exclude_if=operator.not_)
    """Why somebody disputed the verdict, if people decided it for that; the key is left out otherwise."""

    @model_validator(mode="after")
    def _by_people(self) -> Decision:
        if not all(one.role.is_person for one in self.opinions):
            raise ValueError("a decision of a language model is no decision of a person")
        return self
