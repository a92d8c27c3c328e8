"""Merging a job whose shards are done: the counts of all conversations, and what a person reads first."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ib.batch.dense import Record, grouped, parquet_records, result_of
from ib.batch.job import Job
from ib.batch.scorer import release
from ib.board.figures.blindspot import Profile
from ib.engine.sparse import Sparse
from ib.errors import DataError, WorldError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.canonical import digest, pretty
from ib.models.scan.artifacts import JobManifest
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.leaks import without_keys
from ib.store.folders.scans import BLINDSPOT, SUMMARY

MANIFEST = "batch_manifest.json"
MOST_NAMED = 20
"""How many conversations that are there twice an error names."""


def merge(job: Job) -> JobManifest:
    """Write `blindspot.json`, `summary.md` and the manifest of a job. The shards stay as they are.

    Raises WorldError if a shard is not done, and DataError if a conversation is there twice.
    """
    pending = job.pending()
    if pending:
        named = ", ".join(str(shard + 1) for shard in pending[:8])
        raise WorldError(f"{len(pending)} of {job.plan.shards} shards are not done ({named}); do them first")
    release()  # a process that judged needs the memory now
    benchmark = load_benchmark(None if job.scorer.benchmark is None else Path(job.scorer.benchmark))
    counting = _Counting(benchmark, job)
    for shard in range(job.plan.shards):
        for conversation, checks in grouped(_rows(job, shard)):
            counting.add(conversation, checks)
    counting.refuse_twice()
    profile = counting.profile()
    marks = [mark for shard in range(job.plan.shards) if (mark := job.done(shard)) is not None]
    document = pretty(profile.document())
    manifest = JobManifest(
        profile=job.plan.profile,
        judge=job.plan.judge,
        benchmark_hash=job.plan.benchmark_hash,
        conversations=sum(mark.conversations for mark in marks),
        left_out=sum(mark.left_out for mark in marks),
        rows=sum(mark.rows for mark in marks),
        blindspot=hashlib.sha256(document).hexdigest(),
    )
    job.place.put(BLINDSPOT, document)
    job.place.put(SUMMARY, without_keys(profile.summary()).encode())
    job.place.put(MANIFEST, pretty(manifest))
    return manifest


def _rows(job: Job, shard: int) -> Any:
    return parquet_records(job.place.source(job.rows(shard)))


def refuse_twice(keys: Iterable[tuple[str, str, int | None]]) -> None:
    """Raises DataError if there are such conversations, which are in the files of a job more than once."""
    twice = sorted({str(key[:2]) for key in keys})
    if twice:
        found = f"{len(twice)} conversations are there twice: {', '.join(twice[:MOST_NAMED])}"
        raise DataError.one("the files of the job", None, "", found, "each conversation once")


class _Counting:
    """Counts conversations: those without a row of a check by their letters, of which few differ."""

    def __init__(self, benchmark: Benchmark, job: Job) -> None:
        self._benchmark, self._job = benchmark, job
        self._form = Sparse(benchmark, job.plan.profile, job.plan.judge)
        self._profile = Profile(benchmark)
        self._alike: Counter[tuple[str, ...]] = Counter()
        self._samples: dict[tuple[str, ...], Record] = {}
        self._keys = array("Q")

    def add(self, conversation: Record, checks: list[Record]) -> None:
        self._keys.append(_hash_of(conversation))
        if checks:
            self._profile.add(result_of(self._form, conversation, checks))
            return
        key = tuple(str(conversation[name]) for name in ("model_id", "category", "outcomes"))
        self._alike[key] += 1
        self._samples.setdefault(key, conversation)

    def profile(self) -> Profile:
        """The counts of all conversations."""
        for key, count in self._alike.items():
            doubled = Profile(self._benchmark)
            doubled.add(result_of(self._form, self._samples[key], []))
            for bit in range(count.bit_length()):
                if count >> bit & 1:
                    self._profile.merge(doubled)
                twice = Profile(self._benchmark)
                twice.merge(doubled)
                twice.merge(doubled)
                doubled = twice
        self._alike.clear()
        return self._profile

    def refuse_twice(self) -> None:
        """Raises DataError if two conversations have the same model, scenario and epoch."""
        import numpy as np

        keys = np.sort(np.frombuffer(self._keys, dtype=np.uint64))
        suspects = set(keys[1:][keys[1:] == keys[:-1]].tolist())
        if not suspects:
            return
        seen = Counter(
            (record["model_id"], record["scenario_id"], record["epoch"])
            for shard in range(self._job.plan.shards)
            for record, _ in grouped(_rows(self._job, shard))
            if _hash_of(record) in suspects
        )
        refuse_twice(key for key, count in seen.items() if count > 1)


def _hash_of(record: Record) -> int:
    said = digest([record["model_id"], record["scenario_id"], record["epoch"]])
    return int(said[:16], 16)
