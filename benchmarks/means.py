"""How often intervals of a mean with rare zeros hold: `python -m benchmarks.means [REPETITIONS]`.

Scores of conversations in scenario families of one to three: some are 0, as those of hard fails, and the
others are high. For each number of families and each share of zeros: the coverage of Student's t and of the
interval that overall scores have, and their mean widths. A mean without an interval counts as not covered.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ib.stats.means import Mean, clustered_mean
from ib.stats.mixtures import mixed_mean

FAMILIES = (8, 16, 32, 64)
ZEROS = (0.01, 0.02, 0.05, 0.1, 0.2)
SEED = 20261121
LARGE = 200_000
"""The families of the sample that stands for all."""
Sample = tuple[list[float], list[str]]
Made = Callable[[np.random.Generator, int, float], tuple[np.ndarray, np.ndarray]]
"""Scores of families, and how many of the three of each family count."""


def _sizes(source: np.random.Generator, families: int) -> np.ndarray:
    return source.choice([1, 1, 1, 2, 3], families)


def alone(source: np.random.Generator, families: int, zeros: float) -> tuple[np.ndarray, np.ndarray]:
    """Zeros fall at random; the others are near 0.95 and alike."""
    others = source.beta(38, 2, (families, 3))
    return np.where(source.random((families, 3)) < zeros, 0.0, others), _sizes(source, families)


def together(source: np.random.Generator, families: int, zeros: float) -> tuple[np.ndarray, np.ndarray]:
    """Zeros come in the same families, with a correlation of 0.3; four of five others are 1."""
    share = source.beta(zeros / 0.3 * 0.7, (1 - zeros) / 0.3 * 0.7, (families, 1))
    low = source.uniform(0.3, 1, (families, 3))
    others = np.where(source.random((families, 3)) < 0.8, 1.0, low)
    return np.where(source.random((families, 3)) < share, 0.0, others), _sizes(source, families)


def dependent(source: np.random.Generator, families: int, zeros: float) -> tuple[np.ndarray, np.ndarray]:
    """Zeros come only in the half of the families with the lower scores."""
    level = source.beta(16, 4, (families, 1))
    others = np.clip(level + source.normal(0, 0.07, (families, 3)), 0.01, 1)
    share = np.where(level < 0.8063, 2 * zeros, 0.0)
    return np.where(source.random((families, 3)) < share, 0.0, others), _sizes(source, families)


KINDS: tuple[tuple[str, Made], ...] = (
    ("at random", alone),
    ("together", together),
    ("where scores are low", dependent),
)


def main(repetitions: int) -> None:
    """Print a row of a Markdown table for each kind, share of zeros and number of families."""
    print("| zeros | share | families | Student t: coverage, width | product: coverage, width |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, made in KINDS:
        for zeros in ZEROS:
            source = np.random.default_rng(SEED)
            truth = _mean(*made(source, LARGE, zeros))
            for families in FAMILIES:
                samples = list(_samples(made, source, families, zeros, repetitions))
                cells = (covered(samples, truth, how) for how in (clustered_mean, mixed_mean))
                shown = " | ".join(f"{share:.3f}, {width:.2f}" for share, width in cells)
                print(f"| {name} | {zeros:.0%} | {families} | {shown} |", flush=True)


def _mean(scores: np.ndarray, sizes: np.ndarray) -> float:
    counted = np.arange(3) < sizes[:, None]
    return float(scores[counted].mean())


def _samples(
    made: Made, source: np.random.Generator, families: int, zeros: float, repetitions: int
) -> Iterator[Sample]:
    for _ in range(repetitions):
        scores, sizes = made(source, families, zeros)
        told = [(float(scores[at, one]), str(at)) for at in range(families) for one in range(sizes[at])]
        values, names = zip(*told, strict=True)
        yield list(values), list(names)


def covered(
    samples: Sequence[Sample], truth: float, interval: Callable[[list[float], list[str]], Mean]
) -> tuple[float, float]:
    """The share of samples whose interval holds the truth, and the mean width of the intervals."""
    found = [interval(*sample) for sample in samples]
    ends = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    held = sum(low <= truth <= high for low, high in ends)
    return held / len(samples), float(np.mean([high - low for low, high in ends])) if ends else float("nan")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
