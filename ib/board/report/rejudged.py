"""Counting verdicts of a release beside verdicts of today on the same conversations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from ib.board.figures.comparisons import PairedTable, differences, failed, is_due
from ib.board.figures.contrasts import Families
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.wording import wording_hash
from ib.models.common.base import GATE_BUCKETS
from ib.models.common.reason import Reason
from ib.models.report.rejudged import Agreement, ChangedQuestion, Drift, DriftOfCheck, HowChanged, Turned
from ib.models.scan.letters import Letter, letter
from ib.models.scan.result import Scorer, TranscriptResult, VerdictResult
from ib.stats.ratios import clustered_ratio

_TABLE, _NOT_COUNTED = "answered", ("agreement",)
COUNTS = tuple(name for name in Drift.model_fields if name not in (_TABLE, *_NOT_COUNTED))
"""The counts beside the table."""


@dataclass
class DriftTally:
    """The verdicts of both times, added conversation by conversation."""

    checks: Collection[str]
    """The checks that were asked both times."""
    families: Families = field(default_factory=Families)
    pairs: list[tuple[str, str, VerdictResult, VerdictResult]] = field(default_factory=list)
    """Scenario, check, the row of the release, and the row of today, where the check was due."""
    turned: list[Turned] = field(default_factory=list)

    def add(self, before: TranscriptResult, now: TranscriptResult) -> None:
        """Count one conversation. Raises ValueError for two different ones."""
        if before.key != now.key:
            raise ValueError(f"the verdicts are on {before.key} and on {now.key}")
        self.families.add(before)
        rows = {row.mode_id: row for row in now.rows}
        for row in before.rows:
            if row.mode_id not in self.checks or not (_due(row) or _due(rows[row.mode_id])):
                continue
            other = rows[row.mode_id]
            self.pairs.append((before.scenario_id, row.mode_id, row, other))
            if _counts(row, other) and {_failed(row), _failed(other)} == {True, False}:
                self.turned.append(_turned(before, row, other))

    def drifts(self, benchmark: Benchmark) -> tuple[Drift, tuple[DriftOfCheck, ...]]:
        """The drift of all checks together, and of each check, in the order of the benchmark."""
        family = self.families.names()
        counts: dict[str, _Counts] = defaultdict(_Counts)
        for scenario, check_id, row, other in self.pairs:
            counts[check_id].add(family[scenario], row, other)
        names = [name for name in benchmark.checks if name in counts]
        every = _Counts()
        for name in names:
            every.merge(counts[name])
        (together,) = every.drifts([every])
        each = every.drifts([counts[name] for name in names])
        gates = {name: benchmark.checks[name].bucket in GATE_BUCKETS for name in names}
        return Drift(**together), tuple(
            DriftOfCheck(check_id=name, gate=gates[name], **told)
            for name, told in zip(names, each, strict=True)
        )


def changed_questions(
    then: Benchmark, today: Benchmark, checks: Collection[str]
) -> Iterator[ChangedQuestion]:
    """The checks whose questions differ between the benchmark of a release and another one."""
    for name in (name for name in then.checks if name in checks):
        if name not in today.checks:
            yield ChangedQuestion(check_id=name, how=HowChanged.GONE)
        elif wording_hash(then.checks[name], then) != wording_hash(today.checks[name], today):
            yield ChangedQuestion(check_id=name, how=HowChanged.WORDING)


@dataclass
class _Counts:
    """The counts of one check, or of all."""

    table: PairedTable = field(default_factory=PairedTable)
    told: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))

    def add(self, family: str, row: VerdictResult, other: VerdictResult) -> None:
        if not _counts(row, other):
            older = row.older_question or other.older_question
            self.told["older_questions" if older else "without_judge"] += 1
            return
        before, now = _failed(row), _failed(other)
        self.table.add(family, now, before)
        self.told["undecided_both"] += before is None and now is None
        self.told["undecided_before"] += before is None and now is not None
        self.told["undecided_now"] += now is None and before is not None
        self.told["refused_before"] += row.reason is Reason.REFUSED
        self.told["refused_now"] += other.reason is Reason.REFUSED

    def merge(self, other: _Counts) -> None:
        """Add the counts of another check."""
        self.table.merge(other.table)
        for name, count in other.told.items():
            self.told[name] += count

    @staticmethod
    def drifts(counts: list[_Counts]) -> list[dict[str, Any]]:
        """The fields of `Drift` of each, with p values after Holm over those with a case."""
        tested = [one.table for one in counts if one.table.families]
        adjusted = dict(zip(map(id, tested), differences(tested), strict=True))
        return [
            {
                _TABLE: adjusted.get(id(one.table)) or one.table.difference(1.0, 1.0),
                "agreement": _agreement(one.table),
                **one.told,
            }
            for one in counts
        ]


def _agreement(table: PairedTable) -> Agreement:
    """How often both verdicts are equal."""
    counts = [
        (sum(count for (now, before), count in cells.items() if now is before), cells.total())
        for cells in table.families.values()
    ]
    k, n = sum(k for k, _ in counts), sum(n for _, n in counts)
    if not n:
        return Agreement(k=0, n=0, share=None, low=None, high=None)
    found = clustered_ratio(counts)
    return Agreement(k=k, n=n, share=k / n, low=found.low, high=found.high)


def _due(row: VerdictResult) -> bool:
    return is_due(letter(row))


def _failed(row: VerdictResult) -> bool | None:
    """Whether the judge found the failure; None if it gave no clear answer, or only phrases were sought."""
    found = letter(row)
    return None if found is Letter.NO_PHRASE else failed(found)


def _counts(row: VerdictResult, other: VerdictResult) -> bool:
    """True if a judge was asked the same question both times, or should have been."""
    decided = {row.scorer, other.scorer}
    older = row.older_question or other.older_question
    return not (older or decided <= {Scorer.RULE, Scorer.LEXICON})


def _turned(result: TranscriptResult, row: VerdictResult, other: VerdictResult) -> Turned:
    assert row.verdict is not None
    assert other.verdict is not None
    return Turned(
        model_id=result.model_id,
        scenario_id=result.scenario_id,
        epoch=result.epoch,
        check_id=row.mode_id,
        before=row.verdict,
        now=other.verdict,
    )
