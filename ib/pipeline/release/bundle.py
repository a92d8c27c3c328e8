"""The benchmark that a release was judged by, as rows of its source, and back as a folder.

A release carries the files that decide something: what the loader of the benchmark, the replay of a scan and
the gate read. Scenarios that are not published stay out, as their transcripts do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path, PurePosixPath

from ib.errors import DataError
from ib.models.benchmark.calibration import FOLDER as CALIBRATED
from ib.models.release.source import BENCHMARK, BenchmarkFile
from ib.store.benchmark.drawing import PUBLIC
from ib.store.benchmark.measured import TUNED
from ib.store.benchmark.scenarios import Scenarios
from ib.store.benchmark.versions import FILES, VERSION
from ib.store.files.reading import decode, read_bytes

MOST_FILES = 20_000
"""The most files of a bundled benchmark; ours has about 250."""


_WHOLE = (*FILES.values(), VERSION, PUBLIC)
"""The forms of the items of a benchmark, of its version, and of the key of its public draw."""
LABELS = f"{CALIBRATED}/*.jsonl"
"""The form of the files that calibrations are counted from."""


def bundled(root: Path) -> Iterator[BenchmarkFile]:
    """The files of a benchmark that a release carries, by path."""
    private = _unpublished(root)
    for path in sorted(_paths(root), key=lambda path: path.relative_to(root).as_posix()):
        if path not in private:
            name = path.relative_to(root).as_posix()
            yield BenchmarkFile(path=name, text=decode(read_bytes(path), name))


def _paths(root: Path) -> set[Path]:
    """The items of the benchmark, its version, its public draw, hits that let lexicons decide, and labels."""
    found = {path for pattern in (*_WHOLE, LABELS) for path in root.glob(pattern) if path.is_file()}
    folder = root / TUNED
    return found | {path for path in folder.rglob("*.jsonl") if path.is_file()}


def _unpublished(root: Path) -> Collection[Path]:
    """The files of scenarios and twins that the benchmark does not publish."""
    scenarios = Scenarios(root)
    return {path for name, path in scenarios.paths.items() if not scenarios[name].published}


def unpack(files: Iterable[BenchmarkFile], folder: Path) -> None:
    """Write bundled files into an empty folder. Raises DataError for a path that no benchmark has."""
    for number, one in enumerate(files, start=1):
        path = PurePosixPath(one.path)
        target = folder / path
        if not _is_own(path) or number > MOST_FILES or target.exists():
            raise DataError.one(
                BENCHMARK, number, "path", f"found {one.path!r}", "each file of a benchmark once"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8", newline="") as file:
            file.write(one.text)


def _is_own(path: PurePosixPath) -> bool:
    """True if a path is relative, stays in its folder, and has one of the forms that `bundled` gives."""
    plain = not path.is_absolute() and ".." not in path.parts and "\\" not in str(path)
    forms = (*_WHOLE, LABELS, f"{TUNED}/*.jsonl", f"{TUNED}/**/*.jsonl")
    return plain and ":" not in str(path) and any(_matches(path, form) for form in forms)


def _matches(path: PurePosixPath, form: str) -> bool:
    """True if a path has a form such as `checks/*.yaml` or `scenarios/**/*.json`."""
    wanted = PurePosixPath(form).parts
    if "**" in wanted:
        first = wanted[: wanted.index("**")]
        return path.parts[: len(first)] == first and path.match(wanted[-1])
    return len(path.parts) == len(wanted) and path.match(form)


def differing(folder: Path, installed: Path) -> Iterator[str]:
    """How the benchmark of a release differs from another one: one line for each file, in words."""
    mine, theirs = _hashes(folder), _hashes(installed)
    private = {path.relative_to(installed).as_posix() for path in _unpublished(installed)}
    for name in sorted(mine.keys() | theirs.keys() - private):
        if name not in mine:
            yield f"{name} is only in this installation"
        elif name not in theirs:
            yield f"{name} is only in the release"
        elif mine[name] != theirs[name]:
            yield f"{name} is not the same"


def _hashes(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in _paths(root)
    }
