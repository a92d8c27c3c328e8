"""Asking the questions of a scan in batches of the provider."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ib.errors import UsageError
from ib.judges.base import Judge
from ib.pipeline.common.callbacks import Callbacks
from ib.store.folders.batches import BatchList


@dataclass(frozen=True)
class Batching:
    """How the questions of a scan are asked in batches of the provider."""

    hours: float = 24.0
    """Hours after which a batch is cancelled and its rest is asked live."""
    leave: bool = False
    """Submit and end, in place of waiting. `resume` fetches the answers."""


def refuse_open(batches: BatchList, judges: Iterable[Judge]) -> None:
    """Raises UsageError if a scan without --batch would pay again for what stands in an open batch."""
    if not batches.open or all(judge.in_process for judge in judges):
        return
    lines = sum(len(one.requests) for one in batches.open)
    raise UsageError(
        f"{lines:,} questions of this scan stand in a batch whose answers were not fetched: go on with "
        f"--batch and --resume. To pay for them again, delete {batches.path} first"
    )


def ask_in_batches(judge: Judge, batches: BatchList, batching: Batching, callbacks: Callbacks) -> None:
    """Make a judge answer in batches. Raises UsageError if the judge is not a model at a provider."""
    # Imported only when needed, so that other scans start faster.
    from ib.client.batcher import BatchTerms
    from ib.judges.live import LiveJudge

    if not isinstance(judge, LiveJudge):
        raise UsageError("--batch needs a judge at a provider: PROVIDER/MODEL")
    terms = BatchTerms(3600 * batching.hours, batching.leave, callbacks.notice)
    judge.connection.batching = (batches, terms)
