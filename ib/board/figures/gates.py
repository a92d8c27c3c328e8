"""Count what the gates say of a model's transcripts, and how sure the rate of hard fails is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ib.board.figures.places import Marked, Places
from ib.board.figures.rates import limits, rate
from ib.models.benchmark.scoring import Support
from ib.models.scan.gates import HARD_FAILS, GateCounts, GateEntry, GateState
from ib.stats.intervals import rate_interval
from ib.stats.support import support


@dataclass
class GateTally:
    """Counts the states of transcripts at one gate, or at both gates together."""

    states: Counter[GateState] = field(default_factory=Counter)
    scenarios: Marked = field(default_factory=lambda: Marked(Places()))
    """The scenarios of the transcripts on which a check of the gate was due."""

    older: int = 0
    """Transcripts with a verdict of a check of the gate by votes on an older wording."""

    def add(self, state: GateState, scenario_id: str, *, older: bool = False) -> None:
        """Count one transcript."""
        self.states[state] += 1
        self.older += older
        if state is not GateState.NOT_DUE:
            self.scenarios.add(scenario_id)

    @property
    def failed(self) -> int:
        """Transcripts with a hard fail."""
        return sum(self.states[state] for state in HARD_FAILS)

    def entry(self, family: Mapping[str, str], thresholds: Support) -> GateEntry:
        """The counts, and the rate of hard fails by the judge over the transcripts that were due."""
        counts = GateCounts.of(self.states)
        families = self.scenarios.families(family)
        found = rate(counts.failed, counts.due, 0, families, thresholds, exact=True)
        most = counts.failed + counts.undecided
        return GateEntry(
            **counts.model_dump(),
            n_families=families,
            rate=found.rate,
            low=found.low,
            high=found.high,
            exact_low=found.exact_low,
            exact_high=found.exact_high,
            upper_if_zero=None if counts.undecided else found.upper_if_zero,
            bounds=(counts.failed / counts.due, most / counts.due) if counts.due else None,
            high_with_undecided=rate_interval(most, counts.due)[1] if counts.due else None,
            support=support(counts.failed, counts.due, limits(thresholds), counts.undecided),
            older_questions=self.older,
        )


def gate_words(counts: GateCounts) -> str:
    """The counts of a gate in words: what the judge failed, of what was due, and what is undecided."""
    if not counts.due:
        return "not due on any transcript"
    first = f"{counts.failed_by_judge} of {counts.due} due failed by the judge"
    if counts.failed_by_person or counts.cleared_by_person:
        first += f", {counts.failed_by_person} failed and {counts.cleared_by_person} cleared by people"
    return f"{first}; {counts.contested} contested, {counts.incomplete} incomplete"
