"""Rates, means and coverage, with their counts, intervals and flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from ib.models.benchmark.scoring import Support
from ib.models.common.base import Verdict
from ib.models.scan.rates import Coverage, MeanScore, Rate, half_decided
from ib.stats.intervals import clopper_pearson, rate_interval, zero_events_upper
from ib.stats.means import clustered_mean
from ib.stats.mixtures import METHOD, mixed_mean
from ib.stats.support import Flag, Thresholds, support


def rate(
    k: int, n: int, undecided: int, n_families: int, thresholds: Support, *, exact: bool = False
) -> Rate:
    """The rate k of n with its interval, its bounds under undecided cases, and its support flags.

    With too few cases, `rate` is None; the counts and the interval stay. If fewer than half of the due cases
    are decided, there is no interval either: only the bounds.
    """
    flags = support(k, n, limits(thresholds))
    is_shown = n > 0 and half_decided(n, undecided)
    low, high = rate_interval(k, n) if is_shown else (None, None)
    sure_low, sure_high = clopper_pearson(k, n) if exact and is_shown else (None, None)
    total = n + undecided
    return Rate(
        k=k,
        n=n,
        unclear=undecided,
        n_families=n_families,
        rate=None if not is_shown or Flag.COUNT_ONLY in flags else k / n,
        low=low,
        high=high,
        exact_low=sure_low,
        exact_high=sure_high,
        upper_if_zero=zero_events_upper(n) if is_shown and k == 0 else None,
        bounds=(k / total, (k + undecided) / total) if undecided else None,
        support=tuple(flags),
    )


def limits(thresholds: Support) -> Thresholds:
    """The thresholds of the support flags, from the scoring contract."""
    return Thresholds(thresholds.count_only_below, thresholds.low_power_below, thresholds.wide_from)


def mean_score(
    scored: Sequence[tuple[float | None, str]],
    ends: Sequence[tuple[float, float] | None] = (),
    *,
    is_shown: bool = True,
    mixed: bool = False,
) -> MeanScore:
    """The mean of scores with their families. None values are counted and left out of the mean.

    `ends` has the bounds of each score, of those that are None too; those without bounds are left out. There
    is no mean if `is_shown` is False, or if fewer than half of those with bounds have a score. `mixed` says
    that some scores are 0 for another reason than the others, as those of hard fails are.
    """
    known = [(value, family) for value, family in scored if value is not None]
    nulls = len(scored) - len(known)
    possible = [bounds for bounds in ends if bounds is not None]
    is_open = any(low < high for low, high in possible)
    none = MeanScore(
        mean=None,
        n=len(known),
        nulls=nulls,
        n_families=len({family for _, family in known}),
        se=None,
        low=None,
        high=None,
        bounds=_mean_bounds(possible) if is_open else None,
        **({"method": METHOD} if mixed else {}),
    )
    if not known or not is_shown or not half_decided(len(known), len(possible) - len(known)):
        return none
    interval = mixed_mean if mixed else clustered_mean
    found = interval([value for value, _ in known], [family for _, family in known])
    told = {"mean": found.mean, "se": found.se, "low": found.low, "high": found.high}
    return none.model_copy(update=told)


def _mean_bounds(possible: Sequence[tuple[float, float]]) -> tuple[float, float]:
    lows, highs = zip(*possible, strict=True)
    return fsum(lows) / len(possible), fsum(highs) / len(possible)


def coverage(verdicts: Mapping[Verdict, int], eligible: int) -> Coverage:
    """The covered and the decided share of the eligible results. Both are None if `eligible` is 0."""
    decided = verdicts.get(Verdict.PASS, 0) + verdicts.get(Verdict.FAIL, 0)
    covered = decided + verdicts.get(Verdict.NOT_APPLICABLE, 0)
    return Coverage(
        eligible=eligible,
        covered=covered / eligible if eligible else None,
        decided=decided / eligible if eligible else None,
    )
