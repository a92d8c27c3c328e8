"""Compare two models on the same cases: the exact test of McNemar (1947)."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)
def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided exact p value from the cases on which two models differ.

    If neither model is more likely to fail, each of these cases is equally likely to go either way, so the
    smaller count follows a binomial distribution. Returns 1.0 if there is no such case. Raises ValueError
    for a negative count.
    """
    from scipy.special import bdtr

    if only_first < 0 or only_second < 0:
        raise ValueError(f"counts must not be negative; found {only_first} and {only_second}")
    differing = only_first + only_second
    if not differing:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), differing, 0.5)))
