"""What people reviewed of a release: who they are, how far they agree, and which verdicts they reversed."""

from __future__ import annotations

import operator
from datetime import date
from typing import Annotated

from pydantic import Field, model_validator

from ib.models.common.base import Bucket, Played, Record, Verdict
from ib.models.common.reader import Pseudonym, ReaderRole
from ib.models.review.batch import Draw
from ib.models.review.reviews import EarlierDraw
from ib.models.scan.decided import Claim, Opinion, Outcome

Count = Annotated[int, Field(ge=0)]


class ReaderCount(Record):
    """One reader, and how much was read."""

    pseudonym: Pseudonym
    """What the reader is called."""
    role: ReaderRole
    """Who the reader is; what a `language_model` said decides nothing."""
    rows: Count
    """How many verdicts the reader answered."""


class Agreed(Record):
    """How far two people agree on the same verdicts: the first two by name, where several read one."""

    n: Count
    """Verdicts that at least two people read."""
    agreed: Count
    """Those on which the two said the same."""
    low: float | None
    """The lower end of the 95% interval of agreed / n; null without a verdict."""
    high: float | None
    kappa: float | None
    """Cohen's kappa; null if it is not defined."""
    kappa_interval: tuple[float, float] | None
    """The 95% interval of kappa."""
    ac1: float | None
    """Gwet's AC1; null if it is not defined."""
    ac1_interval: tuple[float, float] | None
    """The 95% interval of AC1."""


class ReviewedCheck(Record):
    """What people decided about the verdicts of one check."""

    check_id: str
    read: Count
    """Verdicts that at least one person read."""
    upheld: Count
    """Those on which people decided what the machine had said."""
    to_fail: Count
    """Those that people turned into a FAIL."""
    to_pass: Count
    """Those that people turned into a PASS."""
    open: Count
    """Those that people read and did not decide."""
    compared: Count
    """Those that were drawn, that people decided, and on which the machine had said PASS or FAIL."""
    same: Count
    """Those of the compared ones on which people decided what the machine had said."""
    low: float | None
    """The lower end of the 95% interval of same / compared; null if nothing was compared."""
    high: float | None
    agreement: Agreed
    """How often two people gave the same answer."""


class Reversal(Played):
    """A verdict that people changed."""

    check_id: str
    was: Verdict
    """What the machine had said."""
    now: Verdict
    """What people decided."""
    opinions: tuple[Opinion, ...]
    """What each person said."""
    date: date
    """The day of the last of them."""
    reason: str
    """Their notes."""


class Disputed(Played):
    """A published verdict that was disputed, and what people decided: the source of a line of the ledger."""

    check_id: str
    claim: Claim
    """What was disputed, and why."""
    was: Verdict
    """What the machine had said."""
    now: Verdict | None
    """What people decided; null if they decided nothing."""
    outcome: Outcome
    """`sustained`, `rejected` or `open`."""
    opinions: tuple[Opinion, ...]
    """What each person said."""
    date: date
    """The day of the last of them."""
    reason: str
    """The notes of those who decided."""


class CorrectedRate(Record):
    """How many of some verdicts are failures, as the machine said, and as people would say."""

    bucket: Bucket
    """The dimension of the checks."""
    model_id: str | None
    """The model; null for all models together."""
    check_id: str | None
    """The check; null for all checks of the dimension together."""
    verdicts: Count
    """How many verdicts there are, of which people could be asked."""
    machine_failures: Count
    """Those that are a FAIL of the machine."""
    machine_open: Count
    """Those on which the machine said neither PASS nor FAIL."""
    drawn: Count
    """Those that were drawn for people to read."""
    decided: Count
    """Those of the drawn ones that people decided."""
    failures: Count
    """Those of the decided ones that people call FAIL."""
    n_families: Count
    """The scenario families of all verdicts."""
    rate: float | None
    """The share of all verdicts that people would call FAIL, estimated; null if it cannot be estimated."""
    low: float | None
    """The lower end of its 95% interval."""
    high: float | None
    reason: str | None
    """Why there is no estimate; null if there is one."""

    @model_validator(mode="after")
    def _rate_or_reason(self) -> CorrectedRate:
        if {self.rate is None, self.low is None, self.high is None} != {self.reason is not None}:
            raise ValueError("either `rate`, `low` and `high`, or `reason`")
        return self


class CorrectedRates(Record):
    """Rates corrected by people, from one sample with known probabilities. They replace no other figure."""

    draw: Draw
    """The draw that the sample was made by. A draw for the gate has verdicts of gate checks only."""
    method: str
    """How rates and intervals are computed."""
    rates: tuple[CorrectedRate, ...]
    """For each dimension: all verdicts, then those of each model, then those of each check."""


class ReviewSummary(Record):
    """The reviews of a release."""

    readers: tuple[ReaderCount, ...]
    """Everybody who read, by name."""
    checks: tuple[ReviewedCheck, ...]
    """The checks of which people read a verdict."""
    reversals: tuple[Reversal, ...]
    """Each verdict that people changed, in both directions."""
    corrected: CorrectedRates | None = Field(default=None, exclude_if=operator.not_)
    """Rates corrected by people; the key is left out if no person read a batch that was drawn."""
    disputes: tuple[Disputed, ...] = Field(default=(), exclude_if=operator.not_)
    """Verdicts that were disputed; the key is left out if there are none."""
    earlier: tuple[EarlierDraw, ...] = Field(default=(), exclude_if=operator.not_)
    """Batches that were drawn from other scans, whose models joined, or stayed when others left; the key is
    left out if there are none."""
