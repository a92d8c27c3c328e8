"""The mean of scores over scenarios, with a standard error clustered by scenario family.

Miller (2024), "Adding Error Bars to Evals", arXiv 2411.00640, with the finite-cluster factor
C/(C-1) that Inspect AI uses (CR1). The interval is Student's t with C - 1 degrees of freedom.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

NO_SPREAD = 1e-12
"""A standard error below this is rounding noise."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of n values in `clusters` families.

    `se`, `low` and `high` are None with only one family, or if all families are equal, because an error
    of 0 would claim that the mean is certain.
    """

    mean: float
    n: int
    clusters: int
    se: float | None
    low: float | None
    high: float | None


def clustered_mean(
    values: Sequence[float], clusters: Sequence[str], alpha: float = 0.05, *, lowest: float = 0.0
) -> Mean:
    """The mean of scores in [lowest, 1]. `clusters` has the family of each score, in the same order.

    Differences of scores have -1 as their lowest value.

    Sums are exact (`math.fsum`, Shewchuk's algorithm) and rounded once, so the order of the values does not
    matter. Raises ValueError if there are no values, or not one cluster for each value.
    """
    from scipy.special import stdtrit

    if len(values) != len(clusters) or not values:
        raise ValueError("a mean needs at least one value, and one cluster for each value")
    n = len(values)
    mean = math.fsum(values) / n
    members: dict[str, list[float]] = defaultdict(list)
    for value, cluster in zip(values, clusters, strict=True):
        members[cluster].append(value - mean)
    count = len(members)
    if count < 2:
        return Mean(mean, n, count, None, None, None)
    squares = math.fsum(math.fsum(differences) ** 2 for differences in members.values())
    se = math.sqrt(count / (count - 1) * squares) / n
    if se < NO_SPREAD:
        return Mean(mean, n, count, None, None, None)
    reach = float(stdtrit(count - 1, 1 - alpha / 2)) * se
    return Mean(mean, n, count, se, max(lowest, mean - reach), min(1.0, mean + reach))
