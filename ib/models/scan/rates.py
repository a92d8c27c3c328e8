"""A rate with its intervals, a mean over scenarios, and coverage: the figures of a release."""

from __future__ import annotations

from ib.models.common.base import Record


def half_decided(n: float, undecided: float) -> bool:
    """True if at least half of the due cases have a clear answer.

    With fewer, a rate of the decided cases says more about which cases could be decided than about failures.
    A check that is decided only where a phrase is found fails in all of them.
    """
    return n >= undecided


class Rate(Record):
    """A rate, k of n, with its intervals."""

    k: int
    """Cases in which it occurred."""
    n: int
    """Cases with a clear answer."""
    unclear: int = 0
    """Cases without a clear answer; they widen the bounds of the rate."""
    n_families: int = 0
    rate: float | None
    """k/n; null if there are too few cases to show a rate, or if fewer than half of those due are decided."""
    low: float | None
    """The lower end of the 95% interval; null if fewer than half of the due cases are decided, or
    none."""
    high: float | None
    exact_low: float | None = None
    """The lower end of the Clopper-Pearson 95% interval; given for gates."""
    exact_high: float | None = None
    """The upper end of the Clopper-Pearson interval."""
    upper_if_zero: float | None = None
    """If k is 0: the one-sided 95% upper bound."""
    bounds: tuple[float, float] | None = None
    """The rate if all undecided cases (u: unclear or not run) are passes, and if all are failures: [k/(n+u),
    (k+u)/(n+u)]."""
    support: tuple[str, ...]
    """What to keep in mind, such as few cases or a wide interval."""


class MeanScore(Record):
    """A mean over scenarios. Scenarios without a score are counted but not averaged."""

    mean: float | None
    """Null if fewer than half of what was due has a score, or if all scores are those of hard fails;
    then `bounds` says between what the mean lies."""
    n: int
    """Scenarios with a score."""
    nulls: int
    """Scenarios without a score."""
    n_families: int
    se: float | None
    """The standard error."""
    low: float | None
    """The lower end of the 95% interval."""
    high: float | None
    bounds: tuple[float, float] | None = None
    """The mean if all undecided checks fail, and if all pass; null if none is undecided."""
    method: str = "Student t on the cluster-robust (CR1) standard error over scenario families"
    """How the interval is computed."""


class Coverage(Record):
    """How many of the due checks were answered."""

    eligible: int
    """How many transcripts the check was due on."""
    covered: float | None
    """(PASS + FAIL + NOT_APPLICABLE) / eligible"""
    decided: float | None
    """(PASS + FAIL) / eligible"""
