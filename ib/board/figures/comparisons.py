"""Compare every two models of a release on the scenarios that both played."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations

from ib.models.common.base import GATE_BUCKETS, Bucket
from ib.models.release.comparisons import ComparedOnCheck, Comparison, PairedDifference
from ib.models.release.leaderboard import ModelEntry, ScenarioOfModel
from ib.models.scan.gates import CLEAR_ANSWERS, HARD_FAILS, GateState
from ib.models.scan.letters import DECIDED, FAILED, Letter
from ib.stats.means import clustered_mean
from ib.stats.paired import alike_interval, benjamini_hochberg, holm, mcnemar
from ib.stats.power import least_difference

_BOTH, _FIRST, _SECOND, _NEITHER = (True, True), (True, False), (False, True), (False, False)
_FAILED = {state: state in HARD_FAILS for state in CLEAR_ANSWERS}
"""The states of a gate that are a clear answer, and whether they are a failure."""
_NOT_DUE = frozenset((Letter.INELIGIBLE, Letter.SUPPRESSED, Letter.NOT_APPLICABLE))
_Cell = tuple[bool, bool]
"""Whether the first model failed, and whether the second did."""
_Open = tuple[bool | None, bool | None]
"""The same, with None for no clear answer in at least one place."""


@dataclass
class PairedTable:
    """The 2 x 2 table of two models in each scenario family."""

    families: dict[str, Counter[_Cell]] = field(default_factory=lambda: defaultdict(Counter))
    open: dict[str, Counter[_Open]] = field(default_factory=lambda: defaultdict(Counter))
    """The undecided cases by family."""

    def add(self, family: str, first: bool | None, second: bool | None) -> None:
        """Count one shared case. None stands for no clear answer."""
        if first is None or second is None:
            self.open[family][first, second] += 1
        else:
            self.families[family][first, second] += 1

    def merge(self, other: PairedTable) -> None:
        """Add the cases of another table of the same models."""
        for family, cells in other.families.items():
            self.families[family].update(cells)
        for family, open_ in other.open.items():
            self.open[family].update(open_)

    @property
    def cells(self) -> dict[str, int]:
        """The counts over all families, by the name of their field."""
        found = sum(self.families.values(), Counter[_Cell]())
        names = {"both": _BOTH, "only_first": _FIRST, "only_second": _SECOND, "neither": _NEITHER}
        return {name: found[cell] for name, cell in names.items()}

    @property
    def undecided(self) -> int:
        """The shared cases in which at least one model has no clear answer."""
        return sum(open_.total() for open_ in self.open.values())

    @property
    def net(self) -> Counter[str]:
        """By family, how many more failures the first model has than the second."""
        return Counter({name: cells[_FIRST] - cells[_SECOND] for name, cells in self.families.items()})

    @property
    def leaning(self) -> tuple[int, int]:
        """In how many families the first model failed more often, and in how many the second."""
        return _leaning(self.net)

    @property
    def p(self) -> float:
        """The exact p value of McNemar, with each family as one case."""
        return mcnemar(*self.leaning)

    @property
    def p_against(self) -> float:
        """The p value if every undecided case goes against the model that failed in more families.

        An answer of its is a pass and one of the other model is a failure, where they are not known. Returns
        1.0 if then no more families lean its way than the other.
        """
        first, second = self.leaning
        sign = 1 if first > second else -1
        net = self.net
        for family, open_ in self.open.items():
            for (one, other), count in open_.items():
                failed = (sign < 0 if one is None else one) - (sign > 0 if other is None else other)
                net[family] += count * failed
        found = _leaning(net)
        return mcnemar(*found) if sign * (found[0] - found[1]) > 0 else 1.0

    def difference(self, adjusted: float, against: float) -> PairedDifference:
        """The table with its difference, interval and test; the p values are after adjustment."""
        cases = [
            (float(first) - float(second), family)
            for family, cells in self.families.items()
            for (first, second), count in cells.items()
            for _ in range(count)
        ]
        values, families = [value for value, _ in cases], [family for _, family in cases]
        found = clustered_mean(values, families, lowest=-1.0) if cases else None
        ends: tuple[float | None, float | None] = (None, None)
        if found is not None:
            ends = (found.low, found.high)
            if found.se is None:
                ends = alike_interval(found.mean, found.clusters)
        first, second = self.leaning
        return PairedDifference(
            **self.cells,
            undecided=self.undecided,
            n_families=len(self.families),
            families_first=first,
            families_second=second,
            detectable=least_difference(len(self.families)),
            difference=found.mean if found else None,
            low=ends[0],
            high=ends[1],
            p=self.p,
            adjusted=adjusted,
            adjusted_against=against,
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
    gates: dict[Bucket, PairedTable] = field(default_factory=lambda: defaultdict(PairedTable))
    checks: dict[str, PairedTable] = field(default_factory=dict)
    """The checks with at least one case that both models have a clear answer to."""
    all_checks: PairedTable = field(default_factory=PairedTable)

    @classmethod
    def of(
        cls,
        first: _Played,
        second: _Played,
        checks: Sequence[str],
        phrases: Set[str],
        family: Mapping[str, str],
    ) -> _Pair:
        """Count every shared transcript of two models."""
        made = cls(first.model_id, second.model_id)
        tables = [PairedTable() for _ in checks]
        for key in sorted(first.transcripts.keys() & second.transcripts.keys(), key=str):
            one, other = first.transcripts[key], second.transcripts[key]
            made.shared += 1
            made._add_gates(one, other, family[one.scenario_id])
            for table, a, b in zip(tables, one.verdicts, other.verdicts, strict=True):
                if is_due(a) or is_due(b):
                    table.add(family[one.scenario_id], failed(a), failed(b))
        for check_id, table in zip(checks, tables, strict=True):
            if check_id not in phrases:
                made.all_checks.merge(table)
            if table.families:
                made.checks[check_id] = table
        return made

    def _add_gates(self, one: ScenarioOfModel, other: ScenarioOfModel, family: str) -> None:
        for gate in GATE_BUCKETS:
            states = (one.gates[gate].state, other.gates[gate].state)
            if set(states) != {GateState.NOT_DUE}:
                self.gates[gate].add(family, _FAILED.get(states[0]), _FAILED.get(states[1]))


def _leaning(net: Mapping[str, int]) -> tuple[int, int]:
    """In how many families the difference is above zero, and in how many below."""
    return sum(one > 0 for one in net.values()), sum(one < 0 for one in net.values())


def is_due(letter: str) -> bool:
    """True if a letter says that the check was due."""
    return letter not in _NOT_DUE


def failed(letter: str) -> bool | None:
    """Whether a letter is a failure. Returns None if it is no clear answer."""
    return letter in FAILED if letter in DECIDED else None


def phrase_checks(models: Iterable[ModelEntry], checks: Sequence[str]) -> Set[str]:
    """The checks for which only phrases were looked for in some transcript."""
    verdicts = (met.verdicts for model in models for met in model.scenarios)
    return {
        check_id
        for text in verdicts
        for check_id, one in zip(checks, text, strict=False)
        if one == Letter.NO_PHRASE
    }


def comparisons(
    models: Sequence[ModelEntry], checks: Sequence[str], family: Mapping[str, str]
) -> tuple[Comparison, ...]:
    """Every two models of a release, by their slugs in alphabetical order.

    `checks` are the ids of the letters of `ScenarioOfModel.verdicts`, in order, and `family` has the family
    of each scenario.
    """
    played = [_Played.of(model) for model in sorted(models, key=lambda model: model.slug)]
    phrases = phrase_checks(models, checks)
    pairs = [_Pair.of(first, second, checks, phrases, family) for first, second in combinations(played, 2)]
    gates = {gate: differences([pair.gates[gate] for pair in pairs]) for gate in GATE_BUCKETS}
    pooled = differences([pair.all_checks for pair in pairs])
    tested = [(at, check_id) for at, pair in enumerate(pairs) for check_id in pair.checks]
    q = dict(zip(tested, benjamini_hochberg([pairs[at].checks[c].p for at, c in tested]), strict=True))
    return tuple(
        Comparison(
            first=pair.first,
            second=pair.second,
            shared=pair.shared,
            gates={gate: gates[gate][at] for gate in GATE_BUCKETS},
            all_checks=pooled[at],
            checks=tuple(
                ComparedOnCheck(check_id=check_id, **table.cells, p=table.p, q=q[at, check_id])
                for check_id, table in pair.checks.items()
                if sum(table.cells.values()) > table.cells["neither"]
            ),
        )
        for at, pair in enumerate(pairs)
    )


def differences(tables: Sequence[PairedTable]) -> list[PairedDifference]:
    """Tables on one measure, of every pair of models or of draws, with p values after Holm."""
    adjusted = zip(holm([one.p for one in tables]), holm([one.p_against for one in tables]), strict=True)
    return [table.difference(*both) for table, both in zip(tables, adjusted, strict=True)]
