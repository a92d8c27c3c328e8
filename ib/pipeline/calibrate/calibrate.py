"""Comparing a scan with labels: the figures of each check, and the comparison that it may name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ib.board.calibration.figures import calibration_figures
from ib.board.calibration.sentences import note
from ib.errors import UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.calibration import (
    FOLDER,
    Annotator,
    Calibration,
    CalibrationFigures,
    CalibrationItem,
    MeasuredCalibration,
    SourceFile,
)
from ib.models.benchmark.wording import wording_hash
from ib.models.common.canonical import compact
from ib.pipeline.calibrate.labels import Desk
from ib.pipeline.calibrate.matching import matched
from ib.pipeline.review.draw import same_benchmark
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.folders import scans


@dataclass(frozen=True)
class Compared:
    """What the labels say of a scan."""

    root: Path
    """The folder of the benchmark."""
    checks: Mapping[str, Calibration]
    """The comparison of each check with at least one verdict on a labeled conversation."""
    lines: Mapping[str, bytes]
    """The items of each of them, as the file that it names."""
    unanswered: tuple[str, ...]
    """The labeled checks on which the scan has no verdict."""
    every: CalibrationFigures
    """The figures over all of these checks together."""
    annotators: tuple[Annotator, ...]


def calibrate(
    scan: Path,
    files: Sequence[Path],
    who: Mapping[str, Annotator],
    *,
    batch: Path | None = None,
    only: Collection[str] = (),
    benchmark: Path | None = None,
) -> Compared:
    """Compare the verdicts of a finished scan with labels. Nothing is written.

    `who` has the annotators by what files call them, `batch` is the batch of exports of Label Studio, and
    `only` names the checks to compare. Raises DataError with all findings about the files, and UsageError if
    the scan was changed by reviews or has no verdict on a labeled conversation.
    """
    folder = scans.ScanFolder(scan)
    folder.manifest()
    if (scan / scans.REVIEWS).exists():
        raise UsageError(f"{scan} has verdicts of people; name the scan that their reviews were applied to")
    world = load_benchmark(benchmark)
    same_benchmark(folder, world)
    if unknown := sorted(set(only) - world.checks.keys()):
        raise UsageError(f"unknown check {unknown[0]!r}; `ib show check` lists all checks")
    desk = Desk(folder, benchmark, who, batch)
    given = [one for one in desk.read(files) if not only or one.check_id in only]
    if not given:
        raise UsageError(f"no label is about {', '.join(sorted(only))}")
    found = matched(folder, world, given)
    answered = {name: items for name, items in found.items.items() if any(one.verdict for one in items)}
    if not answered:
        raise UsageError(f"{scan} has no verdict on a labeled conversation: there is nothing to compare")
    measuring = _Measuring(folder, world, desk, files)
    everybody = tuple(desk.annotators[name] for name in sorted(desk.annotators))
    lines = {name: _lines(items) for name, items in answered.items()}
    return Compared(
        root=benchmark or benchmark_folder(),
        checks={
            name: measuring.of(name, items, lines[name], is_older=name in found.older)
            for name, items in answered.items()
        },
        lines=lines,
        unanswered=tuple(sorted(found.items.keys() - answered.keys())),
        every=calibration_figures([item for items in answered.values() for item in items], everybody),
        annotators=everybody,
    )


def _lines(items: Iterable[CalibrationItem]) -> bytes:
    return b"".join(compact(one) + b"\n" for one in items)


class _Measuring:
    """Makes the comparison of each check. What all of them have in common is computed once."""

    def __init__(self, folder: scans.ScanFolder, world: Benchmark, desk: Desk, files: Sequence[Path]) -> None:
        self._world, self._annotators = world, desk.annotators
        self._judge = folder.plan().judge
        self._results = scans.file_hash(folder.path / scans.RESULTS)
        self._sources = tuple(SourceFile(name=path.name, sha256=scans.file_hash(path)) for path in files)

    def of(self, name: str, items: Sequence[CalibrationItem], lines: bytes, *, is_older: bool) -> Calibration:
        """The comparison of a check. `is_older` if the judge answered another wording of its question."""
        labeled = {label.by for item in items for label in item.labels}
        mine = tuple(self._annotators[by] for by in sorted(labeled))
        measured = MeasuredCalibration(
            file=f"{FOLDER}/{name}.jsonl",
            sha256=scans.bytes_hash(lines),
            wording=None if is_older else wording_hash(self._world.checks[name], self._world),
            judge=self._judge.model,
            judge_hash=self._judge.identity,
            labels=self._sources,
            results=self._results,
            annotators=mine,
            figures=calibration_figures(items, mine),
        )
        return Calibration(status=measured.status, note=note(measured), measured=measured)
