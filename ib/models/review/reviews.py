"""The reviews of a scan: what each reader said about each row, with the words that were found."""

from __future__ import annotations

import operator
from datetime import date
from typing import Literal

from pydantic import Field, model_validator

from ib.models.benchmark.check import CheckId
from ib.models.common.base import Played, Sha256, Verdict
from ib.models.review.batch import BATCH_VERSION, Draw, ItemId
from ib.models.scan.ballot import EvidenceSpan, quotes_assistant
from ib.models.scan.decided import Claim, Reader

RowKey = tuple[str, str, int | None, str]
"""The model, scenario and epoch of a conversation, and the check."""


class Review(Played):
    """A line of `reviews.jsonl`: what one reader said about one row of the machine."""

    schema_version: Literal[1] = BATCH_VERSION
    epoch: int | None = None
    check_id: CheckId
    row_hash: Sha256
    """The hash of the row as the machine gave it."""
    batch: Sha256
    """The hash of the batch in which the reader saw it."""
    draw: Draw
    """How the batch was drawn."""
    item: ItemId
    """The item of the batch."""
    reader: Reader
    """Who said it."""
    date: date
    """The day of the answers file."""
    verdict: Literal[Verdict.PASS, Verdict.FAIL, Verdict.UNCLEAR]
    """PASS, FAIL, or UNCLEAR for `cannot tell`."""
    evidence: tuple[EvidenceSpan, ...] = ()
    """The words that the reader marked."""
    note: str = ""
    """Why, in the words of the reader."""
    dispute: Claim | None = Field(default=None, exclude_if=operator.not_)
    """The dispute that the row was read for; the key is left out for other rows."""

    @property
    def key(self) -> RowKey:
        """The row that the review is about."""
        return (self.model_id, self.scenario_id, self.epoch, self.check_id)

    @model_validator(mode="after")
    def _quoted(self) -> Review:
        if self.verdict is Verdict.FAIL and not quotes_assistant(self.evidence):
            raise ValueError("a FAIL without marked words of the assistant")
        return self
