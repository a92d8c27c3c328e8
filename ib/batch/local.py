"""The engine of this machine: the shards of a job, done by processes of its own."""

from __future__ import annotations

import multiprocessing
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar

from ib.batch.job import Job
from ib.errors import DataError, Finding, Findings, WorldError
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.scan.results import begin_worker, cores

Result = TypeVar("Result")
TRIES = 3
"""A shard whose process was killed so often is given up."""


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
    """Processes of this machine that run tasks. A context manager, and an `Each`.

    Each process is a pool of its own. One that is killed breaks no other, and none is started in a pool
    that may break meanwhile, which Python's pools do not survive: they raise other errors than they
    promise, or wait without end.
    """

    count: int = 0
    """How many processes; 0 for one for each core. One shard, or one process, needs none of its own."""
    notice: Callable[[str], None] = SILENT.notice
    """Called with a sentence if a process is killed."""
    _idle: list[ProcessPoolExecutor] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let the processes end, when they have done what they are at."""
        while self._idle:
            self._idle.pop().shutdown(cancel_futures=True)

    def __call__(
        self, task: Callable[[Job, int], Result], job: Job, shards: Iterable[int], /
    ) -> Iterator[Result]:
        """What the task returns for each shard, as it comes. A shard whose process is killed is done again.

        Raises WorldError if the processes of a shard are killed again and again.
        """
        left = deque(dict.fromkeys(shards))
        count = min(self.count or cores(), len(left))
        if count <= 1:
            yield from (task(job, shard) for shard in left)
            return
        killed: Counter[int] = Counter()
        doing: dict[Future[Result], tuple[int, ProcessPoolExecutor]] = {}
        try:
            while left or doing:
                while left and len(doing) < count:
                    shard = left.popleft()
                    begun, process = self._begin(task, job, shard)
                    doing[begun] = shard, process
                for done in wait(doing, return_when=FIRST_COMPLETED).done:
                    shard, process = doing.pop(done)
                    if not isinstance(done.exception(), BrokenProcessPool):
                        self._idle.append(process)
                        yield done.result()
                        continue
                    process.shutdown()
                    killed[shard] += 1
                    left.append(self._again(shard, killed[shard]))
        finally:
            for begun, (_, process) in doing.items():
                begun.cancel()
                self._idle.append(process)

    def _begin(
        self, task: Callable[[Job, int], Result], job: Job, shard: int
    ) -> tuple[Future[Result], ProcessPoolExecutor]:
        """Hand a shard to a process that does nothing, or to a new one."""
        while self._idle:
            process = self._idle.pop()
            try:
                return process.submit(task, job, shard), process
            except BrokenProcessPool:  # it was killed when it had nothing to do
                process.shutdown()
        # A forked process would inherit the threads of Arrow in an unknown state.
        process = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), begin_worker)
        return process.submit(task, job, shard), process

    def _again(self, shard: int, times: int) -> int:
        """The shard, if its process was not killed too often."""
        if times == TRIES:
            raise WorldError(
                f"workers were killed {TRIES} times; what is done is kept. Try fewer --workers, then --resume"
            )
        self.notice("a worker was killed; its shard is done again")
        return shard


def do_shard(job: Job, shard: int) -> tuple[Finding, ...]:
    """Do a shard. Findings are returned, because a DataError does not survive pickling."""
    try:
        job.do(shard)
    except DataError as error:
        return error.findings
    return ()
