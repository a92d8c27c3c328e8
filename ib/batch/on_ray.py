"""The engine Ray: the shards of a job, done by Ray's workers on this machine or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from ib.batch.job import Job
from ib.batch.local import TRIES
from ib.errors import IbError, WorldError
from ib.pipeline.scan.results import cores
from ib.text import sets

Result = TypeVar("Result")
AT_ONCE = 1_000
"""How many shards are given to Ray at a time."""
STORE = 80 << 20
"""The memory of Ray's object store on this machine, in bytes: nothing large is passed through it."""
PRIVATE = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
"""Ray reports its usage to its makers unless told not to."""
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Makes 127.0.0.1 the address of this machine, as Ray does where it knows no clusters. With
`_node_ip_address` alone, Ray listens on every address of the machine."""


def on_ray(
    task: Callable[[Job, int], Result], job: Job, shards: Iterable[int], workers: int = 0
) -> Iterator[Result]:
    """What a task of Ray returns for each shard, as it comes. Ray runs that of a killed worker again.

    Raises WorldError as `started` does, and if Ray stops.
    """
    listed = tuple(shards)
    if listed:
        with started(workers) as ray:
            yield from _done_each(ray, task, job, listed)


@contextmanager
def started(workers: int) -> Iterator[Any]:
    """Ray, connected; inside of the block it stays so, and then what was started here ends.

    The cluster is that of RAY_ADDRESS. Without it, Ray is started on this machine with `workers` processes, 0
    for all cores, and is reached from this machine alone. Raises WorldError if Ray is missing or cannot be
    reached.
    """
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


def _done_each(
    ray: Any, task: Callable[[Job, int], Result], job: Job, shards: Sequence[int]
) -> Iterator[Result]:
    """What the task returns for each shard."""
    remote = ray.remote(num_cpus=1, max_retries=TRIES)(in_one_thread)
    shared, coming = ray.put(job), iter(shards)
    running: list[Any] = []
    try:
        while True:
            while len(running) < AT_ONCE and (shard := next(coming, None)) is not None:
                running.append(remote.remote(task, shared, shard))
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


def in_one_thread(task: Callable[[Job, int], Result], job: Job, shard: int) -> Result:
    """Run a task in a worker of Ray, which gives it one core."""
    sets.search_in_one_thread()
    return task(job, shard)
