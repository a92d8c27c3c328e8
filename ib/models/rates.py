"""A rate with its intervals, a mean over scenarios, and coverage: the figures of a release."""

from __future__ import annotations

from ib.models.base import Record


class Rate(Record):
    """A rate, k of n, with its intervals."""

    k: int
    n: int
    """Cases with a clear answer."""
    unclear: int = 0
    """Cases without a clear answer; they widen the bounds of the rate."""
    n_families: int = 0
    rate: float | None
    """k/n; null if there are too few cases to show a rate."""
    low: float | None
    """The lower end of the Wilson 95% interval."""
    high: float | None
    exact_low: float | None = None
    """The lower end of the Clopper-Pearson 95% interval; given for gates."""
    exact_high: float | None = None
    upper_if_zero: float | None = None
    """If k is 0: the one-sided 95% upper bound."""
    bounds: tuple[float, float] | None = None
    """The rate if all unclear cases (u) are passes, and if all are failures: [k/(n+u), (k+u)/(n+u)]."""
    support: tuple[str, ...]


class MeanScore(Record):
    """A mean over scenarios. Scenarios without a score are counted but not averaged."""

    mean: float | None
    n: int
    nulls: int
    n_families: int
    se: float | None
    low: float | None
    high: float | None
    method: str = "Student t on the cluster-robust (CR1) standard error over scenario families"


class Coverage(Record):
    """How many of the due checks were answered."""

    eligible: int
    covered: float | None
    """(PASS + FAIL + NOT_APPLICABLE) / eligible"""
    decided: float | None
    """(PASS + FAIL) / eligible"""
