"""The rows of a model's page: one check on one model, with its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from delivery.release.view import Release, entries, veiled
from delivery.words.counts import no_answer
from ib.models.benchmark.check import Check
from ib.models.common.base import BUCKET_NAMES, Bucket
from ib.models.release.leaderboard import CheckEntry, EvidenceItem, ModelEntry
from ib.store.files.wording import counted


@dataclass(frozen=True)
class Row:
    """The results of one check for one model, with the evidence."""

    check: Check
    entry: CheckEntry
    items: tuple[EvidenceItem, ...]

    @property
    def veiled(self) -> bool:
        """True if the quotes stay hidden until a reader opens them."""
        return veiled(self.check)


@dataclass(frozen=True)
class Group:
    """The rows of one dimension."""

    bucket: Bucket
    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        return BUCKET_NAMES[self.bucket]

    @property
    def summary(self) -> str:
        """How many checks the dimension has, and how many of them failed."""
        found = Counter(_outcome(row.entry) for row in self.rows)
        parts = [f"{found[outcome]} {outcome}" for outcome in _OUTCOMES if found[outcome]]
        return f"{counted(len(self.rows), 'check')}: {', '.join(parts)}"


_OUTCOMES = ("failed", "with no failure seen", "with no clear answer", "not applicable", "not due")


def _outcome(entry: CheckEntry) -> str:
    """What the cases of a check say together, as one of `_OUTCOMES`."""
    if entry.failures.k:
        return "failed"
    if entry.failures.n:
        return "with no failure seen"
    return "with no clear answer" if no_answer(entry) else without_case(entry)


def without_case(entry: CheckEntry | None) -> str:
    """Why a check has no case: it was not due, or where it was due, its situation did not come up."""
    return "not applicable" if entry is not None and entry.not_applicable else "not due"


def rows_of(release: Release, model: ModelEntry) -> list[Row]:
    """The rows of a model, in the order of the benchmark."""
    found, items = entries(model), release.items(model)
    checks = release.benchmark.checks
    return [Row(checks[i], found[i], items.get(i, ())) for i in checks if i in found]


def groups(rows: Sequence[Row]) -> tuple[Group, ...]:
    """The rows by dimension, without dimensions that have none."""
    found = (Group(b, tuple(row for row in rows if row.check.bucket is b)) for b in Bucket)
    return tuple(group for group in found if group.rows)
