"""A small release with everything in it, and edits of it by somebody who makes every hash again."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from ib.models.common.canonical import by_row, compact, digest
from ib.models.release.bytes import ROWS
from ib.models.release.verified import Verified
from ib.pipeline.common.select import Selection
from ib.pipeline.release.release import prepare_release, write_release
from ib.pipeline.release.verify import verify_release
from ib.pipeline.run.play import play
from ib.pipeline.scan.judges import SCRIPTS
from ib.pipeline.scan.scan import scan
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_twins
from tests.once import once

MODELS = ("reference/companion", "reference/alarmist")


def scanned(factory: pytest.TempPathFactory) -> Path:
    """A folder with a scan of two reference assistants on a few scenarios and a safe twin."""

    def make(folder: Path) -> None:
        played = play(MODELS, scenarios=Selection(ids=chosen()), out=folder / "run")
        scan(played.transcripts, profile="publish", judge=SCRIPTS, out=folder / "scan")

    return once(factory, "small-scan", make) / "scan"


def chosen() -> tuple[str, ...]:
    """A safe twin, its parent, which has gate checks, and one more scenario."""
    twin = next(iter(load_twins(benchmark_folder()).values()))
    return (twin.twin.of, twin.scenario_id, "empathy-burnout-money-and-drinking")


def released(factory: pytest.TempPathFactory) -> Path:
    """The release of that scan, at stage demo. Tests must not change it."""

    def make(folder: Path) -> None:
        write_release(prepare_release(scanned(factory), "demo", None), folder / "release")

    return once(factory, "small-release", make) / "release"


def verified(folder: Path) -> Verified:
    """The release verified."""
    return verify_release(folder)


def edit(folder: Path, name: str, change: Callable[[Any], object]) -> None:
    """Change a document of a release, or the list of its lines, and write it in the form of a release."""
    path = folder / name
    document = read(path)
    change(document)
    write(path, document)


def read(path: Path) -> Any:
    """A document of a release, or the list of its lines."""
    data = path.read_bytes()
    return [*map(orjson.loads, data.splitlines())] if path.suffix == ".jsonl" else orjson.loads(data)


def write(path: Path, document: Any) -> None:
    """Write what `read` gives."""
    lines = path.suffix == ".jsonl"
    path.write_bytes(b"".join(compact(row) + b"\n" for row in document) if lines else by_row(document, ROWS))


def edit_rows(folder: Path, name: str, change: Callable[[list[Any]], object]) -> None:
    """Change the rows of a file of the source, and pack them again."""
    path = folder / name
    rows = [orjson.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    change(rows)
    path.write_bytes(gzip.compress(b"".join(compact(row) + b"\n" for row in rows), mtime=0))


def reseal(folder: Path) -> None:
    """Make every hash and the seal again, as somebody with bad intent would."""
    path = folder / "qa.json"
    qa = orjson.loads(path.read_bytes())
    qa["released"] = {
        one.relative_to(folder).as_posix(): hashlib.sha256(one.read_bytes()).hexdigest()
        for one in folder.rglob("*")
        if one.is_file() and one != path
    }
    qa["seal"] = digest({name: value for name, value in qa.items() if name != "seal"})
    path.write_bytes(by_row(qa, ROWS))


def copied(release: Path, folder: Path) -> Path:
    """A copy of a release that a test may change."""
    return shutil.copytree(release, folder / "release")
