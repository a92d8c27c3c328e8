"""Verify a release without building its site."""

from __future__ import annotations

import os
from pathlib import Path

from delivery.release.sealed import SealedRelease, open_sealed
from ib.board.evidence.leaks import LeakSearch, secrets_of
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.leaks import load_leak_forms


def verify(folder: Path, root: Path | None = None) -> SealedRelease:
    """Return the release in a folder if it passed the gate and its parts belong together.

    `root` is the folder of the benchmark that the release was made with (None for the package's own).
    Raises Refused or DataError with every reason.
    """
    benchmark = load_benchmark(root)
    sealed = open_sealed(folder, benchmark, LeakSearch(load_leak_forms(), secrets_of(os.environ)))
    sealed.release(benchmark)
    return sealed
