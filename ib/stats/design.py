"""What estimates from samples with known probabilities have in common: when there is none, and how clusters
widen an interval.

An interval adds squared distances (MOVER; Zou, Huang and Zhang 2009, "A note on confidence interval
estimation for a linear function of binomial proportions"). The distances of a stratum come from the interval
of its own proportion. A variance that is estimated from rare events is 0 where the sample has no event; the
distance of an interval for 0 of n is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ib.stats.intervals import Z95, rate_interval

Interval = Callable[[float, float], tuple[float, float]]
"""An interval for a proportion k/n; both may be effective numbers of cases."""
FEWEST_FAILURES = 5
"""With fewer sampled failures, there is no estimate."""
FEWEST_CLUSTERS = 2
"""With fewer clusters, nothing is known about how alike their members are."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rate, with its 95% interval."""

    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class NotEstimable:
    """There is no estimate, and why."""

    reason: str


def too_few(failures: int) -> NotEstimable | None:
    """The reason if there are too few sampled failures for an estimate; None if there are enough."""
    if failures >= FEWEST_FAILURES:
        return None
    return NotEstimable(f"{failures} sampled failures; {FEWEST_FAILURES} are needed")


def distances(k: float, n: float, interval: Interval = rate_interval) -> tuple[float, float]:
    """The squared distances from k/n to the lower and the upper end of its interval."""
    low, high = interval(k, n)
    return (k / n - low) ** 2, (high - k / n) ** 2


def added_by_clusters(
    rate: float, clustered: float, independent: float, clusters: int, interval: Interval = rate_interval
) -> tuple[float, float]:
    """The squared distances that clusters add to those of independent cases.

    `clustered` and `independent` are variances of the rate, with and without clusters. The distances are
    those of the interval of the rate on an effective number of cases: the number that gives the additional
    variance, with Student's quantile in place of the normal one.
    """
    from scipy.special import stdtrit

    additional = clustered - independent
    if additional <= 0 or not 0 < rate < 1:
        return 0.0, 0.0
    effective = rate * (1 - rate) / additional * (Z95 / float(stdtrit(clusters - 1, 0.975))) ** 2
    return distances(rate * effective, effective, interval)


def estimate(rate: float, below: float, above: float) -> Estimate:
    """The rate with its interval, from the sums of squared distances."""
    return Estimate(rate, max(0.0, rate - math.sqrt(below)), min(1.0, rate + math.sqrt(above)))
