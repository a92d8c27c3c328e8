"""Writing an export into a new folder, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from delivery.export.registry import Export
from delivery.release.sealed import open_sealed
from ib.errors import OutputExists, Refused
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.leaks import leaks_here
from ib.store.files.writing import staging, swap_folder


def refuse_existing(out: Path) -> None:
    """Raises OutputExists if the folder of an export exists."""
    if out.exists():
        raise OutputExists(f"{out}: already exists; choose another folder")


def write_export(form: Export, release: Path, out: Path, benchmark: Path | None = None) -> list[str]:
    """Write the export of a release into a new folder. Returns the names of its files, sorted.

    `benchmark` is the folder of the benchmark that the release was made with (None for that of the package).
    Raises OutputExists if `out` exists, Refused if the release did not pass the gate or the export would be
    empty, and DataError if the folder is not a release.
    """
    refuse_existing(out)
    root = benchmark_folder() if benchmark is None else benchmark
    used = load_benchmark(root)
    sealed = open_sealed(release, used, leaks_here())
    with staging(out) as staged:
        names = [_written(staged, *file) for file in form(sealed.release(used), sealed.files)]
        if not names:
            raise Refused(f"{release} carries nothing that this form holds: its conversations are withheld")
        swap_folder(staged, out)
    return sorted(names)


def _written(folder: Path, name: str, data: bytes) -> str:
    """Write a file of an export, and return its name. Nothing keeps its bytes: an export may be large."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return name
