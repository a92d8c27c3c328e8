"""Compare every two models of a release on the scenarios that both played."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ib.models.base import GATE_BUCKETS, Bucket
from ib.models.comparisons import ComparedOnCheck, Comparison, PairedDifference
from ib.models.gates import GateState
from ib.models.leaderboard import ModelEntry, ScenarioOfModel
from ib.models.letters import DECIDED, FAILED, Letter
from ib.stats.means import clustered_mean
from ib.stats.multiple import benjamini_hochberg, holm
from ib.stats.paired import mcnemar

_BOTH, _FIRST, _SECOND, _NEITHER = (True, True), (True, False), (False, True), (False, False)
_FAILED = {GateState.CONFIRMED: True, GateState.CLEAR: False}
"""The states of a gate that are a clear answer, and whether they are a failure."""
_NOT_DUE = frozenset((Letter.INELIGIBLE, Letter.SUPPRESSED))
_Cell = tuple[bool, bool]
"""Whether the first model failed, and whether the second did."""


@dataclass
class _Table:
    """The 2 x 2 table of two models in each scenario family."""

    families: dict[str, Counter[_Cell]] = field(default_factory=lambda: defaultdict(Counter))
    undecided: int = 0

    def add(self, family: str, first: bool | None, second: bool | None) -> None:
        """Count one shared case. None stands for no clear answer."""
        if first is None or second is None:
            self.undecided += 1
        else:
            self.families[family][first, second] += 1

    def merge(self, other: _Table) -> None:
        """Add the cases of another table of the same models."""
        for family, cells in other.families.items():
            self.families[family].update(cells)
        self.undecided += other.undecided

    @property
    def cells(self) -> dict[str, int]:
        """The counts over all families, by the name of their field."""
        found = sum(self.families.values(), Counter[_Cell]())
        names = {"both": _BOTH, "only_first": _FIRST, "only_second": _SECOND, "neither": _NEITHER}
        return {name: found[cell] for name, cell in names.items()}

    @property
    def leaning(self) -> tuple[int, int]:
        """In how many families the first model failed more often, and in how many the second."""
        net = [cells[_FIRST] - cells[_SECOND] for cells in self.families.values()]
        return sum(one > 0 for one in net), sum(one < 0 for one in net)

    @property
    def p(self) -> float:
        """The exact p value of McNemar, with each family as one case."""
        return mcnemar(*self.leaning)

    def difference(self, adjusted: float) -> PairedDifference:
        """The table with its difference, interval and test."""
        cases = [
            (float(first) - float(second), family)
            for family, cells in self.families.items()
            for (first, second), count in cells.items()
            for _ in range(count)
        ]
        values, families = [value for value, _ in cases], [family for _, family in cases]
        found = clustered_mean(values, families, lowest=-1.0) if cases else None
        first, second = self.leaning
        return PairedDifference(
            **self.cells,
            undecided=self.undecided,
            n_families=len(self.families),
            families_first=first,
            families_second=second,
            difference=found.mean if found else None,
            low=found.low if found else None,
            high=found.high if found else None,
            p=self.p,
            adjusted=adjusted,
        )


@dataclass(frozen=True)
class _Played:
    """The transcripts of a model, by scenario and epoch."""

    model_id: str
    transcripts: Mapping[tuple[str, int | None], ScenarioOfModel]

    @classmethod
    def of(cls, model: ModelEntry) -> _Played:
        return cls(model.model_id, {(met.scenario_id, met.epoch): met for met in model.scenarios})


@dataclass
class _Pair:
    """Two models with their tables."""

    first: str
    second: str
    shared: int = 0
    gates: dict[Bucket, _Table] = field(default_factory=lambda: defaultdict(_Table))
    checks: dict[str, _Table] = field(default_factory=dict)
    """The checks with at least one case that both models have a clear answer to."""
    all_checks: _Table = field(default_factory=_Table)

    @classmethod
    def of(cls, first: _Played, second: _Played, checks: Sequence[str], family: Mapping[str, str]) -> _Pair:
        """Count every shared transcript of two models."""
        made = cls(first.model_id, second.model_id)
        tables = [_Table() for _ in checks]
        for key in sorted(first.transcripts.keys() & second.transcripts.keys(), key=str):
            one, other = first.transcripts[key], second.transcripts[key]
            made.shared += 1
            made._add_gates(one, other, family[one.scenario_id])
            for table, a, b in zip(tables, one.verdicts, other.verdicts, strict=True):
                if _is_due(a) or _is_due(b):
                    table.add(family[one.scenario_id], _failed(a), _failed(b))
        for check_id, table in zip(checks, tables, strict=True):
            made.all_checks.merge(table)
            if table.families:
                made.checks[check_id] = table
        return made

    def _add_gates(self, one: ScenarioOfModel, other: ScenarioOfModel, family: str) -> None:
        for gate in GATE_BUCKETS:
            states = (one.gates[gate].state, other.gates[gate].state)
            if set(states) != {GateState.NOT_DUE}:
                self.gates[gate].add(family, _FAILED.get(states[0]), _FAILED.get(states[1]))


def _is_due(letter: str) -> bool:
    return letter not in _NOT_DUE


def _failed(letter: str) -> bool | None:
    """Whether a letter is a failure. Returns None if it is no clear answer."""
    return letter in FAILED if letter in DECIDED else None


def comparisons(
    models: Iterable[ModelEntry], checks: Sequence[str], family: Mapping[str, str]
) -> tuple[Comparison, ...]:
    """Every two models of a release, by their slugs in alphabetical order.

    `checks` are the ids of the letters of `ScenarioOfModel.verdicts`, in order, and `family` has the family
    of each scenario.
    """
    played = [_Played.of(model) for model in sorted(models, key=lambda model: model.slug)]
    pairs = [_Pair.of(first, second, checks, family) for first, second in combinations(played, 2)]
    gates = {gate: holm([pair.gates[gate].p for pair in pairs]) for gate in GATE_BUCKETS}
    pooled = holm([pair.all_checks.p for pair in pairs])
    tested = [(at, check_id) for at, pair in enumerate(pairs) for check_id in pair.checks]
    q = dict(zip(tested, benjamini_hochberg([pairs[at].checks[c].p for at, c in tested]), strict=True))
    return tuple(
        Comparison(
            first=pair.first,
            second=pair.second,
            shared=pair.shared,
            gates={gate: pair.gates[gate].difference(gates[gate][at]) for gate in GATE_BUCKETS},
            all_checks=pair.all_checks.difference(pooled[at]),
            checks=tuple(
                ComparedOnCheck(check_id=check_id, **table.cells, p=table.p, q=q[at, check_id])
                for check_id, table in pair.checks.items()
                if sum(table.cells.values()) > table.cells["neither"]
            ),
        )
        for at, pair in enumerate(pairs)
    )
