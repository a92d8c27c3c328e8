"""The files of a job: many logs judged in shards by an engine (`ib.batch.job`)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ib.models.common.base import Record, Sha256

MOST_SHARDS = 100_000


class JobPlan(Record):
    """What a job judges, and how. Every worker must have the same plan."""

    schema_version: int = 1
    kind: Literal["batch_plan"] = "batch_plan"
    form: int
    """The version of the sparse rows."""
    ib_version: str
    """The version of this package. All workers have the same."""
    profile: str
    judge: str
    benchmark_hash: Sha256
    cluster: str
    """What conversations of one shard have in common: `id`, `meta.KEY`, or `rows` for groups of rows."""
    shards: int = Field(ge=1, le=MOST_SHARDS)
    skip_broken: bool
    """True if broken conversations are left out."""
    inputs: tuple[Sha256, ...]
    """The hashes of the files, sorted: their names and their order change nothing."""


class ShardDone(Record):
    """The marker of a shard that is done."""

    schema_version: int = 1
    kind: Literal["batch_shard"] = "batch_shard"
    shard: int
    """The number of the shard, from 0."""
    conversations: int
    left_out: int
    """The broken conversations that were left out."""
    rows: int


class JobManifest(Record):
    """What a finished job found. Nothing in it depends on the number of shards."""

    schema_version: int = 1
    kind: Literal["batch_manifest"] = "batch_manifest"
    profile: str
    judge: str
    benchmark_hash: Sha256
    conversations: int
    left_out: int
    """The broken conversations that were left out."""
    rows: int
    blindspot: Sha256
    """The hash of `blindspot.json`."""
