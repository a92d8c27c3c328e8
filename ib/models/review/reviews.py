"""The reviews of a scan: what each reader said about each row, with the words that were found."""

from __future__ import annotations

import operator
from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ib.models.benchmark.check import CheckId
from ib.models.common.base import Identifier, Played, Record, Sha256, Verdict
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


Count = Annotated[int, Field(ge=0)]


class KeptStratum(Record):
    """A stratum of a batch that was drawn from another scan, as far as its models are in this one."""

    name: str
    """The name of the stratum."""
    population: Count
    """How many verdicts the stratum had in the scan that the batch was drawn from."""
    drawn: Count
    """How many of them were drawn."""
    kept: Count
    """How many of the drawn ones are about models of this scan."""

    @model_validator(mode="after")
    def _counts_fit(self) -> KeptStratum:
        if not self.kept <= self.drawn <= self.population:
            raise ValueError("`kept` is at most `drawn`, which is at most `population`")
        return self


class EarlierDraw(Record):
    """A batch that was drawn from another scan, some or all of whose models are in this one.

    Within a stratum, the drawn verdicts are those whose hashes come first. So those of the models that are
    here are found again among the verdicts of these models, given how many there are.
    """

    batch: Sha256
    """The hash of the batch, which its reviews have, too."""
    draw: Draw
    """How the batch was drawn."""
    results_hash: Sha256
    """The hash of the results that the batch was drawn from."""
    models: tuple[Identifier, ...]
    """The models of this scan that the batch was drawn from."""
    whole: bool
    """True if these are all models that the batch was drawn from."""
    check_id: CheckId | None = Field(default=None, exclude_if=operator.not_)
    """The check of a disputed verdict; left out for other draws."""
    strata: tuple[KeptStratum, ...]
    """Every stratum of the batch."""
