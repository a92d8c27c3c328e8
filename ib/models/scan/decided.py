"""What people decided about one row: who they are, what they said, and what the machine had said before."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from ib.models.common.base import Language, Record, Verdict

Pseudonym = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$")]
"""What a reader is called in public: letters, digits, spaces, dots, hyphens; at most 40."""


class ReaderRole(StrEnum):
    """Who reads."""

    CLINICIAN = "clinician"
    CAREGIVER = "caregiver"
    RESEARCHER = "researcher"
    OTHER = "other"
    LANGUAGE_MODEL = "language_model"
    """No person. What a language model answers decides nothing and is never called human."""

    @property
    def is_person(self) -> bool:
        """True for people, whose answers decide."""
        return self is not ReaderRole.LANGUAGE_MODEL


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

    @model_validator(mode="after")
    def _by_people(self) -> Decision:
        if not all(one.role.is_person for one in self.opinions):
            raise ValueError("a decision of a language model is no decision of a person")
        return self
