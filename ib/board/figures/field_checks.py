"""Each check over all models of a release, and which checks have enough cases for a finding."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from ib.models.release.leaderboard import Leaderboard
from ib.models.scan.letters import DECIDED, FAILED, Letter

ENOUGH_CASES = 30
"""The least number of cases of a finding; with fewer, the support flag of a rate is `low_power`."""
ENOUGH_FAMILIES = 10
"""The least number of scenario families of a finding about all scenarios."""
DECIDED_SHARE = 0.8
"""The least share of the due cases with a clear answer in a finding. A check that is decided only where a
phrase is found fails in all decided cases."""

_FAILED = frozenset({Letter.FAIL})
_CONTESTED = frozenset({Letter.CONTESTED})
_UNDECIDED = frozenset({Letter.UNCLEAR, Letter.NOT_RUN, Letter.FOUND})


@dataclass
class FieldCheck:
    """One check over all models."""

    check_id: str
    gates: bool
    families: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """The letters of the cases of each family."""
    models: int = 0
    """The models with a clear answer."""
    models_failed: int = 0
    """The models with a failure that is not contested."""

    @property
    def k(self) -> int:
        """Failures, contested ones included."""
        return self._count(FAILED)

    @property
    def contested(self) -> int:
        """Contested failures."""
        return self._count(_CONTESTED)

    @property
    def n(self) -> int:
        """Cases with a clear answer."""
        return self._count(DECIDED)

    @property
    def failed_share(self) -> float:
        """The share of failures that are not contested, of the cases with a clear answer."""
        return (self.k - self.contested) / self.n if self.n else 0.0

    @property
    def undecided(self) -> int:
        """Cases that should have a clear answer and have none."""
        return self._count(_UNDECIDED)

    @property
    def n_families(self) -> int:
        """The families with a clear answer."""
        return sum(not DECIDED.isdisjoint(letters) for letters in self.families.values())

    @property
    def due_families(self) -> int:
        """The families with a case that has a clear answer or should have one."""
        return sum(not (DECIDED | _UNDECIDED).isdisjoint(letters) for letters in self.families.values())

    @property
    def open_families(self) -> int:
        """The families with an undecided case."""
        return sum(not _UNDECIDED.isdisjoint(letters) for letters in self.families.values())

    @property
    def rows(self) -> list[tuple[int, int, int]]:
        """Failures, answers and undecided cases of each family; a contested failure is undecided here."""
        return [
            (
                _of(letters, _FAILED),
                _of(letters, DECIDED - _CONTESTED),
                _of(letters, _UNDECIDED | _CONTESTED),
            )
            for letters in self.families.values()
        ]

    @property
    def is_enough(self) -> bool:
        """True if there are enough cases and families, most cases have a clear answer, and not only phrases
        were looked for."""
        many = self.n >= ENOUGH_CASES and self.n_families >= ENOUGH_FAMILIES
        return many and mostly_decided(self.n, self.undecided) and not self._count({Letter.NO_PHRASE})

    def add(self, letters: Iterable[tuple[str, str]]) -> None:
        """Count the letters of one model, each with the family of its scenario."""
        seen = set()
        for family, letter in letters:
            seen.add(letter)
            self.families[family][letter] += 1
        self.models += not DECIDED.isdisjoint(seen)
        self.models_failed += not _FAILED.isdisjoint(seen)

    def _count(self, letters: Set[str]) -> int:
        return sum(_of(found, letters) for found in self.families.values())


def enough(board: Leaderboard) -> list[FieldCheck]:
    """The checks of `over_models` with enough cases and families.

    Checks for which only phrases were looked for are left out: they say nothing of failures in other words.
    """
    return [one for one in over_models(board) if one.is_enough]


def over_models(board: Leaderboard) -> list[FieldCheck]:
    """Each check over all models. Checks with a verdict on an older wording are left out."""
    family = families(board)
    made = [FieldCheck(one.check_id, one.gate is not None) for one in board.checks]
    for model in board.models:
        places = [family[met.scenario_id] for met in model.scenarios]
        columns = zip(*(met.verdicts for met in model.scenarios), strict=True)
        for check, letters in zip(made, columns, strict=False):
            check.add(zip(places, letters, strict=True))
    older = {check.check_id for check in board.checks if check.older_questions}
    return [one for one in made if one.check_id not in older]


def families(board: Leaderboard) -> dict[str, str]:
    """The family of each scenario."""
    return {scenario.scenario_id: scenario.family for scenario in board.scenarios}


def mostly_decided(n: int, undecided: int) -> bool:
    """True if most of the due cases have a clear answer."""
    return n >= DECIDED_SHARE * (n + undecided)


def _of(letters: Counter[str], wanted: Set[str]) -> int:
    return sum(letters[letter] for letter in wanted)
