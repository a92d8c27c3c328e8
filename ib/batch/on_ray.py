"""The engine Ray: the shards of a job, done by Ray's workers on this machine or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ib.batch.job import Job
from ib.batch.local import TRIES, do_shard
from ib.errors import DataError, Finding, Findings, IbError, WorldError
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.scan.results import cores
from ib.text import sets

AT_ONCE = 1_000
"""How many shards are given to Ray at a time."""
STORE = 80 << 20
"""The memory of Ray's object store on this machine, in bytes: nothing large is passed through it."""
PRIVATE = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
"""Ray reports its usage to its makers unless told not to."""
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Makes 127.0.0.1 the address of this machine, as Ray does where it knows no clusters. With
`_node_ip_address` alone, Ray listens on every address of the machine."""


def run_on_ray(
    job: Job, shards: Sequence[int] | None = None, workers: int = 0, callbacks: Callbacks = SILENT
) -> None:
    """Do shards of a job, by default all that are pending, as tasks of Ray.

    The cluster is that of RAY_ADDRESS. Without it, Ray is started on this machine with `workers` processes, 0
    for all cores, and is reached from this machine alone. Ray does the shard of a killed worker again.
    Raises as `ib.batch.local.run_shards` does, and WorldError if Ray is missing or cannot be reached.
    """
    left = [shard for shard in job.pending() if shards is None or shard in shards]
    if not left:
        return
    findings = Findings()
    with _started(workers) as ray:
        for done, found in enumerate(_done_each(ray, job, left), start=1):
            findings.extend(found)
            callbacks.progress("shards", done, len(left))
    if findings:
        raise DataError(findings)


@contextmanager
def _started(workers: int) -> Iterator[Any]:
    """Ray, connected. What was started here ends with the block."""
    cluster = os.environ.get("RAY_ADDRESS")
    os.environ.update(PRIVATE if cluster else PRIVATE | LOOPBACK)  # read when Ray is imported
    try:
        import ray
    except ImportError as error:
        hint = "install it with `pip install invisiblebench[ray]`"
        raise WorldError(f"--engine ray needs the package ray; {hint}") from error
    if ray.is_initialized():  # by the program that calls this
        yield ray
        return
    own = {"address": "local", "num_cpus": workers or cores(), "object_store_memory": STORE}
    try:
        ray.init(
            **({} if cluster else own),
            include_dashboard=None if cluster else False,
            log_to_driver=False,
            logging_level="error",
        )
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        where = f"RAY_ADDRESS={cluster}" if cluster else "this machine"
        raise WorldError(f"Ray does not start on {where}: {str(error).splitlines()[0][:200]}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _done_each(ray: Any, job: Job, shards: Sequence[int]) -> Iterator[tuple[Finding, ...]]:
    """Do shards; yields the findings of each."""
    task = ray.remote(num_cpus=1, max_retries=TRIES)(judge_shard)
    shared, coming = ray.put(job), iter(shards)
    running: list[Any] = []
    try:
        while True:
            while len(running) < AT_ONCE and (shard := next(coming, None)) is not None:
                running.append(task.remote(shared, shard))
            if not running:
                return
            ready, running = ray.wait(running)
            yield from ray.get(ready)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, IbError):
            raise error.cause from error
        raise
    except ray.exceptions.RayError as error:
        said = str(error).splitlines()[0][:200]
        raise WorldError(f"Ray stopped: {said}; what is done is kept. Go on with --resume") from error


def judge_shard(job: Job, shard: int) -> tuple[Finding, ...]:
    """Do a shard in a worker of Ray."""
    sets.search_in_one_thread()  # Ray gives each task one core
    return do_shard(job, shard)
