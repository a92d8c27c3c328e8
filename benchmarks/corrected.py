"""How often the interval of a rate corrected by people has the true rate, by simulation (`make study`).

Each trial makes a world: scenario families with failure rates of their own, judged verdicts of a machine that
misses failures and raises false alarms, and a sample that people read without error. The true rate is that of
all families that there could be, which is what the intervals of a board are about.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from ib.board.review.drawing import shares
from ib.stats.corrected import Sampled, corrected
from ib.stats.design import Estimate

LEAST = 0.93
"""The least coverage that must be seen."""
LEAST_ESTIMATED = 0.5
"""Coverage is asked for where at least this share of samples gives an estimate. An estimate that is only made
of the samples that happened to find many failures is too high, whatever its interval."""
PER_SCENARIO = 24
"""Verdicts of one dimension on a scenario: three models, eight checks."""


@dataclass(frozen=True)
class Outcome:
    """What the samples of a trial gave."""

    estimated: float
    """The share of samples with an estimate."""
    coverage: float
    """The share of the estimates whose interval has the true rate."""
    wrong: float
    """The share of all samples with an interval that does not have it."""
    width: float
    """The mean width of an interval."""
    bias: float
    """The mean difference from the true rate."""


@dataclass(frozen=True)
class Trial:
    """Worlds of one kind, each sampled once."""

    rate: float
    """The true rate."""
    families: int
    alike: float
    """The correlation of two verdicts of a family."""
    design: str
    n: int
    """How many verdicts are drawn."""
    caught: float = 0.7
    """The share of the failures that the machine finds."""
    false_alarms: float = 0.02
    """The share of other conversations that it calls a failure."""
    times: int = 2000
    seed: int = 1

    def run(self) -> Outcome:
        """Draw and estimate as often as `times` says."""
        chance = np.random.default_rng(self.seed)
        made = [corrected(self._sample(chance)) for _ in range(self.times)]
        found = [one for one in made if isinstance(one, Estimate)]
        held = sum(one.low <= self.rate <= one.high for one in found)
        count = len(found) or 1
        return Outcome(
            estimated=len(found) / self.times,
            coverage=held / count,
            wrong=(len(found) - held) / self.times,
            width=sum(one.high - one.low for one in found) / count,
            bias=sum(one.rate - self.rate for one in found) / count,
        )

    def _sample(self, chance: np.random.Generator) -> list[Sampled]:
        """A world, of which `n` verdicts were drawn and read."""
        verdicts = list(self._verdicts(chance))
        strata: defaultdict[str, list[int]] = defaultdict(list)
        for at, (stratum, *_) in enumerate(verdicts):
            strata[stratum].append(at)
        wanted = shares({name: len(mine) for name, mine in strata.items()}, self.n)
        drawn: set[int] = set()
        for name, mine in strata.items():
            drawn.update(chance.choice(mine, wanted[name], replace=False).tolist())
        return [
            Sampled(stratum, family, machine, people if at in drawn else None)
            for at, (stratum, family, machine, people) in enumerate(verdicts)
        ]

    def _verdicts(self, chance: np.random.Generator) -> Iterator[tuple[str, str, bool, bool]]:
        """Each verdict: its stratum, its family, what the machine said, and what people would say."""
        spread = 1 / self.alike - 1
        own = chance.beta(self.rate * spread, (1 - self.rate) * spread, self.families)
        for family, likely in enumerate(own):
            size = PER_SCENARIO * (2 if family % 5 == 0 else 1)
            people = chance.random(size) < likely
            machine = chance.random(size) < np.where(people, self.caught, self.false_alarms)
            split = chance.random(size) < np.where(people != machine, 0.4, 0.1)
            for said, judged, is_split in zip(people, machine, split, strict=True):
                pattern = f"{bool(judged)}/{bool(is_split)}" if self.design == "stratified" else "all"
                yield pattern, str(family), bool(judged), bool(said)


def trials(times: int) -> Iterator[Trial]:
    """Every combination of the study."""
    for rate, (families, alike), (caught, alarms), design, n in product(
        (0.03, 0.1, 0.3),
        ((20, 0.1), (56, 0.05), (56, 0.2)),
        ((0.7, 0.02), (0.9, 0.1)),
        ("uniform", "stratified"),
        (60, 200),
    ):
        yield Trial(rate, families, alike, design, n, caught, alarms, times)


def main(times: int) -> int:
    """Print a line for each trial. Returns 1 if a coverage is too low."""
    low = 0
    print("rate families alike caught alarms design n: estimated coverage wrong width bias")
    for trial in trials(times):
        found = trial.run()
        is_low = found.estimated >= LEAST_ESTIMATED and found.coverage < LEAST
        low += is_low
        errors = (trial.caught, trial.false_alarms)
        kind = (trial.rate, trial.families, trial.alike, *errors, trial.design, trial.n)
        print(
            f"{' '.join(map(str, kind))}: {found.estimated:.3f} {found.coverage:.3f} {found.wrong:.3f} "
            f"{found.width:.3f} {found.bias:+.4f}{' TOO LOW' if is_low else ''}",
            flush=True,
        )
    return int(low > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
