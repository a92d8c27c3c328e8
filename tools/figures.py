"""How k/n and its interval are written on the generated pages."""

from __future__ import annotations

from collections import Counter

from ib.stats.intervals import wilson


def share(counts: Counter[bool]) -> str:
    """k/n of what was judged right."""
    return f"{counts[True]}/{counts.total()}"


def interval(counts: Counter[bool]) -> str:
    """The Wilson interval of k/n, or a dash where there is nothing to say."""
    if not counts.total():
        return "-"
    low, high = wilson(counts[True], counts.total())
    return f"{low:.3f} to {high:.3f}"
