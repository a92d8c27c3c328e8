"""The interval of a ratio of counts that come in clusters, such as turns of conversations of one family.

Korn and Graubard (1998), "Confidence Intervals for Proportions With Small Expected Number of Positive Counts
Estimated From Survey Data": the effective sample size is the sample size over the design effect, corrected
for the degrees of freedom, and takes the place of the sample size in an interval for a proportion. Here that
is that of all other rates. The design effect is the variance of the ratio estimator,
clustered (CR1), over that of independent cases; it is never taken to be below 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ib.stats.intervals import RATE_METHOD, rate_interval

METHOD = f"{RATE_METHOD} 95% interval on the effective n of Korn and Graubard, by scenario family (CR1)"
"""The method of `clustered_ratio` where a cluster is a scenario family."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """k of n, counted in clusters."""

    k: int
    n: int
    clusters: int
    """The clusters with at least one case."""
    effective_n: float
    low: float
    high: float


def clustered_ratio(counts: Sequence[tuple[int, int]], tests: int = 1) -> Ratio:
    """The ratio of the sums of (k, n), one pair for each cluster, and its 95% interval.

    If the ratio was chosen among several, `tests` is their number: the interval is then widened after
    Bonferroni, so that all of them hold together with 95% confidence.

    If all cases are alike, or if there is only one cluster, the design effect is not defined; then each
    cluster counts as one case. Raises ValueError if there is no case, or if a k is not between 0 and its n.
    """
    met = [(k, n) for k, n in counts if n or k]
    if not met or any(not 0 <= k <= n for k, n in met):
        raise ValueError(f"a ratio needs cases, and 0 <= k <= n in each cluster; found {list(counts)}")
    k, n, clusters = sum(k for k, _ in met), sum(n for _, n in met), len(met)
    effective = _effective_n(met, k, n, tests) if 0 < k < n and clusters > 1 else float(clusters)
    low, high = rate_interval(k / n * effective, effective, tests)
    return Ratio(k, n, clusters, effective, low, high)


def either_way(counts: Sequence[tuple[int, int, int]], tests: int = 1) -> tuple[float, float]:
    """The interval of a ratio if all undecided cases are no events, up to that if all are events.

    `counts` has (k, n, undecided) for each cluster; the undecided cases are not among the n. `tests` and
    errors are those of `clustered_ratio`.
    """
    low = clustered_ratio([(k, n + undecided) for k, n, undecided in counts], tests).low
    high = clustered_ratio([(k + undecided, n + undecided) for k, n, undecided in counts], tests).high
    return low, high


def _effective_n(met: Sequence[tuple[int, int]], k: int, n: int, tests: int) -> float:
    from scipy.special import stdtrit

    p, clusters = k / n, len(met)
    # n times the sum of squares, in whole numbers: exact, and the same in any order of the clusters.
    squares = sum((k_c * n - k * n_c) ** 2 for k_c, n_c in met) / n**2
    clustered = clusters / (clusters - 1) * squares / n**2
    independent = p * (1 - p) / (n - 1)
    level = 1 - 0.025 / tests
    lost = float(stdtrit(n - 1, level) / stdtrit(clusters - 1, level)) ** 2
    return n / max(1.0, clustered / independent) * lost
