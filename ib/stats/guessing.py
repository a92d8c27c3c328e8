"""A forced choice against chance: the exact binomial test, and its power (Clopper and Pearson, 1934).

In a choice among m equal options a model that guesses is right with probability 1/m. One that remembers a
share of the answers and guesses the others is right with probability share + (1 - share)/m.
"""

from __future__ import annotations

import math


def tail(k: int, n: int, p: float) -> float:
    """The probability of at least k successes in n trials that succeed with probability p."""
    return math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)) if k > 0 else 1.0


def least_hits(n: int, options: int, alpha: float) -> int:
    """The least number of right answers of n that guessing reaches with probability at most `alpha`.

    It is n + 1 if even n right answers are too likely by chance.
    """
    return next((k for k in range(n + 1) if tail(k, n, 1 / options) <= alpha), n + 1)


def power(n: int, options: int, alpha: float, share: float) -> float:
    """The probability that a model is flagged which remembers this share of the answers."""
    return tail(least_hits(n, options, alpha), n, share + (1 - share) / options)
