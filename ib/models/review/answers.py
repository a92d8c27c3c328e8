"""The answers of one reader to the items of one batch."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ib.models.common.base import Record, Sha256, TurnNumber, Verdict
from ib.models.review.batch import BATCH_VERSION, Draw, ItemId
from ib.models.scan.decided import Reader

MOST_NOTE = 2_000
"""The length of a note, in characters."""


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
