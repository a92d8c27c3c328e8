"""The engine of this machine: the shards of a job, done by processes of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

from ib.batch.job import Job
from ib.errors import DataError, Finding, Findings, WorldError
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.scan.results import begin_worker, cores

Result = TypeVar("Result")
TRIES = 3
"""How often processes are started again after one was killed."""


class Each(Protocol):
    """Runs a task for each of some shards, by the processes of an engine. Yields what the tasks return."""

    def __call__(
        self, task: Callable[[Job, int], Result], job: Job, shards: Iterable[int], /
    ) -> Iterator[Result]: ...


def run_shards(
    job: Job, shards: Sequence[int] | None = None, workers: int = 0, callbacks: Callbacks = SILENT
) -> None:
    """Do shards of a job, by default all that are pending, with that many processes; 0 means all cores.

    Raises DataError as `do_shards` does, and WorldError as `Workers` does.
    """
    with Workers(workers, callbacks.notice) as each:
        do_shards(each, job, shards, callbacks)


def do_shards(
    each: Each, job: Job, shards: Sequence[int] | None = None, callbacks: Callbacks = SILENT
) -> None:
    """Do shards of a job, by default all that are pending. `each` runs a task for each of some shards.

    Raises DataError with what is wrong with the conversations of all shards; shards without errors stay done.
    """
    left = [shard for shard in job.pending() if shards is None or shard in shards]
    findings = Findings()
    for found in callbacks.counted(each(do_shard, job, left), len(left), "shards"):
        findings.extend(found)
    if findings:
        raise DataError(findings)


@dataclass
class Workers:
    """Processes of this machine that run tasks. A context manager, and an `Each`."""

    count: int = 0
    """How many processes; 0 for one for each core. One shard, or one process, needs none of its own."""
    notice: Callable[[str], None] = SILENT.notice
    """Called with a sentence if a process is killed."""
    _pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def __call__(
        self, task: Callable[[Job, int], Result], job: Job, shards: Iterable[int], /
    ) -> Iterator[Result]:
        """What the task returns for each shard, as it comes. A shard whose process is killed is done again.

        Raises WorldError if processes are killed again and again.
        """
        left, before = dict.fromkeys(shards), set(multiprocessing.active_children())
        for _ in range(TRIES):
            try:
                for shard, found in self._done_each(task, job, tuple(left)):
                    del left[shard]
                    yield found
                return
            except BrokenProcessPool:
                self._end()
                for child in set(multiprocessing.active_children()) - before:
                    child.kill()  # it was started while the pool ended, which does not know of it
                self.notice("a worker was killed; its shard is done again")
        raise WorldError(
            f"workers were killed {TRIES} times; what is done is kept. Try fewer --workers, then --resume"
        )

    def _done_each(
        self, task: Callable[[Job, int], Result], job: Job, shards: Sequence[int]
    ) -> Iterator[tuple[int, Result]]:
        """Each shard with what the task returns for it."""
        count = self.count or cores()
        if min(count, len(shards)) <= 1:
            yield from ((shard, task(job, shard)) for shard in shards)
            return
        if self._pool is None:  # A forked process would inherit the threads of Arrow in an unknown state.
            self._pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), begin_worker)
        try:
            doing = {self._pool.submit(task, job, shard): shard for shard in shards}
        except (RuntimeError, TypeError) as error:
            # What Python's pool raises if a process is killed while it starts another: its thread has let go
            # of the table of processes, or walks through it.
            raise BrokenProcessPool("a process was killed while another was started") from error
        try:
            for done in as_completed(list(doing)):
                yield doing.pop(done), done.result()
        finally:
            for one in doing:
                one.cancel()

    def _end(self) -> None:
        """Let the processes end, when they have done what they are at."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def do_shard(job: Job, shard: int) -> tuple[Finding, ...]:
    """Do a shard. Findings are returned, because a DataError does not survive pickling."""
    try:
        job.do(shard)
    except DataError as error:
        return error.findings
    return ()
