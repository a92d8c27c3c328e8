"""How far two judges agree on the same questions.

Show the observed agreement, Cohen's kappa and Gwet's AC1 together. Kappa alone misleads if most cases have
the same verdict: it is near 0 although the judges agree on almost all of them (Feinstein, Cicchetti 1990).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from ib.stats.intervals import rate_interval


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement on n cases."""

    n: int
    agreed: int
    kappa: float | None
    """Cohen (1960). None without a case, and if both judges gave one and the same verdict everywhere."""
    ac1: float | None
    """Gwet (2008), over the verdicts that occur. None if fewer than two occur."""
    kappa_interval: tuple[float, float] | None = None
    """95 % interval of kappa; None where kappa is None.

    The interval of the observed agreement, corrected for the observed agreement by chance as kappa
    is. Like the interval of Cohen (1960), it treats the agreement by chance as known. It does not shrink to
    a point if the judges agree everywhere.
    """
    ac1_interval: tuple[float, float] | None = None
    """The same for AC1."""


Verdict = TypeVar("Verdict", bound=Hashable)


def agreement(pairs: Mapping[tuple[Verdict, Verdict], int]) -> Agreement:
    """The agreement of two judges. `pairs` has the number of cases for each pair of their verdicts."""
    first: Counter[Verdict] = Counter()
    second: Counter[Verdict] = Counter()
    for (one, other), count in pairs.items():
        first[one] += count
        second[other] += count
    n = first.total()
    agreed = sum(count for (one, other), count in pairs.items() if one == other)
    occurring = {verdict for verdict, count in (first + second).items() if count}
    by_chance = sum(first[verdict] * second[verdict] for verdict in occurring)
    kappa = None if by_chance == n * n else (n * agreed - by_chance) / (n * n - by_chance)
    for_ac1 = _chance_of_ac1(n, [first[v] + second[v] for v in occurring])
    return Agreement(
        n,
        agreed,
        kappa,
        None if for_ac1 is None else (agreed / n - for_ac1) / (1 - for_ac1),
        None if kappa is None else _interval(n, agreed, by_chance / (n * n)),
        None if for_ac1 is None else _interval(n, agreed, for_ac1),
    )


def _chance_of_ac1(n: int, given: list[int]) -> float | None:
    """The chance agreement of Gwet's AC1; None if fewer than two verdicts occur.

    `given` has how often each verdict was given, by both judges together.
    """
    if len(given) < 2:
        return None
    shares = [count / (2 * n) for count in given]
    return sum(share * (1 - share) for share in sorted(shares)) / (len(given) - 1)


def _interval(n: int, agreed: int, by_chance: float) -> tuple[float, float]:
    """The interval of an agreement that is corrected for chance."""
    low, high = ((observed - by_chance) / (1 - by_chance) for observed in rate_interval(agreed, n))
    return low, high
