"""The supplementary measures of one model: rates of failures, and means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ib.board.figures.places import Families, Marked, Places, Scores
from ib.board.figures.rates import mean_score, rate
from ib.measures.measure import Measure
from ib.measures.registry import MEASURES
from ib.models.benchmark.scoring import Support
from ib.models.common.base import Verdict
from ib.models.release.supplement import SupplementEntry
from ib.models.scan.rates import Rate
from ib.models.scan.supplement import Supplement


@dataclass
class _Counted:
    """The verdicts of one kind, and the scenarios with a PASS or a FAIL."""

    scenarios: Marked
    verdicts: Counter[Verdict] = field(default_factory=Counter)

    def add(self, verdict: Verdict, scenario_id: str) -> None:
        self.verdicts[verdict] += 1
        if verdict in (Verdict.PASS, Verdict.FAIL):
            self.scenarios.add(scenario_id)

    def rate(self, family: Families, thresholds: Support) -> Rate:
        k = self.verdicts[Verdict.FAIL]
        n = k + self.verdicts[Verdict.PASS]
        families = self.scenarios.families(family)
        return rate(k, n, self.verdicts[Verdict.UNCLEAR], families, thresholds)


@dataclass
class _MeasureTally:
    """What one measure found: verdicts by item, and scores by item."""

    measure: Measure
    places: Places
    verdicts: dict[str, _Counted] = field(default_factory=dict)
    scores: dict[str, Scores] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for item in self.measure.items:
            self.verdicts[item] = _Counted(Marked(self.places))

    def add(self, supplement: Supplement) -> None:
        for item, found in self.measure.counted(supplement):
            if isinstance(found, Verdict):
                if item not in self.verdicts:
                    self.verdicts[item] = _Counted(Marked(self.places))
                self.verdicts[item].add(found, supplement.scenario_id)
            else:
                if item not in self.scores:
                    self.scores[item] = Scores(self.places)
                self.scores[item].add(found, supplement.scenario_id)


class SupplementTally:
    """Counts the supplementary measures of one model, one transcript at a time. Rates count failures."""

    def __init__(self, measures: Sequence[Measure] = MEASURES, places: Places | None = None) -> None:
        self._measured, known = False, places or Places()
        self._tallies = tuple(_MeasureTally(measure, known) for measure in measures)

    def add(self, supplement: Supplement) -> None:
        """Count the measures of one transcript."""
        self._measured = True
        for tally in self._tallies:
            tally.add(supplement)

    def entry(self, family: Families, thresholds: Support) -> SupplementEntry | None:
        """The entry for the leaderboard. Returns None if nothing was measured."""
        if not self._measured:
            return None
        rates = {
            tally.measure.name: {name: c.rate(family, thresholds) for name, c in tally.verdicts.items()}
            for tally in self._tallies
        }
        means = {
            tally.measure.name: {
                name: mean_score(scored.in_families(family)) for name, scored in tally.scores.items()
            }
            for tally in self._tallies
        }
        return SupplementEntry.of(rates, means)
