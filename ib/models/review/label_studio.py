"""The tasks of Label Studio: what it imports, and what it exports as JSON.

Only what is needed of an export is named here; all other keys of Label Studio are ignored. See
https://labelstud.io/guide/task_format and the tags Paragraphs, ParagraphLabels, Choices and TextArea.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, RootModel

from ib.models.common.base import Record, Sha256, Text
from ib.models.review.batch import ItemId


class Paragraph(Record):
    """One message, as the tag Paragraphs shows it."""

    who: str
    """Who speaks, in which turn, and whether the question is about it."""
    text: str
    """The words."""


class TaskData(Record):
    """What a task shows. It has nothing that the batch does not have."""

    batch: Sha256
    """The hash of the batch."""
    item: ItemId
    """The item of the batch."""
    question: Text
    """Name and summary of the check."""
    fail: Text
    """When the answer is fail."""
    passes: Text
    """When the answer is pass."""
    unclear: Text
    """When the answer is cannot tell."""
    said: tuple[Paragraph, ...]
    """The conversation."""


class Task(Record):
    """A task that Label Studio imports."""

    data: TaskData


class _Foreign(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Person(_Foreign):
    """An annotator, where an export has more than the number."""

    id: int
    email: str = ""


class Value(_Foreign):
    """What an annotator entered."""

    choices: tuple[str, ...] = ()
    text: str | tuple[str, ...] | None = None
    """The words of a region, or the paragraphs of a note."""
    start: int | str | None = None
    """The number of the paragraph in which a region begins, from 0."""
    end: int | str | None = None


class Region(_Foreign):
    """One thing that an annotator did."""

    from_name: str = ""
    """The name of the control, as in the labeling configuration."""
    value: Value = Value()


class Annotation(_Foreign):
    """What one annotator did on a task."""

    completed_by: int | Person
    result: tuple[Region, ...]
    was_cancelled: bool = False
    """True if the annotator skipped the task."""


class Origin(_Foreign):
    """The data of an exported task, as far as it says which item it is."""

    batch: Sha256
    item: ItemId


class Exported(_Foreign):
    """An exported task."""

    data: Origin
    annotations: tuple[Annotation, ...]


class Export(RootModel[Annotated[tuple[Exported, ...], Field(min_length=1)]]):
    """A JSON export (not JSON-MIN)."""

    model_config = ConfigDict(frozen=True)
