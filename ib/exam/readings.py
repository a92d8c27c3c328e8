"""Readings of items, counted: disputed items, edits that are out, and how many labels may be wrong.

A reading disputes an item if it does not see the verdict that follows from the edit. If the same reader does
not see the verdict of the text before the edit either, the dispute is about the text, and the edit is not
blamed for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ib.exam.operators.unedited import UNEDITED
from ib.exam.rates import rate
from ib.models.benchmark.check import Check
from ib.models.common.base import Bucket
from ib.models.exam.readings import ExamReading, ReadItems, ReadOperator

ALLOWED = 1
"""So many disputed items an edit may have in a dimension; with more it is out there."""
READERS = 2
"""So many readers must have judged an item before it counts as read."""
MOST_WRONG = 0.99
"""The most that the share of wrong labels is taken to be: with more, no bound can be computed."""
_NUMBER = re.compile(r"^added-\d+$")


def edit_of(operator: str) -> str:
    """The edit that made an item: `added-1` and `added-2` are both `added`; their sentences differ."""
    return _NUMBER.sub("added", operator)


@dataclass(frozen=True)
class Judged:
    """What follows from readings for the items of the exam."""

    summary: ReadItems | None
    """The figures; None without readings."""
    items: frozenset[str] = frozenset()
    """The ids of disputed items."""
    bases: frozenset[str] = frozenset()
    """Texts whose own verdict is disputed; so is that of every item that has the verdict of its text."""
    out: frozenset[tuple[str, Bucket]] = frozenset()
    """Edits with the dimensions in which they are out."""

    def drops(self, operator: str, bucket: Bucket) -> bool:
        """True if an edit is out in a dimension."""
        return (edit_of(operator), bucket) in self.out

    def disputes(self, item: str, base: str, *, as_base: bool) -> bool:
        """True if an item is disputed. `as_base` tells that its verdict is that of its text."""
        return item in self.items or (as_base and base in self.bases)


UNREAD = Judged(None)
"""What follows where there are no readings."""


def judged(readings: Sequence[ExamReading], checks: Mapping[str, Check]) -> Judged:
    """Count readings. The dimension of an item is that of its check."""
    if not readings:
        return UNREAD
    by_item: dict[str, list[ExamReading]] = defaultdict(list)
    for one in readings:
        by_item[one.item].append(one)
    cells: dict[tuple[str, Bucket], list[list[ExamReading]]] = defaultdict(list)
    for found in by_item.values():
        if len({one.reader for one in found}) >= READERS:
            cells[edit_of(found[0].operator), checks[found[0].check].bucket].append(found)
    told = tuple(_cell(edit, bucket, cells[edit, bucket]) for edit, bucket in sorted(cells))
    out = frozenset((one.operator, one.bucket) for one in told if one.out)
    used = [found for key, items in cells.items() if key not in out for found in items]
    return Judged(
        _summary(readings, told, used),
        frozenset(one.item for one in readings if one.disputes),
        _bases(by_item.values()),
        out,
    )


def _summary(
    readings: Iterable[ExamReading], cells: tuple[ReadOperator, ...], used: Sequence[Sequence[ExamReading]]
) -> ReadItems:
    cases = [(found[0].base, any(one.disputes for one in found)) for found in used]
    return ReadItems(
        readers=tuple(sorted({f"{one.reader} ({one.kind})" for one in readings})),
        operators=cells,
        disputed=sum(disputed for _, disputed in cases),
        read=len(cases),
        label_error=min(rate(cases).high or 0.0, MOST_WRONG) if cases else None,
    )


def _cell(edit: str, bucket: Bucket, items: Sequence[Sequence[ExamReading]]) -> ReadOperator:
    kinds = [_kind(found) for found in items]
    disputed = kinds.count("edit")
    return ReadOperator(
        operator=edit,
        bucket=bucket,
        read=len(items),
        disputed=disputed,
        of_text=kinds.count("text"),
        out=disputed > ALLOWED,
    )


def _kind(found: Iterable[ExamReading]) -> str:
    """What the readings of one item dispute: its edit, only its text, or nothing."""
    disputing = [one for one in found if one.disputes]
    if any(one.operator != UNEDITED.name and not one.disputes_base for one in disputing):
        return "edit"
    return "text" if disputing else ""


def _bases(items: Iterable[Sequence[ExamReading]]) -> frozenset[str]:
    """Texts that a reader of the text alone disputes, or all readers of one of its edits."""
    return frozenset(
        found[0].base
        for found in items
        if (found[0].operator == UNEDITED.name and any(one.disputes for one in found))
        or (len(found) >= READERS and all(one.disputes_base for one in found))
    )
