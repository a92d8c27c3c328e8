"""Inspecting this machine: what it has, what is missing, and whether it is required."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ib.errors import DataError
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.wording import counted

PACKAGE = "invisiblebench"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ENOUGH = 1 << 30
"""With fewer free bytes, a large scan may not fit."""


@dataclass(frozen=True)
class Inspected:
    """One inspected item."""

    what: str
    found: str
    needed: bool
    ok: bool


def inspect_machine(benchmark: Path | None) -> tuple[Inspected, ...]:
    """All inspected items. `benchmark` is the folder of a benchmark; None means that of the package."""
    return (*_python(), *_packages(), _benchmark(benchmark), _browser(), _disk())


def _python() -> list[Inspected]:
    version = ".".join(map(str, sys.version_info[:3]))
    return [Inspected("python", version, needed=True, ok=sys.version_info >= (3, 11))]


def _packages() -> list[Inspected]:
    found = []
    try:
        wanted = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        words = "not installed, so its requirements are unknown; run `pip install .`"
        return [Inspected(PACKAGE, words, needed=False, ok=False)]
    # `mkdocs-material<10,>=9.6`, and `pytest>=8.2; extra == "test"`, which only its tests need.
    names = [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in wanted if "extra ==" not in line]
    for name in names:
        try:
            found.append(Inspected(name, metadata.version(name), needed=True, ok=True))
        except metadata.PackageNotFoundError:
            found.append(Inspected(name, "not installed", needed=True, ok=False))
    return found


def _benchmark(folder: Path | None) -> Inspected:
    try:
        benchmark = load_benchmark(folder)
    except DataError as error:
        found = f"{counted(len(error.findings), 'finding')}; see `ib lint`"
        return Inspected("benchmark", found, needed=True, ok=False)
    version = "without VERSION" if benchmark.version is None else f"version {benchmark.version}"
    numbers = len(benchmark.checks), len(benchmark.lexicons)
    words = f"{version}, {counted(numbers[0], 'check')}, {counted(numbers[1], 'lexicon')}"
    return Inspected("benchmark", words, needed=True, ok=True)


def _browser() -> Inspected:
    name = next((b for b in BROWSERS if shutil.which(b)), None)
    words = name or "none; browser tests are skipped"
    return Inspected("browser", words, needed=False, ok=name is not None)


def _disk() -> Inspected:
    free = shutil.disk_usage(Path.cwd()).free
    return Inspected("disk", f"{free / (1 << 30):.1f} GiB free", needed=False, ok=free >= ENOUGH)
