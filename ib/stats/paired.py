"""Compare two models on the same cases, and adjust p values for the number of tests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

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


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """The p values adjusted after Holm (1979), in the order given.

    Rejecting where the adjusted value is below 0.05 keeps the chance of any false rejection in the family
    below 5%.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    raised = ((len(values) - rank) * values[at] for rank, at in enumerate(order))
    return _in_place(order, accumulate(raised, max))


def benjamini_hochberg(values: Sequence[float]) -> tuple[float, ...]:
    """The p values adjusted after Benjamini and Hochberg (1995), in the order given.

    Rejecting where the adjusted value is at most q keeps the expected share of false rejections at most q.
    """
    order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    raised = (len(values) / (len(values) - rank) * values[at] for rank, at in enumerate(order))
    return _in_place(order, accumulate(raised, min))


def _in_place(order: Sequence[int], adjusted: accumulate[float]) -> tuple[float, ...]:
    """The adjusted values, each at most 1, moved to the places of their p values."""
    found = dict(zip(order, adjusted, strict=True))
    return tuple(min(1.0, found[at]) for at in range(len(order)))
