"""Intervals for a proportion k/n. Never Wald: at the sizes of this benchmark it is wrong.

Wilson (1927) is what tables show, Clopper and Pearson (1934) is what a claim or a gate hangs on.
The clamps at k = 0 and k = n are exact; the raw formula leaves rounding noise there.
"""

from __future__ import annotations

import math

Z95 = 1.959963984540054
"""The 0.975 quantile of the standard normal distribution."""


def wilson(k: int, n: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of k/n, n >= 1, 0 <= k <= n."""
    _check(k, n)
    p = k / n
    centre = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if k == 0 else (centre - half) / scale
    high = 1.0 if k == n else (centre + half) / scale
    return low, high


def clopper_pearson(k: int, n: int, alpha: float = 0.05) -> tuple[float, float]:
    """The exact interval of k/n from the quantiles of the beta distribution."""
    from scipy.special import betaincinv  # scipy is slow to import, and most commands need none

    _check(k, n)
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, alpha / 2))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - alpha / 2))
    return low, high


def zero_events_upper(n: int, alpha: float = 0.05) -> float:
    """The one-sided upper bound of a rate of which n cases showed none: 1 - alpha^(1/n)."""
    _check(0, n)
    return float(1 - alpha ** (1 / n))


def _check(k: int, n: int) -> None:
    if n < 1 or not 0 <= k <= n:
        raise ValueError(f"a proportion needs 0 <= k <= n and n >= 1; found {k}/{n}")
