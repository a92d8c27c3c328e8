"""The supplementary measures of one model: rates of failures, and means."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ib.board.figures.rates import mean_score, rate
from ib.models.benchmark.scoring import Support
from ib.models.common.base import Verdict
from ib.models.conversation.scenario import ProbeKind, RubricKind
from ib.models.release.leaderboard import SupplementEntry
from ib.models.scan.rates import MeanScore, Rate
from ib.models.scan.supplement import Graded, Supplement

COORDINATION = ("handoff", "resources", "scope")
Families = Mapping[str, str]
Scored = list[tuple[float | None, str]]
"""Scores (None if undecided), each with its scenario."""


@dataclass
class _Counted:
    """The verdicts of one kind, and the scenarios with a PASS or a FAIL."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    scenarios: set[str] = field(default_factory=set)

    def add(self, verdict: Verdict, scenario_id: str) -> None:
        self.verdicts[verdict] += 1
        if verdict in (Verdict.PASS, Verdict.FAIL):
            self.scenarios.add(scenario_id)

    def rate(self, family: Families, thresholds: Support) -> Rate:
        k = self.verdicts[Verdict.FAIL]
        n = k + self.verdicts[Verdict.PASS]
        families = len({family[name] for name in self.scenarios})
        return rate(k, n, self.verdicts[Verdict.UNCLEAR], families, thresholds)


class SupplementTally:
    """Counts the supplementary measures of one model, one transcript at a time. Rates count failures."""

    def __init__(self) -> None:
        self._measured = False
        self._probes = {kind: _Counted() for kind in ProbeKind}
        self._items = {name: _Counted() for name in COORDINATION}
        self._regard: dict[str, Scored] = defaultdict(list)
        self._rubrics: Scored = []
        self._autofails = _Counted()

    def add(self, supplement: Supplement) -> None:
        """Count the measures of one transcript."""
        self._measured = True
        scenario_id = supplement.scenario_id
        for probe in supplement.memory:
            self._probes[probe.kind].add(Verdict.PASS if probe.passed else Verdict.FAIL, scenario_id)
        for item in supplement.coordination:
            self._items[item.id].add(item.verdict, scenario_id)
        for name, share in _regard(supplement.regard):
            self._regard[name].append((share, scenario_id))
        if supplement.rubrics:
            self._rubrics.append((_points(supplement.rubrics), scenario_id))
        for graded in supplement.rubrics:
            if graded.kind is RubricKind.AUTOFAIL:
                self._autofails.add(_autofail(graded), scenario_id)

    def entry(self, family: Families, thresholds: Support) -> SupplementEntry | None:
        """The entry for the leaderboard. Returns None if nothing was measured."""
        if not self._measured:
            return None
        return SupplementEntry(
            memory={kind: found.rate(family, thresholds) for kind, found in self._probes.items()},
            coordination={name: found.rate(family, thresholds) for name, found in self._items.items()},
            regard={name: _mean(scored, family) for name, scored in self._regard.items()},
            rubric=_mean(self._rubrics, family) if self._rubrics else None,
            autofails=self._autofails.rate(family, thresholds) if self._autofails.verdicts else None,
        )


def _mean(scored: Scored, family: Families) -> MeanScore:
    return mean_score([(value, family[scenario_id]) for value, scenario_id in scored])


def _regard(graded: Sequence[Graded]) -> list[tuple[str, float | None]]:
    """The share of the highest level for each aspect of regard, and their mean.

    The mean is None unless every aspect is decided, because means over different aspects are not comparable.
    """
    if not graded:
        return []
    sides = [(one.id.removeprefix("regard."), one.share) for one in graded]
    known = [share for _, share in sides if share is not None]
    whole = sum(known) / len(known) if len(known) == len(sides) else None
    return [*sides, ("mean", whole)]


def _points(rubrics: Sequence[Graded]) -> float | None:
    """The weighted share of rubric points. Returns None unless every rubric is decided."""
    known = [(graded.share, graded.weight) for graded in rubrics if graded.share is not None]
    if not known or len(known) < len(rubrics):
        return None
    return sum(share * weight for share, weight in known) / sum(weight for _, weight in known)


def _autofail(graded: Graded) -> Verdict:
    """FAIL if the autofail occurred, PASS if it did not, UNCLEAR if it is undecided."""
    if graded.level is None:
        return Verdict.UNCLEAR
    return Verdict.FAIL if graded.level == 1 else Verdict.PASS
