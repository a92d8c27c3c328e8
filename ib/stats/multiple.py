"""Adjust p values for the number of tests in a family."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


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
