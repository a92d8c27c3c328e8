"""Add up the occurrences of failures over transcripts, and compute their rate by family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ib.board.figures.places import Chances, Places
from ib.board.figures.rates import limits
from ib.models.benchmark.scoring import Support
from ib.models.scan.occurrences import OccurrenceRate
from ib.models.scan.result import OCCURRING, VerdictResult
from ib.stats.ratios import METHOD, clustered_ratio
from ib.stats.support import Flag, support


@dataclass
class OccurrenceTally:
    """The occurrences and chances of one check, by scenario."""

    chances: Chances = field(default_factory=lambda: Chances(Places()))
    """The occurrences and chances of each row with at least one chance; none if a row is unmeasured."""
    unmeasured: int = 0
    """The rows with PASS or FAIL that say nothing of occurrences."""

    def add(self, row: VerdictResult, scenario_id: str) -> None:
        """Count one row."""
        if row.occurrences is None:
            if row.verdict in OCCURRING:
                self.unmeasured += 1
                self.chances.clear()
        elif row.occurrences.chances and not self.unmeasured:
            self.chances.add(len(row.occurrences.turns), row.occurrences.chances, scenario_id)

    @property
    def measured(self) -> bool:
        """True if there are chances, and no transcript with a PASS or FAIL is left out of them.

        Otherwise, the transcripts that were measured would be a selection by verdict.
        """
        return len(self.chances) > 0


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
        for scenario_id, occurred, chances in tally.chances:
            n[family[scenario_id]] += chances
            k[family[scenario_id]] += occurred
    found = clustered_ratio([(k[name], n[name]) for name in sorted(n)])
    share = found.k / found.n
    flags = support(share * found.effective_n, found.effective_n, limits(thresholds))
    return OccurrenceRate(
        occurred=found.k,
        chances=found.n,
        checks=len(measured),
        results=sum(len(tally.chances) for tally in measured),
        n_families=found.clusters,
        effective_n=found.effective_n,
        rate=None if Flag.COUNT_ONLY in flags else share,
        low=found.low,
        high=found.high,
        support=flags,
        method=METHOD,
    )
