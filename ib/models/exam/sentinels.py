"""Exam items that are mixed among the questions of a scan: their part of the plan."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ib.models.common.base import Record, Sha256, Text

Count = Annotated[int, Field(ge=0)]


class SentinelCalls(Record):
    """The calls about sentinels, which come on top of the other calls of the plan."""

    planned_calls: Count
    """The questions of the first round."""
    planned_calls_expected: Count
    """The calls that are expected, second attempts included."""
    planned_calls_max: Count
    """The most calls, whatever the replies are."""
    planned_units: Count
    """The most units. A unit is one repetition of one question, with its second attempt."""
    estimated_cost_usd: float | None
    """The expected cost; null if the price is unknown, 0 if nothing is paid."""


class SentinelPlan(SentinelCalls):
    """The exam items that are mixed among the questions of a scan. They change no result."""

    share: Annotated[float, Field(gt=0, le=1)]
    """The share that was asked for: questions about sentinels per question of the scan."""
    items: Annotated[int, Field(ge=1)]
    """How many items are asked."""
    seed: Text
    """The seed of the items."""
    items_hash: Sha256
    """The hash of the items that are asked, and of their conversations."""
    exam: Sha256 | None = None
    """The hash of the report of the judge's exam; null if there is none to compare with."""
    exam_wrong: Count | None = None
    """The items of gate checks that the judge got wrong in its exam; null without an exam."""
    exam_n: Annotated[int, Field(ge=1)] | None = None
    """Of so many items of gate checks; null without an exam."""

    @model_validator(mode="after")
    def _whole(self) -> SentinelPlan:
        given = [self.exam, self.exam_wrong, self.exam_n]
        if any(one is None for one in given) and any(one is not None for one in given):
            raise ValueError("exam, exam_wrong and exam_n are given together, or none of them")
        if self.exam_wrong is not None and self.exam_n is not None and self.exam_wrong > self.exam_n:
            raise ValueError(f"exam_wrong is {self.exam_wrong}, more than exam_n, {self.exam_n}")
        return self
