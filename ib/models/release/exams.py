"""Sittings of the exam that a release carries: what each judge answered on built items, in no words."""

from __future__ import annotations

from datetime import date

from ib.models.common.base import Identifier, Record, Sha256
from ib.models.exam.items import ExamPlan
from ib.models.exam.readings import Count, Share
from ib.models.exam.report import Outcome
from ib.models.scan.judge import JudgeSpec


class CarriedSitting(Record):
    """A sitting of the exam as a release carries it. Its figures are counted from the outcomes."""

    judge: JudgeSpec
    """The judge, without a private address."""
    day: date
    """When the sitting ended."""
    plan: ExamPlan
    """What was asked."""
    results_hash: Sha256
    """The SHA-256 of the `results.jsonl` of its scan."""
    outcomes: tuple[Outcome, ...]
    """What the judge made of each item."""
    several: tuple[Identifier, ...]
    """The items whose text has several replies, so that the turn of the evidence says something."""
    label_error: Share | None
    """The most that the share of wrong labels was taken to be by hand; null for what readings say."""
    dollars: float | None
    """What the calls cost, in US dollars; null if nothing was paid or the price is unknown."""
    answered: Count | None
    """The answers that the judge gave; null if it is not known."""
    replayed: bool
    """True if the verdicts were computed again from the replies when the release was made, which needs the
    benchmark of the sitting."""


class ExamSource(Record):
    """The sittings of a release, in the order in which they were given."""

    sittings: tuple[CarriedSitting, ...]
    """Each sitting that the maintainers gave to the release."""
