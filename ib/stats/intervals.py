"""Intervals for a proportion k/n. Wald intervals are not used: they are wrong for samples this small.

Rates have the interval of `rate_interval`; to change its method, change it and its name `RATE_METHOD`. Claims
and gates use the interval of Clopper and Pearson (1934), too. At k = 0 and k = n, the end is set to exactly 0
or 1, because the formula leaves rounding errors there.
"""

from __future__ import annotations

import math

Z95 = 1.959963984540054
"""The 0.975 quantile of the standard normal distribution."""


RATE_METHOD = "Wilson"
"""The name of the method of `rate_interval`, as every page, caption and file prints it."""


def rate_interval(k: float, n: float, tests: int = 1) -> tuple[float, float]:
    """The 95% interval of the rate k/n; both may be effective numbers of cases.

    If the rate was chosen among several, `tests` is their number: the interval is then widened after
    Bonferroni. Raises ValueError unless n > 0 and 0 <= k <= n.
    """
    return wilson(k, n, _quantile(tests))


def wilson(k: float, n: float, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of k/n; both may be effective numbers of cases.

    Raises ValueError unless n > 0 and 0 <= k <= n.
    """
    if n <= 0 or not 0 <= k <= n:
        raise ValueError(f"a proportion needs 0 <= k <= n and n > 0; found {k}/{n}")
    p = k / n
    center = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if k == 0 else (center - half) / scale
    high = 1.0 if k == n else (center + half) / scale
    return low, high


def _quantile(tests: int) -> float:
    """The standard normal quantile of an interval that holds with 95% confidence for all tests together."""
    if tests == 1:
        return Z95
    from scipy.special import ndtri

    return float(-ndtri(0.025 / tests))


def clopper_pearson(k: float, n: float, alpha: float = 0.05) -> tuple[float, float]:
    """The exact interval of k/n from the quantiles of the beta distribution; both may be effective numbers.

    Raises ValueError unless n > 0 and 0 <= k <= n.
    """
    from scipy.special import betaincinv  # imported here because it is slow to import and rarely needed

    if n <= 0 or not 0 <= k <= n:
        raise ValueError(f"a proportion needs 0 <= k <= n and n > 0; found {k}/{n}")
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, alpha / 2))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - alpha / 2))
    return low, high


def zero_events_upper(n: int, alpha: float = 0.05) -> float:
    """The one-sided upper bound of a rate after 0 events in n cases: 1 - alpha^(1/n)."""
    _check(0, n)
    return float(1 - alpha ** (1 / n))


def exact_upper(k: int, n: int, alpha: float = 0.05) -> float:
    """The one-sided upper bound of k/n after Clopper and Pearson."""
    from scipy.special import betaincinv

    _check(k, n)
    return 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - alpha))


def exact_lower(k: int, n: int, alpha: float = 0.05) -> float:
    """The one-sided lower bound of k/n after Clopper and Pearson."""
    return 1 - exact_upper(n - k, n, alpha)


def _check(k: int, n: int) -> None:
    if n < 1 or not 0 <= k <= n:
        raise ValueError(f"a proportion needs 0 <= k <= n and n >= 1; found {k}/{n}")
