"""Compare two models on the same cases: the exact test of McNemar (1947), and an interval without spread."""

from __future__ import annotations

from functools import lru_cache

from ib.stats.intervals import exact_upper


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


def alike_interval(difference: float, families: int) -> tuple[float, float]:
    """The 95% interval of a difference that is the same in all families that were seen.

    Such data has no spread to compute an interval from. But of all families, a share of up to the one-sided
    bound of Clopper and Pearson may have another difference, anything from -1 to 1.
    """
    others = exact_upper(0, families)
    return difference - others * (1 + difference), difference + others * (1 - difference)
