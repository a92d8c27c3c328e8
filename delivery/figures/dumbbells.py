"""Two models in one picture: how often each failed the same conversations, and what is established of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from delivery.figures.compare import Pair, checks_of, phrases_only
from delivery.figures.lines import differs
from delivery.figures.strips import place
from delivery.release.view import Release, entries
from ib.board.figures.findings import SIGNIFICANT
from ib.models.benchmark.check import Check
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS, Bucket
from ib.models.release.comparisons import ComparedOnCheck, PairedCounts, PairedDifference
from ib.stats.intervals import rate_interval
from ib.store.files.wording import counted

MOST = 12
"""How many checks the picture shows at most; those that differ come first."""
UNDECIDED_MOST = 6
"""How many checks of which no difference is established the picture shows at most."""


@dataclass(frozen=True)
class Bell:
    """A gate or a check on the shared conversations in which both models have a clear answer."""

    name: str
    gate: Bucket | None
    check: Check | None
    table: PairedDifference | ComparedOnCheck
    differs: bool
    """True if a difference is established, by votes that answer the questions of today."""
    older: bool
    """True if a vote of one of the models answers an older wording."""

    @property
    def first(self) -> int:
        """The cases in which the first model failed."""
        return self.table.both + self.table.only_first

    @property
    def second(self) -> int:
        """The cases in which the second model failed."""
        return self.table.both + self.table.only_second

    @property
    def at_first(self) -> int:
        return place(self.first / self.table.n)

    @property
    def at_second(self) -> int:
        return place(self.second / self.table.n)

    @property
    def around_first(self) -> tuple[int, int]:
        """The ends of the 95% interval of the first model’s share, over these cases alone."""
        return self._around(self.first)

    @property
    def around_second(self) -> tuple[int, int]:
        """The same of the second model."""
        return self._around(self.second)

    def _around(self, failed: int) -> tuple[int, int]:
        low, high = rate_interval(failed, self.table.n)
        return place(low), place(high)


@dataclass(frozen=True)
class Bells:
    """The picture of a pair."""

    bells: tuple[Bell, ...]
    """Gates and checks with enough cases, the gates first, and then what differs."""
    verdict: str
    """What is established, in a few words."""


def bells(release: Release, pair: Pair) -> Bells:
    """The picture of two models and its verdict."""
    gates = [bell for bell in _gates(release, pair) if _is_enough(release, bell.table)]
    checks = [bell for bell in _checks(release, pair) if _is_enough(release, bell.table)]
    apart = [bell for bell in checks if bell.differs]
    others = [bell for bell in checks if not bell.differs and bell.table.only_first + bell.table.only_second]
    shown = (apart + others[:UNDECIDED_MOST])[:MOST]
    return Bells((*gates, *shown), _verdict(release, gates, checks))


def _is_enough(release: Release, table: PairedCounts) -> bool:
    return table.n >= release.benchmark.scoring.support.count_only_below


def _gates(release: Release, pair: Pair) -> Iterator[Bell]:
    for gate in GATE_BUCKETS:
        table = pair.comparison.gates[gate]
        older = any(model.gates[gate].older_questions for model in (pair.first, pair.second))
        yield Bell(f"{BUCKET_NAMES[gate]} gate", gate, None, table, differs(table) and not older, older)


def _checks(release: Release, pair: Pair) -> Iterator[Bell]:
    """The checks that were judged, in the order of `checks_of`."""
    phrases = phrases_only(release)
    sides = [entries(model) for model in (pair.first, pair.second)]
    for check, table in checks_of(release, pair):
        if check.id not in phrases:
            older = any(side[check.id].older_questions for side in sides if check.id in side)
            yield Bell(check.name, None, check, table, table.q < SIGNIFICANT and not older, older)


def _verdict(release: Release, gates: Sequence[Bell], checks: Sequence[Bell]) -> str:
    if not gates and not checks:
        return "Too few shared conversations to compare"
    where = _at_gates(bell.gate for bell in gates if bell.differs and bell.gate is not None)
    apart = sum(bell.differs for bell in checks)
    where += [f"in {counted(apart, 'check')}"] if apart else []
    if where:
        return f"Differ {' and '.join(where)}"
    board = release.board
    if board.older_questions and board.older_questions == board.voted_rows:
        return "No verdict: the votes answer an older wording"
    return "No difference established"


def _at_gates(gates: Iterable[Bucket]) -> list[str]:
    names = [BUCKET_NAMES[gate].lower() for gate in gates]
    if len(names) == len(GATE_BUCKETS):
        return ["at both gates"]
    return [f"at the {name} gate" for name in names]
