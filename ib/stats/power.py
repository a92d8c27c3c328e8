"""What a comparison of two models can find: the least difference that would be found with a chance of 80%.

The test is the exact test of McNemar with each scenario family as one case, as in
`ib.board.figures.comparisons`.
"""

from __future__ import annotations

from functools import lru_cache

from ib.stats.paired import mcnemar

ALPHA = 0.05
"""The level of the test, of one pair of models: with more pairs, more is needed."""
POWER = 0.8
_STEPS = 30


@lru_cache(maxsize=1024)
def least_difference(families: int, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """The least share of families in which one model fails and the other does not that would be found.

    The best case: in no family does the other model fail alone. Returns None if even a difference in all
    families would not be found. Raises ValueError for a negative number of families.
    """
    if families < 0:
        raise ValueError(f"a number of families is not negative; found {families}")
    needed = next((k for k in range(1, families + 1) if mcnemar(k, 0) < alpha), None)
    if needed is None:
        return None
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if chance(families, needed, middle) >= power else (middle, high)
    return high


def chance(families: int, needed: int, share: float) -> float:
    """The chance that at least `needed` of the families differ, if each does with this chance."""
    from scipy.special import bdtrc

    return float(bdtrc(needed - 1, families, share))
