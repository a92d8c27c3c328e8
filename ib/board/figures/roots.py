"""Failures with one root: FAIL rows of one transcript about the same words, or of kinds that go together.

A headline counts roots, so that one bad sentence is not counted once for each check that it fails. Rates and
tables count rows. A gate check and a quality check are never joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import FailureKind
from ib.models.common.base import Role, Verdict
from ib.models.release.findings import Roots
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.result import VerdictResult


def joined(rows: Iterable[VerdictResult], benchmark: Benchmark) -> tuple[tuple[str, ...], ...]:
    """The failed checks of one transcript that have one root, in groups of two or more."""
    fails = [row for row in rows if row.verdict is Verdict.FAIL]
    groups = {row.mode_id: [row.mode_id] for row in fails}
    for one, other in combinations(fails, 2):
        here, there = groups[one.mode_id], groups[other.mode_id]
        if here is not there and _share_a_root(one, other, benchmark):
            here += there
            groups.update(dict.fromkeys(there, here))
    order = {row.mode_id: place for place, row in enumerate(fails)}
    found = {id(group): tuple(sorted(group, key=order.__getitem__)) for group in groups.values()}
    return tuple(sorted((g for g in found.values() if len(g) > 1), key=lambda group: order[group[0]]))


def _share_a_root(one: VerdictResult, other: VerdictResult, benchmark: Benchmark) -> bool:
    """True if two FAIL rows of one transcript have one root."""
    if (one.gate is None) is not (other.gate is None):
        return False
    ids = {one.mode_id, other.mode_id}
    if any(set(pair.checks) == ids for pair in benchmark.scoring.one_root):
        return bool(_turns(one) & _turns(other))
    said = all(benchmark.checks[check_id].failure is FailureKind.SAID for check_id in ids)
    return said and any(_overlap(a, b) for a in _quotes(one) for b in _quotes(other))


def _quotes(row: VerdictResult) -> Sequence[EvidenceSpan]:
    return [span for span in row.evidence if span.role is Role.ASSISTANT]


def _turns(row: VerdictResult) -> set[int]:
    return {span.turn for span in _quotes(row)}


def _overlap(one: EvidenceSpan, other: EvidenceSpan) -> bool:
    """True if two quotes have at least one character of a message in common."""
    return one.turn == other.turn and max(one.start, other.start) < min(one.end, other.end)


@dataclass
class RootTally:
    """Counts the failures of a model, and their roots."""

    failures: list[int] = field(default_factory=lambda: [0, 0])
    """Of gate checks, and of quality checks."""
    roots: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, rows: Iterable[VerdictResult], groups: Iterable[tuple[str, ...]]) -> None:
        """Count the FAIL rows of one transcript; `groups` are those with one root."""
        quality = {row.mode_id: int(row.gate is None) for row in rows if row.verdict is Verdict.FAIL}
        for kind in quality.values():
            self.failures[kind] += 1
            self.roots[kind] += 1
        for group in groups:
            self.roots[quality[group[0]]] -= len(group) - 1

    def entry(self) -> Roots:
        """The counts."""
        return Roots(
            gate_failures=self.failures[0],
            gate_roots=self.roots[0],
            quality_failures=self.failures[1],
            quality_roots=self.roots[1],
        )
