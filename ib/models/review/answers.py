"""The answers of one reader to the items of one batch."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ib.models.common.base import Language, Record, Sha256, TurnNumber, Verdict
from ib.models.review.batch import BATCH_VERSION, Draw, ItemId

Pseudonym = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$")]
"""What a reader is called in public: letters, digits, spaces, dots, hyphens; at most 40."""
MOST_NOTE = 2_000
"""The length of a note, in characters."""


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


class Choice(StrEnum):
    """What a reader can answer."""

    PASS = "pass"
    FAIL = "fail"
    CANNOT_TELL = "cannot_tell"

    @property
    def verdict(self) -> Verdict:
        """The verdict that the answer is."""
        return {Choice.PASS: Verdict.PASS, Choice.FAIL: Verdict.FAIL}.get(self, Verdict.UNCLEAR)


class Marked(Record):
    """Words of the assistant that the reader marked."""

    turn: TurnNumber
    quote: Annotated[str, Field(min_length=1, max_length=20_000)]


class Answer(Record):
    """The answer to one item."""

    item: ItemId
    """The item."""
    answer: Choice
    """`pass`, `fail` or `cannot_tell`."""
    marked: Annotated[tuple[Marked, ...], Field(max_length=50)] = ()
    """The words that show it; a fail needs some."""
    note: Annotated[str, Field(max_length=MOST_NOTE)] = ""
    """Why, in the words of the reader."""

    @model_validator(mode="after")
    def _fail_shows_words(self) -> Answer:
        if self.answer is Choice.FAIL and not self.marked:
            raise ValueError("`fail` without marked words; mark the words that show it, or the nearest ones")
        return self


class Answers(Record):
    """An answers file, as the review page exports it."""

    schema_version: Literal[1] = BATCH_VERSION
    kind: Literal["review_answers"] = "review_answers"
    batch: Sha256
    """The hash of the batch."""
    results_hash: Sha256
    """The hash of the results that the batch was drawn from."""
    draw: Draw
    """How the batch was drawn."""
    reader: Reader
    """Who gave the answers."""
    date: date
    """The day of the export."""
    answers: tuple[Answer, ...]
    """One answer for each item that was read."""

    @model_validator(mode="after")
    def _each_item_once(self) -> Answers:
        if len({one.item for one in self.answers}) != len(self.answers):
            raise ValueError("an item has two answers")
        return self
