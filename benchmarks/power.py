"""Whether the least difference that a comparison states is found: `python -m benchmarks.power [REPETITIONS]`.

Two models play the conversations of some families. In a family with the stated chance, one fails every
conversation and the other none; elsewhere, both pass. The comparison of a release then tests the pair.
"""

from __future__ import annotations

import random
import sys

from ib.board.figures.comparisons import PairedTable
from ib.stats.power import ALPHA, least_difference

FAMILIES = (6, 8, 10, 15, 20, 36, 56)
SEED = 20261121


def main(repetitions: int) -> None:
    """Print a row of a Markdown table for each number of families."""
    print("| families | least difference | found at it | found at half of it |")
    print("| ---: | ---: | ---: | ---: |")
    source = random.Random(SEED)  # noqa: S311 - samples, no secret
    for families in FAMILIES:
        least = least_difference(families)
        assert least is not None
        at, half = (found(families, share, repetitions, source) for share in (least, least / 2))
        print(f"| {families} | {100 * least:.0f} points | {at:.3f} | {half:.3f} |", flush=True)


def found(families: int, share: float, repetitions: int, source: random.Random) -> float:
    """How often the pair differs with a p value below ALPHA."""
    hits = 0
    for _ in range(repetitions):
        table = PairedTable()
        for family in range(families):
            differs = source.random() < share
            for _ in range(source.choice((1, 1, 1, 2, 3))):
                table.add(str(family), differs, False)
        hits += table.p < ALPHA
    return hits / repetitions


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
