"""What holds replies of a scan back from everything that is published."""

from __future__ import annotations

from pathlib import Path

from ib.board.evidence.holding import Holding
from ib.pipeline.run.likeness import Likeness, assistants_of
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.folders.holding import load_decisions, load_holding_rules


def holding_of(scan: Path, benchmark: Path | None = None, *, unasked: bool = True) -> Holding:
    """The rules, what people decided in a scan, and the replies of reference assistants, which are known.

    `unasked` is that of `Holding`: False for a report, which may be on somebody's own logs.
    """
    root = benchmark or benchmark_folder()
    known = Likeness(assistants_of(load_benchmark(benchmark), root)).is_known
    return Holding(load_holding_rules(), load_decisions(scan), known, unasked)
