"""Labels of own files: what an annotator said about a check on a conversation, one line each."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from ib.models.common.base import Record, Sha256, Text, TurnNumber, Verdict


class LabelRow(Record):
    """A line of a labels file for `ib calibrate`."""

    id: Text
    """The conversation: its `scenario_id`, or the id that the log itself gives it."""
    check: Text
    """The id of the check."""
    label: Verdict
    """`PASS`, `FAIL`, `UNCLEAR` or `NOT_APPLICABLE`."""
    turns: Annotated[tuple[TurnNumber, ...], Field(max_length=1_000)] = ()
    """The turns of the assistant's replies that fail; for UNCLEAR, those that may."""
    quote: str = ""
    """Words of the assistant that show it. They are not copied anywhere."""
    why: str = ""
    """Why, in a few words. They are not copied anywhere."""
    model: Text | None = None
    """The `model_id`, where several models have a conversation of this id."""
    epoch: int | None = None
    """Which play, where there are several."""
    annotator: Text | None = None
    """Who labeled; without it, the name of the file without `.jsonl`."""
    wording: Sha256 | None = None
    """The hash of the wording that the annotator was shown, as `ib show check ID` prints it; null for labels
    that follow from a definition alone."""

    @model_validator(mode="after")
    def _turns_that_fail(self) -> Self:
        if self.turns and self.label in (Verdict.PASS, Verdict.NOT_APPLICABLE):
            raise ValueError(f"`turns` are those that fail, and the label is {self.label}")
        return self
