"""Draw the verdicts that people review. Each has a known probability of being drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ib.board.review.population import Case, Pattern, key_hash, shuffled
from ib.models.review.batch import Design, Draw, Purpose
from ib.models.review.reviews import RowKey

SEED = 16
"""How many digits of the hash of the results are the seed, if no seed is named."""
ITEM_ID = 16
"""The length of the id of an item, in hexadecimal digits."""
EVERYTHING = "all"
"""The only stratum of a uniform sample."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the population, and how many of its cases were drawn."""

    name: str
    population: int
    drawn: int

    @property
    def probability(self) -> float:
        """The probability of each case of the stratum to be drawn."""
        return self.drawn / self.population


@dataclass(frozen=True, slots=True)
class Drawn:
    """The cases of a batch in the order of reading, each with the name of its stratum."""

    cases: tuple[tuple[Case, str], ...]
    strata: Mapping[str, Stratum]

    @property
    def untouched(self) -> int:
        """How many strata have no drawn case, so that nothing can be said of them."""
        return sum(not stratum.drawn for stratum in self.strata.values())

    @property
    def keys(self) -> tuple[RowKey, ...]:
        """The rows that were drawn, in the order of reading."""
        return tuple(case.key for case, _ in self.cases)

    def probability(self, key: RowKey) -> float:
        """The inclusion probability of a drawn row. Raises KeyError for another row."""
        named = {case.key: stratum for case, stratum in self.cases}
        return self.strata[named[key]].probability


def gate_draw(results_hash: str) -> Draw:
    """The one draw that stage `public` asks for. Its seed follows from the results, so nobody can choose."""
    return Draw(purpose=Purpose.GATE, seed=own_seed(results_hash))


def own_seed(results_hash: str) -> str:
    """The seed of a draw for which no seed is named."""
    return results_hash[:SEED]


def item_id(key: RowKey, draw: Draw, results_hash: str) -> str:
    """The id of a row in a batch."""
    return key_hash(key, draw.seed, results_hash, "item")[:ITEM_ID]


def drawn(cases: Iterable[Case], draw: Draw, results_hash: str) -> Drawn:
    """Draw a batch. The same cases, in any order, give the same batch."""
    strata = strata_of(cases, draw, results_hash)
    sizes = {name: len(found) for name, found in strata.items()}
    wanted = wanted_of(sizes, draw)
    chosen = {
        name: shuffled(found, draw.seed, results_hash, "pick")[: wanted[name]]
        for name, found in strata.items()
    }
    named = {case.key: name for name, found in chosen.items() for case in found}
    taken = shuffled((case for found in chosen.values() for case in found), draw.seed, results_hash, "order")
    return Drawn(
        tuple((case, named[case.key]) for case in taken),
        {name: Stratum(name, sizes[name], wanted[name]) for name in sorted(strata)},
    )


def strata_of(
    cases: Iterable[Case], draw: Draw, results_hash: str, check_id: str | None = None
) -> dict[str, list[Case]]:
    """The population of a draw, by stratum. All cases of a stratum have the same probability to be drawn.

    `check_id` is the check of a disputed row that is not among the cases.
    """
    if draw.purpose is Purpose.DISPUTE:
        return _dispute_strata(tuple(cases), draw, results_hash, check_id)
    return _gate_strata(cases) if draw.purpose is Purpose.GATE else _strata(cases, draw)


def wanted_of(sizes: Mapping[str, int], draw: Draw) -> dict[str, int]:
    """How many of each stratum are drawn."""
    if draw.purpose is Purpose.DISPUTE:
        return {name: size if name == DISPUTED else min(BESIDE, size) for name, size in sizes.items()}
    return _gate_sizes(sizes) if draw.purpose is Purpose.GATE else shares(sizes, draw.n or 0)


DISPUTED = "disputed"
"""The stratum of the one verdict that is disputed."""
BESIDE = 4
"""How many other verdicts of the check are read with a disputed one: readers do not know which it is."""


def dispute_draw(key: RowKey, results_hash: str) -> Draw:
    """The one draw for a disputed row. Its seed follows from the results: nobody chooses the other rows."""
    seed = own_seed(results_hash)
    return Draw(purpose=Purpose.DISPUTE, seed=seed, disputed=_disputed(key, seed, results_hash))


def is_disputed(key: RowKey, draw: Draw, results_hash: str) -> bool:
    """True for the row that a draw for a dispute is about."""
    return draw.disputed == _disputed(key, draw.seed, results_hash)


def _disputed(key: RowKey, seed: str, results_hash: str) -> str:
    """Another hash than that of the item, so that a batch does not say which of its items is disputed."""
    return key_hash(key, seed, results_hash, "dispute")[:ITEM_ID]


def _dispute_strata(
    cases: Sequence[Case], draw: Draw, results_hash: str, check_id: str | None
) -> dict[str, list[Case]]:
    """The disputed row, and the other rows of its check. Empty if its check is not known."""
    mine = [case for case in cases if is_disputed(case.key, draw, results_hash)]
    check = mine[0].key[3] if mine else check_id
    others = [case for case in cases if case.key[3] == check and case not in mine]
    return {**({DISPUTED: mine} if mine else {}), **({"beside": others} if others else {})}


def _strata(cases: Iterable[Case], draw: Draw) -> dict[str, list[Case]]:
    found: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        found[_stratum(case, draw)].append(case)
    return dict(found)


def _stratum(case: Case, draw: Draw) -> str:
    if draw.design is Design.CHECKS:
        return case.key[3]
    return EVERYTHING if draw.design is Design.UNIFORM else case.stratum


OPEN = "open"
"""The stratum of gate verdicts that are all taken."""
_PASSES = "unanimous PASS of "


def passes_of(model_id: str) -> str:
    """The name of the stratum of a model's unanimous PASSes on gate checks."""
    return f"{_PASSES}{model_id}"


def _gate_strata(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """All open gate verdicts, and the unanimous PASSes of gate checks by model."""
    found: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.is_open:
            found[OPEN].append(case)
        elif case.gates and case.pattern is Pattern.UNANIMOUS_PASS:
            found[passes_of(case.key[0])].append(case)
    return dict(found)


def _gate_sizes(sizes: Mapping[str, int]) -> dict[str, int]:
    """Every open verdict, and as many PASSes, over all models alike.

    A scan without an open verdict still has one PASS of each model read.
    """
    passes = {name: size for name, size in sizes.items() if name != OPEN}
    wanted = max(sizes.get(OPEN, 0), len(passes))
    return {**({OPEN: sizes[OPEN]} if OPEN in sizes else {}), **shares(passes, wanted)}


def shares(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """Divide n over strata as equally as their sizes allow; what one cannot give, the others give.

    If n does not divide equally, strata that come first by name get one more. The sum is n, or all there is.
    """
    taken = dict.fromkeys(sorted(sizes), 0)
    left = min(n, sum(sizes.values()))
    while left:
        with_room = [name for name in taken if taken[name] < sizes[name]]
        each = max(1, left // len(with_room))
        for name in with_room:
            more = min(each, sizes[name] - taken[name], left)
            taken[name] += more
            left -= more
    return taken


def gate_keys(cases: Iterable[Case], results_hash: str) -> tuple[set[RowKey], set[RowKey]]:
    """The open rows that the batch for the gate asks about, and the unanimous PASSes in it."""
    found = drawn(cases, gate_draw(results_hash), results_hash)
    opened = {case.key for case, _ in found.cases if case.is_open}
    return opened, set(found.keys) - opened
