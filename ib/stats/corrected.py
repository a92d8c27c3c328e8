"""The share of failures that people would find, from a sample of verdicts with known probabilities.

The difference estimator (Särndal, Swensson and Wretman 1992, "Model Assisted Survey Sampling", 6.3) is the
rate of the machine over all verdicts, plus the mean difference between people and machine. The sampled
verdicts give that difference stratum by stratum, each with the weight of Horvitz and Thompson (1952): 1 over
its probability to be drawn.

The interval adds squared distances (`ib.stats.design`): those of the two error rates of the machine in each
stratum, and that of the variance between scenario families (CR1).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ib.stats.design import (
    FEWEST_CLUSTERS,
    Estimate,
    NotEstimable,
    added_by_clusters,
    distances,
    estimate,
    too_few,
)
from ib.stats.intervals import RATE_METHOD

METHOD = (
    f"difference estimator by stratum; {RATE_METHOD} 95% intervals of the errors, and of an effective n by "
    "scenario family (CR1), added as squared distances (MOVER)"
)
"""The name of the method of `corrected`, as pages and files print it."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """One verdict of the population, and what people said of it if they were asked."""

    stratum: str
    """Within a stratum, each verdict has the same probability to be drawn."""
    family: str
    machine: bool
    """True if the machine said FAIL."""
    people: bool | None = None
    """True if people said FAIL, False if they said PASS; None if they were not asked, or did not decide."""


@dataclass(frozen=True, slots=True)
class _Stratum:
    """The verdicts of one stratum, and those that people decided."""

    every: tuple[Sampled, ...]
    read: tuple[Sampled, ...]
    weight: float
    """Its share of the population."""

    @property
    def difference(self) -> float:
        """The mean difference between people and machine."""
        return sum(_difference(one) for one in self.read) / len(self.read)

    @property
    def total(self) -> float:
        """The failures of the stratum, estimated."""
        return sum(one.machine for one in self.every) + len(self.every) * self.difference

    @property
    def independent(self) -> float:
        """The variance of the mean difference, if the verdicts are independent; 0 if only one was read."""
        n = len(self.read)
        squares = math.fsum((_difference(one) - self.difference) ** 2 for one in self.read)
        return squares / (n - 1) / n if n > 1 else 0.0

    def distances(self) -> tuple[float, float]:
        """The squared distances to the lower and the upper end, from both error rates of the machine.

        A kind of error is left out where no verdict of the stratum could have it.
        """
        n = len(self.read)
        missed = sum(bool(one.people) and not one.machine for one in self.read)
        alarms = sum(one.machine and not one.people for one in self.read)
        below = above = 0.0
        if not all(one.machine for one in self.every):
            below, above = distances(missed, n)
        if any(one.machine for one in self.every):
            low, high = distances(alarms, n)
            below, above = below + high, above + low
        return below, above


def _difference(one: Sampled) -> int:
    return int(bool(one.people)) - int(one.machine)


def corrected(population: Sequence[Sampled]) -> Estimate | NotEstimable:
    """The share of the population that people would call FAIL. The order of the population does not matter.

    A verdict that people were asked about and did not decide is taken to be like the others of its stratum.
    """
    missing = _missing(population)
    if missing is not None:
        return missing
    strata = _strata(population)
    rate = math.fsum(one.total for one in strata) / len(population)
    ends = [one.distances() for one in strata]
    below = math.fsum(one.weight**2 * low for one, (low, _) in zip(strata, ends, strict=True))
    above = math.fsum(one.weight**2 * high for one, (_, high) in zip(strata, ends, strict=True))
    low, high = _between_families(strata, rate, len(population))
    return estimate(rate, below + low, above + high)


def _missing(population: Sequence[Sampled]) -> NotEstimable | None:
    """Why there is no estimate; None if there is one."""
    few = too_few(sum(bool(one.people) for one in population))
    if few is not None:
        return few
    unread = {one.stratum for one in population} - {
        one.stratum for one in population if one.people is not None
    }
    if unread:
        return NotEstimable(f"{len(unread)} strata without a verdict that people decided")
    if len({one.family for one in population}) < FEWEST_CLUSTERS:
        return NotEstimable("only one scenario family")
    return None


def _strata(population: Sequence[Sampled]) -> list[_Stratum]:
    found: defaultdict[str, list[Sampled]] = defaultdict(list)
    for one in population:
        found[one.stratum].append(one)
    return [
        _Stratum(
            tuple(mine), tuple(one for one in mine if one.people is not None), len(mine) / len(population)
        )
        for _, mine in sorted(found.items())
    ]


def _between_families(strata: Sequence[_Stratum], rate: float, size: int) -> tuple[float, float]:
    """The squared distances that families add to those of independent verdicts."""
    influence: defaultdict[str, list[float]] = defaultdict(list)
    for stratum in strata:
        n, mean = len(stratum.read), stratum.difference
        for one in stratum.every:
            influence[one.family].append((int(one.machine) + mean - rate) / size)
        for one in stratum.read if n > 1 else ():
            share = stratum.weight * math.sqrt(n / (n - 1)) / n
            influence[one.family].append((_difference(one) - mean) * share)
    count = len(influence)
    clustered = count / (count - 1) * math.fsum(math.fsum(mine) ** 2 for mine in influence.values())
    independent = math.fsum(one.weight**2 * one.independent for one in strata)
    return added_by_clusters(rate, clustered, independent, count)
