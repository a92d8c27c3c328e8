"""How far two judges agree on the same questions.

Show the observed agreement, Cohen's kappa and Gwet's AC1 together. Kappa alone misleads if most cases have
the same verdict: it is near 0 although the judges agree on almost all of them (Feinstein, Cicchetti 1990).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement on n cases."""

    n: int
    agreed: int
    kappa: float | None
    """Cohen (1960). None without a case, and if both judges gave one and the same verdict everywhere."""
    ac1: float | None
    """Gwet (2008), over the verdicts that occur. None if fewer than two occur."""


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
    return Agreement(n, agreed, kappa, _ac1(n, agreed, [first[v] + second[v] for v in occurring]))


def _ac1(n: int, agreed: int, given: list[int]) -> float | None:
    """Gwet's AC1. `given` has how often each verdict was given, by both judges together."""
    if len(given) < 2:
        return None
    shares = [count / (2 * n) for count in given]
    by_chance = sum(share * (1 - share) for share in sorted(shares)) / (len(given) - 1)
    return (agreed / n - by_chance) / (1 - by_chance)
