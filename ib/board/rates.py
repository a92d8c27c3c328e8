"""Rates, means and coverage, with their counts, intervals and flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ib.models.base import Verdict
from ib.models.rates import Coverage, MeanScore, Rate
from ib.models.scoring import Support
from ib.stats.intervals import clopper_pearson, wilson, zero_events_upper
from ib.stats.means import clustered_mean
from ib.stats.support import Flag, Thresholds, support


def rate(k: int, n: int, unclear: int, n_families: int, thresholds: Support, *, exact: bool = False) -> Rate:
    """The rate k of n with its interval, its bounds under unclear cases, and its support flags.

    With too few cases, `rate` is None; the counts and the interval stay.
    """
    flags = support(k, n, limits(thresholds))
    low, high = wilson(k, n) if n else (None, None)
    sure_low, sure_high = clopper_pearson(k, n) if exact and n else (None, None)
    total = n + unclear
    return Rate(
        k=k,
        n=n,
        unclear=unclear,
        n_families=n_families,
        rate=None if not n or Flag.COUNT_ONLY in flags else k / n,
        low=low,
        high=high,
        exact_low=sure_low,
        exact_high=sure_high,
        upper_if_zero=zero_events_upper(n) if n and k == 0 else None,
        bounds=(k / total, (k + unclear) / total) if unclear else None,
        support=tuple(flags),
    )


def limits(thresholds: Support) -> Thresholds:
    """The thresholds of the support flags, from the scoring contract."""
    return Thresholds(thresholds.count_only_below, thresholds.low_power_below, thresholds.wide_from)


def mean_score(scored: Sequence[tuple[float | None, str]]) -> MeanScore:
    """The mean of scores with their families. None values are counted and left out of the mean."""
    known = [(value, family) for value, family in scored if value is not None]
    nulls = len(scored) - len(known)
    if not known:
        return MeanScore(mean=None, n=0, nulls=nulls, n_families=0, se=None, low=None, high=None)
    found = clustered_mean([value for value, _ in known], [family for _, family in known])
    return MeanScore(
        mean=found.mean,
        n=found.n,
        nulls=nulls,
        n_families=found.clusters,
        se=found.se,
        low=found.low,
        high=found.high,
    )


def coverage(verdicts: Mapping[Verdict, int], eligible: int) -> Coverage:
    """The covered and the decided share of the eligible results. Both are None if `eligible` is 0."""
    decided = verdicts.get(Verdict.PASS, 0) + verdicts.get(Verdict.FAIL, 0)
    covered = decided + verdicts.get(Verdict.NOT_APPLICABLE, 0)
    return Coverage(
        eligible=eligible,
        covered=covered / eligible if eligible else None,
        decided=decided / eligible if eligible else None,
    )
