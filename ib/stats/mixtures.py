"""The interval of a mean of scores of which some are zero: a share of zeros, and the mean of the others.

Student's t is wrong for such a mean when zeros are rare: a sample with no zero, or with one, has too small a
standard error and does not say so. The mean is (1 - share of zeros) times the mean of the other scores. The
share has the interval of `clustered_ratio`, whose upper end is above zero if no zero was seen; the mean of
the others has that of `clustered_mean`. The low end of the product multiplies both low ends, and the high end
both high ends, so that it holds however the two hang together. `python -m benchmarks.means` measures it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ib.stats.intervals import RATE_METHOD
from ib.stats.means import Mean, clustered_mean
from ib.stats.paired import alike_interval
from ib.stats.ratios import clustered_ratio

METHOD = (
    f"product of the {RATE_METHOD} 95% interval of the share without a zero, on the effective n of Korn and "
    "Graubard, and of the Student t 95% interval of the other scores, both by scenario family (CR1)"
)
"""The method of `mixed_mean`."""


def mixed_mean(values: Sequence[float], clusters: Sequence[str]) -> Mean:
    """The mean of scores in [0, 1], of which some may be 0, with its 95% interval.

    `clusters` has the family of each score. The standard error is that of `clustered_mean`. There is no
    interval if all scores are from one family, or if all are 0. If the scores above 0 are the same in all
    families, a share of families up to the one-sided bound of Clopper and Pearson may have any other.
    Raises ValueError as `clustered_mean` does.
    """
    mean = clustered_mean(values, clusters)
    others = [(value, name) for value, name in zip(values, clusters, strict=True) if value]
    if mean.clusters < 2 or not others:
        return replace(mean, low=None, high=None)
    zeros: Counter[str] = Counter()
    zeros.update(name for value, name in zip(values, clusters, strict=True) if not value)
    sizes = Counter(clusters)
    share = clustered_ratio([(zeros[name], size) for name, size in sizes.items()])
    low, high = _of_others(clustered_mean([value for value, _ in others], [name for _, name in others]))
    return replace(mean, low=(1 - share.high) * low, high=(1 - share.low) * high)


def _of_others(mean: Mean) -> tuple[float, float]:
    """The interval of the mean of the scores above zero."""
    if mean.low is not None and mean.high is not None:
        return mean.low, mean.high
    low, high = alike_interval(2 * mean.mean - 1, mean.clusters)  # scores from 0 to 1 as values from -1 to 1
    return (low + 1) / 2, (high + 1) / 2
