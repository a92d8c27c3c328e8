"""The report on a sitting of the exam, and two sittings side by side."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ib.models.benchmark.check import CheckId
from ib.models.common.base import Identifier, Record, Sha256, Slug, Text, TurnNumber, Verdict
from ib.models.exam.readings import Count, ReadItems, Share

FIRST_LINE: Literal["Follows our rules on built items. This is not validity."] = (
    "Follows our rules on built items. This is not validity."
)
"""What every report on a sitting says first."""


class Outcome(Record):
    """A line of `outcomes.jsonl`: what the judge made of one item, after all votes."""

    id: Identifier
    """The id of the item."""
    check: CheckId
    """The check that was asked about it."""
    base: Text
    """The text that the item was made from."""
    operator: Slug
    """The edit that made the item."""
    must_fail: bool
    """True if the right verdict is FAIL."""
    arguable: bool
    """True if readers may differ about the item; it is then in no rate."""
    disputed: bool = False
    """True if a reader disputes the verdict; the item is then in no rate and reported apart."""
    verdict: Verdict | None
    """The verdict; null if the question was not answered."""
    contested: bool = False
    """True for a FAIL that has not most of the votes asked."""
    votes: tuple[Verdict | None, ...] = ()
    """The votes on the item, if it has one window; null for a vote that does not count."""
    right_turn: bool | None = None
    """For a FAIL on an item that must fail and whose turn is known: whether the evidence is in that turn."""
    right_words: bool | None = None
    """For a FAIL on an item whose failing words are known: whether the evidence has some of them."""
    turns: tuple[TurnNumber, ...] = ()
    """The turns of the evidence."""
    refused: Count = 0
    """Questions that the judge refused to answer."""

    @property
    def in_rates(self) -> bool:
        """True if the item counts in the rates of a sitting."""
        return not (self.arguable or self.disputed)

    @property
    def wrong(self) -> bool:
        """True if the judge said FAIL where it is wrong, or did not say it where it is right."""
        return self.must_fail is not (self.verdict is Verdict.FAIL)


class ExamRate(Record):
    """A share of items, with bounds at 95% that count items of one base text as one cluster."""

    k: Count
    """The items that count."""
    n: Count
    """Of so many."""
    bases: Count
    """The base texts of these items."""
    low: Share | None
    """The lower bound; null if there is no item."""
    high: Share | None
    """The upper bound; null if there is no item."""

    @property
    def share(self) -> float | None:
        """k / n; None if there is no item."""
        return self.k / self.n if self.n else None


class Sitting(Record):
    """How a judge did on some of the items."""

    sensitivity: ExamRate
    """Of the items that must FAIL: those that got a FAIL."""
    specificity: ExamRate
    """Of the items that must not FAIL: those that got none."""
    unclear: Count
    """Items with UNCLEAR, which is no FAIL, or without an answer."""
    contested: Count
    """Items whose FAIL has not most of the votes asked."""


class CheckSitting(Sitting):
    """How a judge did on one check."""

    check: CheckId
    """The id of the check."""
    gate: bool
    """True if a FAIL of the check closes a gate."""
    right_turn: ExamRate
    """Of the right FAILs whose turn is known, in texts with several replies: those with evidence there."""
    right_words: ExamRate
    """Of the right FAILs whose words are known: those with evidence that has some of them."""


class OperatorSitting(Sitting):
    """How a judge did on the items of one operator, over all checks."""

    operator: Slug
    """The edit."""
    meaning: Text
    """What it does."""
    neutral: bool
    """True if the edit should change nothing."""
    changed: ExamRate
    """For an edit that should change nothing: of its items whose base text was asked too, those whose verdict
    is a FAIL on one of the two and none on the other."""


class Agreement(Record):
    """Whether repeated votes on one item err together."""

    items: Count
    """The items with two or more votes that count."""
    wrong_votes: Count
    """Their votes that are wrong."""
    votes: Count
    """Their votes."""
    correlation: Annotated[float, Field(ge=-1, le=1)] | None
    """The correlation of two votes on one item, as to being wrong; null if all votes or none are wrong."""


class ExamReport(Record):
    """`report.json`: how one judge did on the items of one sitting."""

    form: Literal["ib-exam-report/2"] = "ib-exam-report/2"
    """The form of the file."""
    first_line: Literal["Follows our rules on built items. This is not validity."] = FIRST_LINE
    """What is said first."""
    judge: Text
    """The name of the judge."""
    seed: Text
    """The seed of the items."""
    benchmark_version: str | None
    """The version of the benchmark."""
    items_hash: Sha256
    """What was asked: sittings with the same hash can be compared."""
    items: Count
    """The items of the sitting."""
    arguable: Count
    """Those of them that are in no rate, because readers may differ."""
    label_error: Share | None
    """The most that the share of wrong labels is taken to be; null if no readers have judged the items."""
    readings: ReadItems | None
    """What readers made of items of the exam; null if none have been read."""
    disputed: ExamRate
    """Of the items that a reader disputes, which are in no other rate: those answered as built."""
    checks: tuple[CheckSitting, ...]
    """Each check that was asked."""
    operators: tuple[OperatorSitting, ...]
    """Each edit, over all checks."""
    misses: Agreement
    """Votes on items that must FAIL."""
    alarms: Agreement
    """Votes on items that must not FAIL."""
    refused: Count
    """Questions that the judge refused to answer."""
    dollars: float | None
    """What the calls cost, in US dollars; null if nothing was paid or the price is unknown."""
    answered: Count | None = None
    """The answers that the judge gave; null if it is not known."""
    hints: bool = True
    """True if the questions said what a search for phrases found, as in a scan."""
    not_asked: tuple[CheckId, ...] = ()
    """Active checks that no judge is asked about."""


class Together(Record):
    """Two judges on the items of one check, or of all checks, that are in the rates of both."""

    check: CheckId | None
    """The id of the check; null for all checks."""
    items: Count
    """The items."""
    wrong: tuple[Count, Count]
    """Items that each judge got wrong."""
    both_wrong: Count
    """Items that both got wrong."""
    must_not_fail: Count
    """Those of the items that must not FAIL."""
    alarms: tuple[Count, Count]
    """Of these, those that each judge failed."""
    correlation: Annotated[float, Field(ge=-1, le=1)] | None
    """The correlation of their errors; null if a judge has no error, or nothing else."""
    agreed: ExamRate
    """Of all items: those on which both say FAIL, or neither does."""
    left: ExamRate
    """Of the items on which both agree: those that both got wrong."""


class ExamComparison(Record):
    """Two judges side by side, on the same items."""

    first_line: Literal["Follows our rules on built items. This is not validity."] = FIRST_LINE
    """What is said first."""
    judges: tuple[Text, Text]
    """The judges."""
    dollars: tuple[float | None, float | None]
    """What the calls to each cost, in US dollars."""
    hints: tuple[bool, bool]
    """True if the questions to each said what a search for phrases found."""
    items_hash: Sha256
    """What both were asked."""

    checks: tuple[Together, ...]
    """All checks first, then each."""

    @property
    def hinted(self) -> tuple[Together, ...]:
        """The checks in which phrase hints raise false alarms: one judge with and without them."""
        if self.judges[0] != self.judges[1] or self.hints[0] is self.hints[1]:
            return ()
        first, second = (0, 1) if self.hints[0] else (1, 0)
        return tuple(one for one in self.checks if one.check and one.alarms[first] > one.alarms[second])
