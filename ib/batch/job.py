"""A job: many files of conversations judged in shards, by any number of processes on any number of machines.

The protocol of every engine: make the job (`open_job`), list its shards (`pending`), do each (`do`), merge
(`ib.batch.merge`). A shard is done when its marker is there, and the marker is put only if it is absent.
Doing a shard twice gives the same bytes, so nothing is lost when a worker is killed, and nothing is doubled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ib import __version__
from ib.batch.columns import arrow, batch_of, schema
from ib.batch.places import Place
from ib.batch.scorer import Scorer
from ib.batch.sources import META, ROWS, Numbered, conversations, file_digest
from ib.engine.sparse import CONVERSATION, FORM, LEFT_OUT
from ib.errors import DataError, OutputExists, UsageError, WorldError
from ib.models.common.canonical import pretty
from ib.models.scan.artifacts import JOB_FORM, JobPlan, ShardDone
from ib.store.files.addresses import Located
from ib.store.files.validation import model_of_json
from ib.store.files.yaml_json import parse_shallow_json

PLAN = "batch_plan.json"
DONE = "done"
"""The folder of the markers."""
GROUP = 20_000
"""How many rows a group of rows of a shard has, at least."""


@dataclass(frozen=True)
class Job:
    """A job as one process sees it. It can be pickled."""

    place: Place
    sources: tuple[Located, ...]
    contents: tuple[str, ...]
    """The hash of each of the sources."""
    plan: JobPlan
    scorer: Scorer

    def pending(self) -> list[int]:
        """The shards that are not done, counted from 0."""
        marked = self.place.names(DONE)
        shards = range(self.plan.shards)
        return [shard for shard in shards if self.marker(shard).removeprefix(f"{DONE}/") not in marked]

    def done(self, shard: int) -> ShardDone | None:
        """The marker of a shard; None if it is not done. Raises DataError if it is no such marker."""
        name = self.marker(shard)
        data = self.place.read(name)
        return None if data is None else model_of_json(ShardDone, data.decode(), str(self.place.source(name)))

    def do(self, shard: int) -> bool:
        """Judge a shard, write its rows, then its marker. Returns False if it was done already.

        Raises DataError with the broken conversations of a batch, unless the plan says to skip them, and
        WorldError if this process has another version or benchmark than the plan.
        """
        if self.done(shard) is not None:
            return False
        self.check_worker()
        counts = dict.fromkeys((CONVERSATION, LEFT_OUT, "rows"), 0)
        pa = arrow()
        from pyarrow import parquet

        with (
            self.place.writing(self.rows(shard)) as file,
            parquet.ParquetWriter(file, schema(), compression="zstd") as writer,
        ):
            for batches in _groups(self._judged(shard, counts)):
                writer.write_table(pa.Table.from_batches(batches))
                pa.default_memory_pool().release_unused()  # else it keeps some 50 MB of what was read
        made = ShardDone(
            shard=shard,
            conversations=counts[CONVERSATION],
            left_out=counts[LEFT_OUT],
            rows=counts["rows"],
        )
        return self.place.put_if_absent(self.marker(shard), pretty(made))

    def check_worker(self) -> None:
        """Raises WorldError if this process has another version or benchmark than the plan."""
        here = (__version__, self.scorer.benchmark_hash)
        if here != (self.plan.ib_version, self.plan.benchmark_hash):
            found = f"has invisiblebench {here[0]} with the benchmark {here[1]}"
            raise WorldError(f"this worker {found}, not that of the plan; install the same on every machine")

    def _judged(self, shard: int, counts: dict[str, int]) -> Iterator[Any]:
        """The rows of a shard, batch by batch."""
        for numbered, name in self.conversations(shard):
            records = self.scorer.numbered(numbered, name)
            counts["rows"] += len(records)
            for record in records:
                if record["kind"] in counts:
                    counts[record["kind"]] += 1
            yield batch_of(records)

    def conversations(self, shard: int) -> Iterator[tuple[Numbered, str]]:
        """The conversations of a shard, some at a time, each time with the name of their file."""
        plan = self.plan
        for path, content in zip(self.sources, self.contents, strict=True):
            for numbered in conversations(path, content, shard, plan.shards, plan.cluster):
                yield numbered, str(path)

    def rows(self, shard: int) -> str:
        """The name of the file with the rows of a shard."""
        return f"rows/{self.name(shard)}.parquet"

    def marker(self, shard: int) -> str:
        """The name of the marker of a shard."""
        return f"{DONE}/{self.name(shard)}.json"

    def name(self, shard: int) -> str:
        """What the names of all files about a shard begin with."""
        return f"{shard + 1:06d}-of-{self.plan.shards:06d}"


def _groups(batches: Iterator[Any]) -> Iterator[list[Any]]:
    """Batches in groups of at least GROUP rows."""
    group: list[Any] = []
    for batch in batches:
        group.append(batch)
        if sum(one.num_rows for one in group) >= GROUP:
            yield group
            group = []
    if group:
        yield group


@dataclass(frozen=True, kw_only=True)
class JobOptions:
    """How a job is divided, and what it does with broken conversations."""

    shards: int = 8
    cluster: str = "id"
    skip_broken: bool = False


def open_job(
    place: Place,
    sources: Sequence[Located],
    scorer: Scorer,
    options: JobOptions,
    *,
    joins: bool,
) -> Job:
    """A new job, or with `joins` one that may have begun, by this process or by others.

    Raises OutputExists if there is a job and `joins` is False, UsageError if it has another plan, and
    DataError if its plan cannot be read, for example because another version of this package made it.
    """
    job = planned_job(place, sources, scorer, options)
    if not place.put_if_absent(PLAN, pretty(job.plan)):
        if not joins:
            raise OutputExists("the folder has a job already; go on with --resume, or choose another --out")
        _check_same(_plan_in(place), job.plan)
    return job


def planned_job(place: Place, sources: Sequence[Located], scorer: Scorer, options: JobOptions) -> Job:
    """A job of which nothing is written. Raises UsageError and DataError about its options and files."""
    if options.cluster != "id" and not options.cluster.removeprefix(META):
        raise UsageError("--cluster meta. needs a key of the metadata, such as meta.user")
    if options.cluster not in ("id", ROWS) and not options.cluster.startswith(META):
        raise UsageError(
            f"unknown cluster {options.cluster!r}; choose id, rows, or meta.KEY such as meta.user"
        )
    contents = tuple(file_digest(path) for path in sources)
    plan = JobPlan(
        form=FORM,
        ib_version=__version__,
        profile=scorer.profile,
        judge=scorer.judge,
        asked=scorer.asked,
        benchmark_hash=scorer.benchmark_hash,
        cluster=options.cluster,
        shards=options.shards,
        skip_broken=options.skip_broken,
        inputs=tuple(sorted(contents)),
    )
    twice = next((one for one, other in pairwise(plan.inputs) if one == other), None)
    if twice is not None:
        names = [str(path) for path, content in zip(sources, contents, strict=True) if content == twice]
        raise DataError.one(names[0], None, "", f"has the bytes of {names[1]}", "each file once")
    return Job(place, tuple(sources), contents, plan, scorer)


def _plan_in(place: Place) -> JobPlan:
    """The plan of the job in a place. Raises DataError, by its version if another version made it."""
    name, text = str(place.source(PLAN)), (place.read(PLAN) or b"").decode("utf-8", "replace")
    said = parse_shallow_json(text, name)
    form = said.get("schema_version") if isinstance(said, dict) else None
    if isinstance(form, int) and form != JOB_FORM:
        hint = f"form {JOB_FORM}; finish the job with the version that began it, or choose another --out"
        raise DataError.one(name, None, "schema_version", f"the plan of a job in form {form}", hint)
    return model_of_json(JobPlan, text, name)


def _check_same(known: JobPlan, plan: JobPlan) -> None:
    """Raises UsageError if the job in a folder has another plan."""
    differs = [name for name in JobPlan.model_fields if getattr(known, name) != getattr(plan, name)]
    if differs:
        said = (f"{name} is {_short(known, name)} there, {_short(plan, name)} here" for name in differs)
        raise UsageError(f"the folder has another job: {', '.join(said)}; choose another --out")


def _short(plan: JobPlan, name: str) -> str:
    return str(getattr(plan, name))[:80]
