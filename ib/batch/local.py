"""The engine of this machine: the shards of a job, done by processes of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from ib.batch.job import Job
from ib.errors import DataError, Finding, Findings, WorldError
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.scan.results import begin_worker, cores

Result = TypeVar("Result")
TRIES = 3
"""How often processes are started again after one was killed."""


def run_shards(
    job: Job, shards: Sequence[int] | None = None, workers: int = 0, callbacks: Callbacks = SILENT
) -> None:
    """Do shards of a job, by default all that are pending, with that many processes; 0 means all cores.

    Raises DataError with what is wrong with the conversations of all shards; shards without errors stay done.
    Raises WorldError as `on_shards` does.
    """
    left = [shard for shard in job.pending() if shards is None or shard in shards]
    findings = Findings()
    for found in callbacks.counted(on_shards(do_shard, job, left, workers, callbacks), len(left), "shards"):
        findings.extend(found)
    if findings:
        raise DataError(findings)


def on_shards(
    task: Callable[[Job, int], Result],
    job: Job,
    shards: Iterable[int],
    workers: int = 0,
    callbacks: Callbacks = SILENT,
) -> Iterator[Result]:
    """What a task returns for each shard, as it comes, with that many processes; 0 means all cores.

    A shard whose process is killed is done again. Raises WorldError if processes are killed again and again.
    """
    left = dict.fromkeys(shards)
    for _ in range(TRIES):
        try:
            for shard, found in _done_each(task, job, tuple(left), workers or cores()):
                del left[shard]
                yield found
            return
        except BrokenProcessPool:
            callbacks.notice("a worker was killed; its shard is done again")
    raise WorldError(
        f"workers were killed {TRIES} times; what is done is kept. Try fewer --workers, then --resume"
    )


def _done_each(
    task: Callable[[Job, int], Result], job: Job, shards: Sequence[int], workers: int
) -> Iterator[tuple[int, Result]]:
    """Each shard with what the task returns for it."""
    workers = min(workers, len(shards))
    if workers <= 1:
        yield from ((shard, task(job, shard)) for shard in shards)
        return
    # A forked process would inherit the threads of Arrow in an unknown state.
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), begin_worker)
    try:
        doing = {pool.submit(task, job, shard): shard for shard in shards}
        for done in as_completed(list(doing)):
            yield doing.pop(done), done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def do_shard(job: Job, shard: int) -> tuple[Finding, ...]:
    """Do a shard. Findings are returned, because a DataError does not survive pickling."""
    try:
        job.do(shard)
    except DataError as error:
        return error.findings
    return ()
