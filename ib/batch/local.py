"""The engine of this machine: the shards of a job, done by processes of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from ib.batch.job import Job
from ib.errors import DataError, Finding, Findings, WorldError
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.scan.results import begin_worker, cores

TRIES = 3
"""How often processes are started again after one was killed."""


def run_shards(
    job: Job, shards: Sequence[int] | None = None, workers: int = 0, callbacks: Callbacks = SILENT
) -> None:
    """Do shards of a job, by default all that are pending, with that many processes; 0 means all cores.

    A shard whose process is killed is done again. Raises DataError with what is wrong with the conversations
    of all shards; shards without errors stay done. Raises WorldError if processes are killed again and again.
    """
    findings = Findings()
    done = 0
    for _ in range(TRIES):
        left = [shard for shard in job.pending() if shards is None or shard in shards]
        total = done + len(left)
        try:
            for found in _done_each(job, left, workers or cores()):
                findings.extend(found)
                done += 1
                callbacks.progress("shards", done, total)
            break
        except BrokenProcessPool:
            callbacks.notice("a worker was killed; its shard is done again")
    else:
        raise WorldError(
            f"workers were killed {TRIES} times; what is done is kept. Try fewer --workers, then --resume"
        )
    if findings:
        raise DataError(findings)


def _done_each(job: Job, shards: Sequence[int], workers: int) -> Iterator[tuple[Finding, ...]]:
    """Do shards; yields the findings of each."""
    workers = min(workers, len(shards))
    if workers <= 1:
        yield from (do_shard(job, shard) for shard in shards)
        return
    # A forked process would inherit the threads of Arrow in an unknown state.
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), begin_worker)
    try:
        for done in as_completed([pool.submit(do_shard, job, shard) for shard in shards]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def do_shard(job: Job, shard: int) -> tuple[Finding, ...]:
    """Do a shard. Findings are returned, because a DataError does not survive pickling."""
    try:
        job.do(shard)
    except DataError as error:
        return error.findings
    return ()
