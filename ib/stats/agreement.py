"""How far judges agree on the same questions.

Show the observed agreement, Cohen's kappa and Gwet's AC1 together. Kappa alone misleads if most cases have
the same verdict: it is near 0 although the judges agree on almost all of them (Feinstein, Cicchetti 1990).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ib.stats.intervals import rate_interval
from ib.stats.ratios import clustered_ratio


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


def agreement(
    pairs: Mapping[tuple[Verdict, Verdict], int], observed: tuple[float, float] | None = None
) -> Agreement:
    """The agreement of two judges. `pairs` has the number of cases for each pair of their verdicts.

    `observed` is the interval of the observed agreement, from which the others follow; by default that of
    independent cases.
    """
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
    ends = observed or (rate_interval(agreed, n) if n else (0.0, 1.0))
    return Agreement(
        n,
        agreed,
        kappa,
        None if for_ac1 is None else (agreed / n - for_ac1) / (1 - for_ac1),
        None if kappa is None else _corrected(ends, by_chance / (n * n)),
        None if for_ac1 is None else _corrected(ends, for_ac1),
    )


def clustered_agreement(cases: Iterable[tuple[str, Verdict, Verdict]]) -> Agreement:
    """The agreement of two judges on cases that come in clusters: (cluster, verdict, other verdict).

    The figures are those of `agreement`, with the interval of the observed agreement by
    `ib.stats.ratios.clustered_ratio`: cases of one cluster are alike and count for less.
    """
    pairs: Counter[tuple[Verdict, Verdict]] = Counter()
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for cluster, one, other in cases:
        pairs[one, other] += 1
        counts[cluster][0] += one == other
        counts[cluster][1] += 1
    if not pairs:
        return agreement(pairs)
    observed = clustered_ratio([(agreed, n) for agreed, n in counts.values()])
    return agreement(pairs, (observed.low, observed.high))


def alpha(cases: Iterable[Sequence[Verdict]]) -> float | None:
    """The alpha of Krippendorff (2004) for verdicts without an order: the agreement of any number of judges.

    A case has the verdicts of those who judged it; a case with fewer than two is left out. None if fewer than
    two verdicts occur among the others.
    """
    whole = [Counter(case) for case in cases if len(case) > 1]
    totals: Counter[Verdict] = Counter()
    for case in whole:
        totals.update(case)
    n = totals.total()
    by_chance = n * n - sum(count * count for count in totals.values())
    if not by_chance:
        return None
    apart = sum((c.total() ** 2 - sum(k * k for k in c.values())) / (c.total() - 1) for c in whole)
    return 1 - (n - 1) * apart / by_chance


def _chance_of_ac1(n: int, given: list[int]) -> float | None:
    """The chance agreement of Gwet's AC1; None if fewer than two verdicts occur.

    `given` has how often each verdict was given, by both judges together.
    """
    if len(given) < 2:
        return None
    shares = [count / (2 * n) for count in given]
    return sum(share * (1 - share) for share in sorted(shares)) / (len(given) - 1)


def _corrected(observed: tuple[float, float], by_chance: float) -> tuple[float, float]:
    """The ends of an agreement corrected for chance, from those of the observed agreement.

    None is below -1, which is the least that an agreement corrected for its own chance can be.
    """
    low, high = (max(-1.0, (end - by_chance) / (1 - by_chance)) for end in observed)
    return low, high
