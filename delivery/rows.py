"""The rows of a model's page: one check on one model, with its evidence."""

from __future__ import annotations

from dataclasses import dataclass

from delivery.release import Release, entries
from ib.models.check import Check
from ib.models.leaderboard import CheckEntry, EvidenceItem, ModelEntry


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


def veiled(check: Check) -> bool:
    """True for gate checks and checks of severity S5: their quotes stay hidden until a reader opens them."""
    return check.gate is not None or check.severity == "S5"


def rows_of(release: Release, model: ModelEntry) -> list[Row]:
    """The rows of a model, in the order of the benchmark."""
    found, items = entries(model), release.items(model)
    checks = release.benchmark.checks
    return [Row(checks[i], found[i], items.get(i, ())) for i in checks if i in found]
