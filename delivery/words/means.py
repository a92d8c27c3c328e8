"""Means of scores as text."""

from __future__ import annotations

from delivery.words.numbers import score, score_between
from ib.models.scan.rates import MeanScore
from ib.store.files.wording import counted


def mean_line(found: MeanScore) -> str:
    """A mean with its interval and the number of conversations that have a score."""
    if found.mean is None and not found.n:
        return f"no score in any of {counted(found.nulls, 'conversation')}"
    if found.mean is None:
        return f"no mean is shown: {counted(found.n, 'conversation')} with a score, {found.nulls} without"
    if found.low is None:
        told = "one scenario family" if found.n_families == 1 else "all scenario families score the same"
        interval = f"{told}, so no interval can be computed"
    else:
        interval = f"95% interval {score_between(found.low, found.high)}"
    without = f", {found.nulls} without" if found.nulls else ""
    return f"{score(found.mean)} ({interval}; {counted(found.n, 'conversation')} with a score{without})"
