"""Comparing two judges: their agreement on the sample, and what would change if the second one decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ib.engine.second import ChangedRow, Compared
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.scoring import Support
from ib.models.common.base import Verdict
from ib.models.scan.second import (
    ComparedCheck,
    ComparedJudges,
    JudgeAgreement,
    SecondJudging,
    SecondOpinion,
    SecondPlan,
)
from ib.stats.agreement import agreement
from ib.stats.intervals import rate_interval
from ib.stats.support import Flag, Thresholds, support


@dataclass
class _Counts:
    """The counts of one check, or of all checks."""

    questions: int = 0
    unanswered: int = 0
    pairs: Counter[tuple[Verdict, Verdict]] = field(default_factory=Counter)
    """The verdicts of both judges on the questions of the sample."""
    gate_fails: Counter[Verdict] = field(default_factory=Counter)
    """The second judge's verdicts on the gate FAILs of the first."""
    rows: Counter[tuple[Verdict, Verdict]] = field(default_factory=Counter)

    def add(self, opinion: SecondOpinion) -> None:
        self.questions += 1
        if opinion.second is None:
            self.unanswered += 1
            return
        if opinion.sampled:
            self.pairs[opinion.first, opinion.second] += 1
        if opinion.gate_fail:
            self.gate_fails[opinion.second] += 1

    def add_row(self, row: ChangedRow) -> None:
        self.rows[row.first, row.second] += 1

    def fields(self, thresholds: Support) -> dict[str, Any]:
        """The fields of `ComparedJudges`."""
        changed = {pair: count for pair, count in self.rows.items() if pair[0] is not pair[1]}
        return {
            "questions": self.questions,
            "unanswered": self.unanswered,
            "agreement": _agreement(self.pairs, thresholds),
            "rows": self.rows.total(),
            "rows_changed": sum(changed.values()),
            "fails_removed": sum(n for (first, _), n in changed.items() if first is Verdict.FAIL),
            "fails_added": sum(n for (_, second), n in changed.items() if second is Verdict.FAIL),
            "gate_fails": self.gate_fails.total(),
            "gate_fails_not_shared": self.gate_fails.total() - self.gate_fails[Verdict.FAIL],
        }


def _agreement(pairs: Mapping[tuple[Verdict, Verdict], int], thresholds: Support) -> JudgeAgreement:
    found = agreement(pairs)
    limits = Thresholds(thresholds.count_only_below, thresholds.low_power_below, thresholds.wide_from)
    flags = tuple(f for f in support(found.agreed, found.n, limits) if f is not Flag.ZERO_EVENTS)
    low, high = rate_interval(found.agreed, found.n) if found.n else (None, None)
    shown = found.n > 0 and Flag.COUNT_ONLY not in flags
    return JudgeAgreement(
        n=found.n,
        agreed=found.agreed,
        rate=found.agreed / found.n if shown else None,
        low=low,
        high=high,
        kappa=found.kappa if shown else None,
        ac1=found.ac1 if shown else None,
        support=flags or (Flag.OK,),
    )


class SecondTally:
    """Counts the answers of a second judge, one transcript at a time."""

    def __init__(self) -> None:
        self._all = _Counts()
        self._checks: dict[str, _Counts] = {}

    def add(self, compared: Compared) -> None:
        """Count one transcript."""
        for opinion in compared.opinions:
            for counts in (self._all, self._of(opinion.check_id)):
                counts.add(opinion)
        for row in compared.rows:
            for counts in (self._all, self._of(row.check_id)):
                counts.add_row(row)

    def _of(self, check_id: str) -> _Counts:
        return self._checks.setdefault(check_id, _Counts())

    def entry(self, plan: SecondPlan, benchmark: Benchmark) -> SecondJudging:
        """The entry of the leaderboard, with the checks in the order of the benchmark."""
        thresholds = benchmark.scoring.support
        return SecondJudging(
            judge=plan.judge,
            share=plan.share,
            all_checks=ComparedJudges(**self._all.fields(thresholds)),
            checks=tuple(
                ComparedCheck(check_id=check_id, **self._checks[check_id].fields(thresholds))
                for check_id in benchmark.checks
                if check_id in self._checks
            ),
        )
