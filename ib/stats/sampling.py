"""Rates of a whole from a stratified sample of it.

Within a stratum, cases are drawn without replacement and with equal probability. The rate is the ratio of two
Horvitz-Thompson totals, failures over decided cases (the estimator of Hájek; Särndal, Swensson and Wretman
1992, "Model Assisted Survey Sampling", 3.7 and 5.8), because how many cases of the whole could be decided is
not known either.

The interval is about the rate among persons like those of the whole, of whom the whole is a sample. It adds
squared distances (`ib.stats.design`): those of the exact interval of each stratum, and those of the variance
between clusters beyond that of independent cases. The interval that other rates have is too short here: a
stratum has few failures, and its lower end is then too high. The variance is linearized (the same book, 5.5)
and clustered (CR1); each case of the whole adds to it, also where it was not drawn, because sizes of strata
would be others among other persons. That a large part of the whole was drawn takes nothing off the interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ib.stats.design import (
    FEWEST_CLUSTERS,
    FEWEST_FAILURES,
    Estimate,
    NotEstimable,
    added_by_clusters,
    distances,
    estimate,
    too_few,
)
from ib.stats.intervals import clopper_pearson

METHOD = (
    "ratio of Horvitz-Thompson totals; Clopper-Pearson 95% intervals of the strata, and of an effective n by "
    "cluster (linearized, CR1), added as squared distances (MOVER)"
)
"""The name of the method of `Sample.rate`, as reports and files print it."""
LEAST_OF_STRATUM = 2
"""The fewest cases that are drawn of a stratum that has as many: one says nothing of how they differ."""
ALIKE = 0.05
"""The correlation of two cases of a cluster that an expected width assumes."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """What is known of the whole: strata and clusters."""

    sizes: tuple[int, ...]
    """How many cases each stratum has."""
    drawn: tuple[int, ...]
    """How many of them were drawn, at least one of each."""
    products: tuple[tuple[int, ...], ...]
    """For each pair of strata, the sum over clusters of the product of their numbers of cases in both."""


@dataclass(frozen=True)
class Drawn:
    """One case of the sample."""

    stratum: int
    cluster: str
    of_cluster: tuple[int, ...]
    """How many cases of the whole its cluster has in each stratum."""


@dataclass(frozen=True)
class Answers:
    """What a sample says of one question, by stratum or case, in the notation of the book."""

    weights: Numbers
    """1 over the probability to be drawn, by stratum."""
    failed: Numbers
    decided: Numbers
    members: Numbers
    """Clusters with a decided case, by stratum."""
    clusters: int

    @property
    def total(self) -> float:
        """The estimated number of decided cases of the whole."""
        return float(self.weights @ self.decided)

    @property
    def rate(self) -> float:
        return float(self.weights @ self.failed) / self.total

    def parts(self) -> list[tuple[float, float, float, float]]:
        """The share of the whole, failed, decided and clusters of each stratum with a decided case."""
        shares = self.weights * self.decided / self.total
        columns = (shares, self.failed, self.decided, self.members)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [(share, k, n, members) for share, k, n, members in rows if n]


class Sample:
    """The cases that were drawn, in a fixed order."""

    def __init__(self, design: Design, drawn: Sequence[Drawn]) -> None:
        self._sizes = np.array(design.sizes, dtype=float)
        self._drawn = np.array(design.drawn, dtype=float)
        self._products = np.array(design.products, dtype=float)
        self._stratum = np.array([one.stratum for one in drawn], dtype=int)
        counts = {one.cluster: one.of_cluster for one in drawn}
        places = {name: at for at, name in enumerate(counts)}
        self._cluster = np.array([places[one.cluster] for one in drawn], dtype=int)
        self._counts = np.array(list(counts.values()), dtype=float).reshape(len(counts), len(design.sizes))

    def rate(self, failed: Sequence[bool | None]) -> Estimate | NotEstimable:
        """The share of failures among the cases of the whole that are decided.

        `failed` has a value for each case drawn: None if it is not decided, or if the question is not about
        it. There is no estimate from fewer than FEWEST_FAILURES failures or FEWEST_CLUSTERS clusters.
        """
        few = too_few(sum(bool(one) for one in failed))
        if few is not None:
            return few
        answers = self._answers(failed)
        if answers.clusters < FEWEST_CLUSTERS:
            return NotEstimable("all decided cases are of one cluster")
        rate, (below, above) = answers.rate, _within(answers)
        variances = self._clustered(failed, answers), _independent(answers)
        low, high = added_by_clusters(rate, *variances, answers.clusters, clopper_pearson)
        return estimate(rate, below + low, above + high)

    def at_most(self, failed: Sequence[bool | None]) -> float | None:
        """The upper end of the interval, where there are too few failures for an estimate.

        Each stratum counts its clusters in place of its cases: a few failures do not show how alike the cases
        of a cluster are. None if no case is decided.
        """
        answers = self._answers(failed)
        if not answers.clusters:
            return None
        above = math.fsum(
            share**2 * distances(k / n * members, members, clopper_pearson)[1]
            for share, k, n, members in answers.parts()
        )
        return estimate(answers.rate, 0.0, above).high

    def total(self, counted: Sequence[bool]) -> float:
        """The estimated number of cases of the whole that are like those that are counted."""
        weights = self._sizes / self._drawn
        return float(weights[self._stratum][np.array(counted, dtype=bool)].sum())

    def _answers(self, failed: Sequence[bool | None]) -> Answers:
        decided = np.array([one is not None for one in failed], dtype=bool)
        yes = np.array([one is True for one in failed], dtype=bool)
        strata = len(self._sizes)
        met = np.unique(np.stack([self._stratum[decided], self._cluster[decided]]), axis=1)
        return Answers(
            weights=self._sizes / self._drawn,
            failed=np.bincount(self._stratum[yes], minlength=strata).astype(float),
            decided=np.bincount(self._stratum[decided], minlength=strata).astype(float),
            members=np.bincount(met[0], minlength=strata).astype(float),
            clusters=len(np.unique(self._cluster[decided])),
        )

    def _clustered(self, failed: Sequence[bool | None], answers: Answers) -> float:
        """The linearized variance of the rate, by cluster.

        A cluster has the means of the strata of all its cases, and the weighted distances from these means of
        those that were drawn. Clusters without a drawn case are in `products` alone.
        """
        residuals = np.array([0.0 if one is None else float(one) - answers.rate for one in failed])
        residuals /= answers.total
        means = (answers.failed - answers.rate * answers.decided) / answers.total / self._drawn
        spread = np.sqrt(self._drawn / np.maximum(self._drawn - 1, 1)) * answers.weights
        own = np.bincount(self._cluster, spread[self._stratum] * (residuals - means[self._stratum]))
        squares = means @ self._products @ means + 2 * own @ (self._counts @ means) + own @ own
        return float(squares) * answers.clusters / (answers.clusters - 1)


def _within(answers: Answers) -> tuple[float, float]:
    """The squared distances of all strata. One without failures counts its clusters in place of its cases."""
    ends = [
        (share**2, distances(k, n if k else members, clopper_pearson))
        for share, k, n, members in answers.parts()
    ]
    return math.fsum(one * low for one, (low, _) in ends), math.fsum(one * high for one, (_, high) in ends)


def _independent(answers: Answers) -> float:
    """The variance of the rate if all cases are independent and the sizes of strata are known."""
    return math.fsum(
        share**2 * (k / n) * (1 - k / n) / (n - 1) for share, k, n, _ in answers.parts() if n > 1
    )


def allocated(sizes: Mapping[str, int], weights: Mapping[str, float], n: int) -> dict[str, int]:
    """Divide n over strata in proportion to size times weight.

    No stratum gets more than it has, and none less than LEAST_OF_STRATUM if it has as many. The rest goes to
    the largest fractions, then by name. Raises ValueError if n is too small for that, or too large.
    """
    least = {name: min(LEAST_OF_STRATUM, size) for name, size in sizes.items()}
    if not sum(least.values()) <= n <= sum(sizes.values()):
        raise ValueError(f"{n} of {sum(sizes.values())} cases, at least {sum(least.values())}")

    def exact(scale: float) -> dict[str, float]:
        return {
            name: min(max(scale * weights[name] * sizes[name], least[name]), sizes[name]) for name in sizes
        }

    low, high = 0.0, 1 / min(weights.values())
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if math.fsum(exact(middle).values()) < n else (low, middle)
    wanted = exact(low)
    taken = {name: math.floor(share) for name, share in wanted.items()}
    order = sorted(sizes, key=lambda name: (taken[name] - wanted[name], name))
    for name in [one for one in order if taken[one] < sizes[one]][: n - sum(taken.values())]:
        taken[name] += 1
    return taken


def expected_width(design: Design, rate: float) -> float | None:
    """How wide the interval of a rate is expected to be, if strata have the same rate and ALIKE holds.

    This is the width where phrases tell nothing; where they point to failures, the interval is narrower. None
    if fewer than FEWEST_FAILURES failures are expected.
    """
    n, whole = sum(design.drawn), sum(design.sizes)
    if rate * n < FEWEST_FAILURES:
        return None
    shares = [size / whole for size in design.sizes]
    effect = _design_effect(design)
    ends = [
        (share**2, distances(rate * drawn / effect, drawn / effect, clopper_pearson))
        for share, drawn in zip(shares, design.drawn, strict=True)
    ]
    found = estimate(
        rate, math.fsum(one * low for one, (low, _) in ends), math.fsum(one * high for one, (_, high) in ends)
    )
    return found.high - found.low


def _design_effect(design: Design) -> float:
    """1 + ALIKE times the expected number of other drawn cases in the cluster of a drawn case."""
    drawn = np.array([n / size for n, size in zip(design.drawn, design.sizes, strict=True)])
    pairs = drawn @ np.array(design.products, dtype=float) @ drawn - drawn @ (
        drawn * np.array(design.sizes, dtype=float)
    )
    return 1 + ALIKE * max(0.0, float(pairs)) / sum(design.drawn)
