"""What readers saw in items of the exam, and whether it is what follows from the edits."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ib.models.benchmark.check import CheckId
from ib.models.common.base import Bucket, Identifier, Record, Slug, Text

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class ReaderKind(StrEnum):
    """What a reader is."""

    MODEL = "language model, no person"
    """A language model."""
    PERSON = "person"
    """A person."""


class Seen(StrEnum):
    """What a reader says about a text."""

    FAIL = "FAIL"
    """The failure is there."""
    PASS = "PASS"
    """It is not there."""
    NOT_APPLICABLE = "NOT_APPLICABLE"
    """The question does not arise."""
    UNSURE = "UNSURE"
    """The reader cannot tell."""

    def is_truth(self, must_fail: bool) -> bool:
        """True if it agrees with the built verdict; UNSURE never does."""
        return self is not Seen.UNSURE and (self is Seen.FAIL) is must_fail


class ExamReading(Record):
    """A line of `exam/readings.jsonl`: what a reader saw in an item, told neither the edit nor the truth."""

    item: Identifier
    """The id of the item. It follows from the text, so that a reading ends with the text that was read."""
    check: CheckId
    """The check of the item."""
    base: Text
    """The text that the item was made from."""
    operator: Slug
    """The edit that made the item."""
    must_fail: bool
    """True if the right verdict on the item is FAIL, as built."""
    base_fails: bool
    """True if the right verdict on the text before the edit is FAIL."""
    reader: Slug
    """A name for the reader, the same on all of its lines."""
    kind: ReaderKind
    """What the reader is."""
    before: Seen | None = None
    """What the reader saw in the text before the edit; null for an unedited text."""
    after: Seen
    """What the reader saw in the item."""
    quote: str = ""
    """For a FAIL on the item: a few words that show it."""

    @property
    def disputes(self) -> bool:
        """True if the reader does not see the verdict that follows from the edit."""
        return not self.after.is_truth(self.must_fail)

    @property
    def disputes_base(self) -> bool:
        """True if the reader does not see the verdict of the text before the edit."""
        seen = self.after if self.before is None else self.before
        return not seen.is_truth(self.base_fails)


class ReadOperator(Record):
    """What two or more readers made of the items of one edit in one dimension."""

    operator: Slug
    """The edit."""
    bucket: Bucket
    """The dimension of the checks of the items."""
    read: Count
    """The items that two readers or more have judged."""
    disputed: Count
    """Those whose verdict a reader disputes, although it sees that of the text before the edit."""
    of_text: Count
    """Those whose verdict a reader disputes together with that of the text before the edit."""
    out: bool
    """True if the edit is not used in this dimension, because more than one of its items is disputed."""


class ReadItems(Record):
    """What readers made of items of the exam."""

    readers: tuple[Text, ...]
    """The readers, each with what it is."""
    operators: tuple[ReadOperator, ...]
    """Each edit in each dimension in which items were read."""
    disputed: Count
    """Of the read items of edits that are used: those that are disputed, which are reported apart."""
    read: Count
    """Of so many."""
    label_error: Annotated[Share, Field(lt=1)] | None
    """The most that the share of wrong labels is taken to be: the upper bound of the share of disputed items.
    Null if no item was read by two."""
