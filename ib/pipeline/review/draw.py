"""Drawing a batch from a finished scan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ib.board.review.drawing import Drawn, drawn, item_id, own_seed
from ib.board.review.items import item
from ib.board.review.population import cases_of
from ib.errors import DataError, UsageError
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.review.batch import Batch, Design, Draw, Item, Purpose, frozen
from ib.models.review.reviews import RowKey
from ib.pipeline.scan.find import pairs
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders import scans


@dataclass(frozen=True)
class DrawnBatch:
    """A batch, and which row of the scan each item is. Only the batch is for readers."""

    batch: Batch
    drawn: Drawn
    rows: Mapping[str, RowKey]
    """The row of each item, by the id of the item."""


def draw_batch(
    scan: Path,
    *,
    purpose: Purpose = Purpose.SAMPLE,
    n: int | None = None,
    design: Design = Design.STRATIFIED,
    seed: str | None = None,
    benchmark: Path | None = None,
) -> DrawnBatch:
    """Draw a batch from a finished scan. Without `seed`, the seed follows from the results.

    Raises UsageError if the scan has no verdict to review, or already has reviews; DataError if it is not
    complete, or was made with another benchmark.
    """
    folder = scans.ScanFolder(scan)
    folder.manifest()
    if (scan / scans.REVIEWS).exists():
        raise UsageError(f"{scan} has reviews already; name the scan that they were applied to")
    results_hash = scans.file_hash(scan / scans.RESULTS)
    is_gate = purpose is Purpose.GATE
    draw = Draw(
        purpose=purpose,
        design=None if is_gate else design,
        n=None if is_gate else n,
        seed=seed or own_seed(results_hash),
    )
    return redraw(folder, draw, results_hash, benchmark)


def redraw(folder: scans.ScanFolder, draw: Draw, results_hash: str, benchmark: Path | None) -> DrawnBatch:
    """The batch of a draw. Raises as `draw_batch` does."""
    world = load_benchmark(benchmark)
    same_benchmark(folder, world)
    found = drawn((case for _, result in pairs(folder) for case in cases_of(result)), draw, results_hash)
    if not found.cases:
        raise UsageError(f"{folder.path} has no verdict that a person could review")
    if found.untouched and draw.purpose is Purpose.SAMPLE:
        every = len(found.strata)
        raise UsageError(
            f"{draw.n} items leave {found.untouched} of {every} strata without one; draw at least {every}, "
            "or use --design uniform"
        )
    ids = {key: item_id(key, draw, results_hash) for key in found.keys}
    made = _items(folder, world, ids)
    batch = frozen(
        canary=world.canary,
        results_hash=results_hash,
        benchmark_hash=benchmark_hash(world),
        draw=draw,
        items=tuple(made[ids[key]] for key in found.keys),
    )
    return DrawnBatch(batch, found, {name: key for key, name in ids.items()})


def _items(folder: scans.ScanFolder, world: Benchmark, ids: Mapping[RowKey, str]) -> dict[str, Item]:
    """The items of some rows, by id."""
    found = {}
    for transcript, result in pairs(folder):
        for row in result.rows:
            name = ids.get((result.model_id, result.scenario_id, result.epoch, row.mode_id))
            if name is not None:
                found[name] = item(name, world.checks[row.mode_id], transcript, row)
    return found


def same_benchmark(folder: scans.ScanFolder, world: Benchmark) -> None:
    """Raises DataError if a scan was made with another benchmark: people are asked today's rules."""
    planned = folder.plan().benchmark_hash
    if planned != benchmark_hash(world):
        hint = "name the benchmark of the scan with --benchmark: its rules are what people are asked"
        found = f"{planned[:12]} is not the hash of this benchmark"
        raise DataError.one(folder.path / scans.PLAN, None, "benchmark_hash", found, hint)
