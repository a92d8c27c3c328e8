"""What people reviewed of a release: who they are, how far they agree, and which verdicts they reversed."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field

from ib.models.common.base import Played, Record, Verdict
from ib.models.scan.decided import Opinion, Pseudonym, ReaderRole

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


class ReviewSummary(Record):
    """The reviews of a release."""

    readers: tuple[ReaderCount, ...]
    """Everybody who read, by name."""
    checks: tuple[ReviewedCheck, ...]
    """The checks of which people read a verdict."""
    reversals: tuple[Reversal, ...]
    """Each verdict that people changed, in both directions."""
