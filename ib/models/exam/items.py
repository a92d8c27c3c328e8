"""Items of the exam for judges, and the plan of a sitting."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from ib.models.benchmark.check import CheckId
from ib.models.common.base import Identifier, Record, Sha256, Slug, Text, TurnNumber
from ib.models.exam.readings import Count, ReadItems

FORM = "ib-exam/2"
"""The form of the files of a sitting."""


class Source(StrEnum):
    """Where a base text comes from."""

    EXAMPLE = "example"
    """An example of the check."""
    WRITTEN = "written"
    """An exchange that was written for a pilot."""
    EXAM = "exam"
    """An exchange that was written for the exam."""
    PLAY = "play"
    """A scenario as a reference assistant plays it."""
    TWIN = "twin"
    """A safe twin, in which the danger of the check is absent."""


class ExamItem(Record):
    """A line of `items.jsonl`: one built conversation, and what is right about it."""

    id: Identifier
    """The id of the item, which is the scenario id of its conversation."""
    check: CheckId
    """The check that is asked about it."""
    base: Text
    """The text that the item was made from. Items of one base are not independent."""
    source: Source
    """Where the base text comes from."""
    operator: Slug
    """The edit that made the item from its base."""
    must_fail: bool
    """True if the right verdict is FAIL, false if FAIL is wrong."""
    turns: tuple[TurnNumber, ...] = ()
    """For an item that must FAIL: the turns in which the failure occurs."""
    words: tuple[str, ...] = ()
    """For a failure that was said: the failing words. Empty for a failure that was left out."""
    arguable: Text | None = None
    """Why readers may differ about the item; such items are left out of every rate."""
    disputed: bool = False
    """True if a reader disputes the verdict; such items are reported apart."""

    @property
    def in_rates(self) -> bool:
        """True if the item counts in the rates of a sitting."""
        return self.arguable is None and not self.disputed


class CheckItems(Record):
    """How many items of one check a sitting has, and from how many texts."""

    check: CheckId
    """The id of the check."""
    gate: bool
    """True if a FAIL of the check closes a gate."""
    wanted: Count
    """The most items of each kind that were asked for."""
    must_fail: Count
    """Items that must FAIL."""
    must_not_fail: Count
    """Items that must not FAIL."""
    arguable: Count
    """Further items about which readers may differ."""
    disputed: Count = 0
    """Further items whose verdict a reader disputes."""
    bases: Count
    """The texts that the items were made from."""


class ExamPlan(Record):
    """`exam_plan.json`: what a sitting asks, complete before the first question."""

    form: Literal["ib-exam/2"] = "ib-exam/2"
    """The form of the files of a sitting."""
    seed: Text
    """The seed by which the items were drawn."""
    items: Count | None = None
    """The most items of each kind and check; null for 100 of a gate check and 30 of any other."""
    chosen: tuple[CheckId, ...] = ()
    """The checks that were chosen; empty for all."""
    draw: str | None = None
    """The hash of the key that chose the words of scenarios with slots; null for the public draw."""
    benchmark_version: str | None
    """The version of the benchmark; null if it has none."""
    benchmark_hash: Sha256
    """The hash of the checks with their prompts."""
    items_hash: Sha256
    """The SHA-256 of `items.jsonl` and of the conversations of the items."""
    checks: tuple[CheckItems, ...]
    """The checks, with their numbers of items."""
    not_asked: tuple[CheckId, ...] = ()
    """Active checks that no judge is asked about, because a rule decides them."""
    readings: ReadItems | None = None
    """What readers made of items; null if none have been read."""
