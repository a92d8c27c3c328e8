"""Add up the occurrences of failures over transcripts, and compute their rate by family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ib.board.figures.rates import limits
from ib.models.benchmark.scoring import Support
from ib.models.scan.occurrences import OccurrenceRate
from ib.models.scan.result import OCCURRING, VerdictResult
from ib.stats.ratios import METHOD, clustered_ratio
from ib.stats.support import Flag, support


@dataclass
class OccurrenceTally:
    """The occurrences and chances of one check, by scenario."""

    occurrences: Counter[str] = field(default_factory=Counter)
    chances: Counter[str] = field(default_factory=Counter)
    results: int = 0
    """The rows with at least one chance."""
    unmeasured: int = 0
    """The rows with PASS or FAIL that say nothing of occurrences."""

    def add(self, row: VerdictResult, scenario_id: str) -> None:
        """Count one row."""
        if row.occurrences is None:
            self.unmeasured += row.verdict in OCCURRING
        elif row.occurrences.chances:
            self.occurrences[scenario_id] += len(row.occurrences.turns)
            self.chances[scenario_id] += row.occurrences.chances
            self.results += 1

    def merge(self, other: OccurrenceTally) -> None:
        """Add the counts of another tally."""
        self.occurrences.update(other.occurrences)
        self.chances.update(other.chances)
        self.results += other.results
        self.unmeasured += other.unmeasured

    @property
    def measured(self) -> bool:
        """True if there are chances, and no transcript with a PASS or FAIL is left out of them.

        Otherwise, the transcripts that were measured would be a selection by verdict.
        """
        return bool(self.chances) and not self.unmeasured


def occurrence_rate(
    tallies: Iterable[OccurrenceTally], family: Mapping[str, str], thresholds: Support
) -> OccurrenceRate | None:
    """The rate over the checks that were measured, each with its tally; None if none was."""
    measured = [tally for tally in tallies if tally.measured]
    if not measured:
        return None
    k: Counter[str] = Counter()
    n: Counter[str] = Counter()
    for tally in measured:
        for scenario_id, chances in tally.chances.items():
            n[family[scenario_id]] += chances
            k[family[scenario_id]] += tally.occurrences[scenario_id]
    found = clustered_ratio([(k[name], n[name]) for name in sorted(n)])
    share = found.k / found.n
    flags = support(share * found.effective_n, found.effective_n, limits(thresholds))
    return OccurrenceRate(
        occurred=found.k,
        chances=found.n,
        checks=len(measured),
        results=sum(tally.results for tally in measured),
        n_families=found.clusters,
        effective_n=found.effective_n,
        rate=None if Flag.COUNT_ONLY in flags else share,
        low=found.low,
        high=found.high,
        support=flags,
        method=METHOD,
    )
