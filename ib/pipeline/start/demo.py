"""The folder and the first steps of a demonstration. Files that no demonstration made are never deleted."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ib.errors import UsageError
from ib.models.exam.report import ExamReport
from ib.pipeline.common.callbacks import Callbacks
from ib.pipeline.common.select import Selection, select
from ib.pipeline.run.play import Run, play
from ib.pipeline.scan.judges import SCRIPTS
from ib.pipeline.scan.scan import scan
from ib.store.benchmark.characters import character_paths
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_contract, load_played, load_scenarios
from ib.store.files.writing import LOCK, create_folder, is_temporary
from ib.store.folders.scans import ScanFolder
from ib.targets.reference import PREFIX

MARK = ".ib-demo"
MADE = frozenset((MARK, LOCK, "run", "scan", "release", "site", "exam", "sets"))
"""The names of all files and folders of a demonstration."""


def claim(out: Path) -> None:
    """Mark a new or empty folder as a demonstration. Raises UsageError if it holds other files."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; choose another folder with --out")
    there = sorted(path.name for path in out.iterdir()) if out.exists() else []
    if {*there} - {LOCK} and MARK not in there:
        raise UsageError(f"{out} exists and is not a demonstration; choose another folder with --out")
    foreign = next((name for name in there if not _own(name)), None)
    if foreign is not None:
        raise UsageError(
            f"{out} holds {foreign}, which `ib demo` did not make; move it, or choose another --out"
        )
    if not out.exists():
        create_folder(out)
    (out / MARK).touch()


def _own(name: str) -> bool:
    """True if a demonstration creates a file of this name, or leaves it behind when it is killed."""
    return name in MADE or is_temporary(name, "release|site")


def clear(out: Path) -> None:
    """Remove an earlier demonstration. The mark stays, so that a killed `clear` can be repeated."""
    for path in out.iterdir():
        if path.name not in (MARK, LOCK):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


def assistants(benchmark: Path | None) -> tuple[str, ...]:
    """The reference assistants of a benchmark. Raises UsageError if it has none."""
    names = tuple(PREFIX + name for name in character_paths(benchmark or benchmark_folder()))
    if not names:
        raise UsageError("the benchmark has no reference assistants; add one to its folder reference/")
    return names


def chosen_for_demo(benchmark: Path | None, ids: Sequence[str], *, few: bool) -> Selection:
    """The scenarios of a demonstration: those of `ids`, or with `few` one of each category, or all.

    Raises UsageError if an id does not exist, before anything is written.
    """
    if ids or not few:
        chosen = Selection(ids=ids)
        select(load_played(benchmark or benchmark_folder()), chosen)
        return chosen
    first: dict[str, str] = {}
    for name, scenario in sorted(load_scenarios(benchmark or benchmark_folder()).items()):
        if scenario.published and scenario.set is None:
            first.setdefault(scenario.category, name)
    return Selection(ids=tuple(first.values()))


def set_names(benchmark: Path | None) -> tuple[str, ...]:
    """The sets of a benchmark. Raises UsageError if it has none."""
    contract = load_contract(benchmark or benchmark_folder())
    names = () if contract is None else tuple(contract.sets)
    if not names:
        raise UsageError("the benchmark has no sets; leave --sets away")
    return names


class DemoStage(Protocol):
    """Where the assistants and the judge of a demonstration are."""

    @property
    def benchmark(self) -> Path | None:
        """The folder of the benchmark; None for that of the package."""

    @property
    def callbacks(self) -> Callbacks:
        """Where it reports progress."""

    @property
    def calls(self) -> str:
        """What is to be said about calls over the network; empty if there were none."""

    def play(self, names: Sequence[str], chosen: Selection, out: Path) -> Run:
        """Play the reference assistants into a new folder."""

    def scan(self, transcripts: Path, out: Path) -> ScanFolder:
        """Judge transcripts with the judge that knows the scripts into a new folder."""

    def exam(self, out: Path) -> ExamReport | None:
        """Let a judge sit the exam into a new folder; None without a server."""


@dataclass(frozen=True)
class InThisProcess:
    """The usual stage: without a network."""

    benchmark: Path | None
    callbacks: Callbacks
    calls: str = ""

    def play(self, names: Sequence[str], chosen: Selection, out: Path) -> Run:
        return play(names, scenarios=chosen, out=out, benchmark=self.benchmark, callbacks=self.callbacks)

    def scan(self, transcripts: Path, out: Path) -> ScanFolder:
        return scan(
            transcripts, profile="publish", judge=SCRIPTS, out=out, benchmark=self.benchmark,
            callbacks=self.callbacks,
        )  # fmt: skip

    def exam(self, out: Path) -> ExamReport | None:
        return None


@contextlib.contextmanager
def stage_of(benchmark: Path | None, callbacks: Callbacks, *, live: bool) -> Iterator[DemoStage]:
    """The stage of a demonstration. With `live`, a server that runs as long as this block does."""
    if not live:
        yield InThisProcess(benchmark, callbacks)
        return
    from ib.pipeline.start.rehearsal import Rehearsal  # imports the server, which takes time

    with Rehearsal(benchmark, callbacks) as rehearsal:
        yield rehearsal
