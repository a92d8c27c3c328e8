"""How often the interval of a sampled scan has the true rate, and how wide it is (`make study`).

Each trial makes logs: users with failure rates of their own, conversations, a judge that misses failures and
raises false alarms, and phrases that point to some failures and to some other conversations. A sample is
drawn with more weight where a phrase was found, and a simple random sample of the same number, which costs
the same.

The errors of the judge are known, so the interval of its FAILs is also one of the true rate: both ends, less
the false alarms, over the share that is caught less the false alarms. The true rate is that of all users that
there could be; the rate of the logs themselves is counted, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ib.pipeline.common.sampling import WEIGHTS
from ib.stats.design import Estimate
from ib.stats.sampling import Design, Drawn, Sample, allocated

LEAST = 0.93
"""The least coverage that must be seen."""
LEAST_ESTIMATED = 0.5
"""Coverage is asked for where at least this share of samples gives an estimate. Estimates that are only made
of the samples that happened to find many failures are too high."""
USERS = 4_000
SHORT = 4
"""The mean number of conversations of a user; a few users have many more."""
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Logs:
    """All conversations of a trial."""

    user: NDArray[np.int64]
    said: Flags
    """What the judge would say: True for FAIL."""
    hinted: Flags


@dataclass
class Seen:
    """What the samples of one design gave."""

    estimated: int = 0
    held: int = 0
    held_here: int = 0
    """Intervals that have the rate of the logs that were sampled."""
    width: float = 0.0
    bias: float = 0.0
    bounded: int = 0
    """Samples without an estimate whose upper limit is not below the true rate."""
    silent: int = 0
    not_measurable: int = 0


@dataclass(frozen=True)
class Trial:
    """Logs of one kind, each sampled twice: with more weight on phrases, and simply."""

    rate: float
    """The true rate."""
    alike: float
    """The correlation of two conversations of a user."""
    n: int
    caught: float = 0.9
    """The share of the failures that the judge finds."""
    false_alarms: float = 0.002
    """The share of other conversations that it calls a failure."""
    pointed: float = 0.5
    """The share of the failures in which a phrase is found."""
    stray: float = 0.03
    """The share of other conversations in which one is found."""
    times: int = 400
    seed: int = 1
    seen: dict[str, Seen] = field(default_factory=lambda: {"hints": Seen(), "simple": Seen()})

    @property
    def judged_rate(self) -> float:
        """The share that the judge calls a failure, among all users that there could be."""
        return self.rate * self.caught + (1 - self.rate) * self.false_alarms

    def run(self) -> dict[str, Seen]:
        """Draw and estimate as often as `times` says."""
        chance = np.random.default_rng(self.seed)
        for _ in range(self.times):
            logs = self._logs(chance)
            for name, strata in (
                ("hints", logs.hinted.astype(int)),
                ("simple", np.zeros(len(logs.user), int)),
            ):
                self._count(self.seen[name], logs, strata, chance)
        return self.seen

    def _logs(self, chance: np.random.Generator) -> Logs:
        spread = 1 / self.alike - 1
        own = chance.beta(self.rate * spread, (1 - self.rate) * spread, USERS)
        size = chance.geometric(1 / SHORT, USERS) * np.where(chance.random(USERS) < 0.02, 10, 1)
        user = np.repeat(np.arange(USERS), size)
        failed = chance.random(len(user)) < own[user]
        said = chance.random(len(user)) < np.where(failed, self.caught, self.false_alarms)
        hinted = chance.random(len(user)) < np.where(failed, self.pointed, self.stray)
        return Logs(user, said, hinted)

    def _count(self, seen: Seen, logs: Logs, strata: NDArray[np.int64], chance: np.random.Generator) -> None:
        sample, drawn = sampled(logs, strata, self.n, chance)
        answers = logs.said[drawn].tolist()
        found = sample.rate(answers)
        if not isinstance(found, Estimate):
            seen.silent += 1
            seen.bounded += (sample.at_most(answers) or 0.0) >= self.judged_rate
            return
        seen.estimated += 1
        seen.held += self._true(found.low) <= self.rate <= self._true(found.high)
        seen.held_here += found.low <= logs.said.mean() <= found.high
        seen.width += found.high - found.low
        seen.bias += found.rate - self.judged_rate
        seen.not_measurable += self.false_alarms > found.low

    def _true(self, judged: float) -> float:
        """The true rate that would give a rate of FAILs."""
        return (judged - self.false_alarms) / (self.caught - self.false_alarms)


def sampled(
    logs: Logs, strata: NDArray[np.int64], n: int, chance: np.random.Generator
) -> tuple[Sample, NDArray[np.int64]]:
    """A sample with the weights of `ib scan --sample`, and the conversations that were drawn."""
    count = int(strata.max()) + 1
    weights = {str(at): WEIGHTS["gate_hint" if at else "no_hint"] for at in range(count)}
    places = [np.flatnonzero(strata == at) for at in range(count)]
    sizes = {str(at): len(mine) for at, mine in enumerate(places)}
    wanted = allocated(sizes, weights, n)
    drawn = np.concatenate(
        [chance.choice(mine, wanted[str(at)], replace=False) for at, mine in enumerate(places)]
    )
    counts = np.zeros((USERS, count), dtype=int)
    np.add.at(counts, (logs.user, strata), 1)
    products = counts.T @ counts
    design = Design(tuple(sizes.values()), tuple(wanted.values()), tuple(map(tuple, products.tolist())))
    cases = [
        Drawn(int(strata[at]), str(logs.user[at]), tuple(counts[logs.user[at]].tolist())) for at in drawn
    ]
    return Sample(design, cases), drawn


def trials(times: int) -> Iterator[Trial]:
    """Every combination of the study."""
    for rate, alike, (caught, alarms), n in product(
        (1 / 10, 1 / 50, 1 / 200, 1 / 500), (0.05, 0.3), ((0.9, 0.0), (0.8, 0.005), (0.9, 0.02)), (500, 2000)
    ):
        yield Trial(rate, alike, n, caught, alarms, times=times)


def main(times: int) -> int:
    """Print a line for each trial and design. Returns 1 if a coverage is too low."""
    low = 0
    print("1-in alike caught alarms n design: estimated coverage here width bias bounded not-measurable")
    for trial in trials(times):
        for name, seen in trial.run().items():
            count = seen.estimated or 1
            is_low = seen.estimated >= LEAST_ESTIMATED * times and seen.held / count < LEAST
            low += is_low
            kind = (round(1 / trial.rate), trial.alike, trial.caught, trial.false_alarms, trial.n, name)
            bounded = f"{seen.bounded / seen.silent:.3f}" if seen.silent else "-"
            print(
                f"{' '.join(map(str, kind))}: {seen.estimated / times:.3f} {seen.held / count:.3f} "
                f"{seen.held_here / count:.3f} {seen.width / count:.4f} {seen.bias / count:+.4f} {bounded} "
                f"{seen.not_measurable / count:.3f}{' TOO LOW' if is_low else ''}",
                flush=True,
            )
    return int(low > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 400))
