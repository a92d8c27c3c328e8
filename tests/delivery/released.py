"""A release folder, opened as the site opens it."""

from __future__ import annotations

from pathlib import Path

from delivery.release.background import load_background
from delivery.release.sealed import open_sealed
from delivery.release.view import Release
from ib.board.evidence.leaks import LeakSearch
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.leaks import load_leak_forms


def opened(folder: Path, root: Path) -> Release:
    """The release of a folder, with the benchmark of another folder."""
    benchmark = load_benchmark(root)
    sealed = open_sealed(folder, benchmark, LeakSearch(load_leak_forms()))
    return sealed.release(benchmark, load_background(root, benchmark))
