"""The conversations of files, divided into shards by the hash of their cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from ib.errors import DataError
from ib.logs.rows import WHOLE
from ib.models.common.canonical import digest
from ib.store.files.addresses import Address, Located
from ib.store.files.reading import opened, raw_lines
from ib.store.files.validation import decoded_line
from ib.store.folders.parquet_logs import check_columns, is_parquet
from ib.store.folders.tables import group_batches, plain_rows, row_batches

META = "meta."
"""What a cluster begins with that is a key of the metadata."""
ROWS = "rows"
"""The cluster of whole groups of rows: each is in one shard, so that every file is read once."""
_KEYS = ("id", "transcript_id", "meta", WHOLE)
"""The columns in which a cluster may stand."""
AT_ONCE = 1_000
"""How many rows are read at a time."""

Numbered = list[tuple[int, Any]]
"""Conversations, each with the number of its row or line."""


def conversations(path: Located, content: str, shard: int, shards: int, cluster: str) -> Iterator[Numbered]:
    """The conversations of a file that belong to a shard, counted from 0.

    Conversations of one cluster are in one shard, whichever files they are in. `cluster` is `id`, or
    `meta.KEY` for a key of the metadata; a conversation without it is a cluster of its own. With `rows`, a
    cluster is a group of rows of a Parquet file, or a whole file of lines. `content` is the file's digest.
    """
    if cluster == ROWS:
        yield from _of_groups(path, content, shard, shards)
        return
    if not is_parquet(path):
        yield from _of_lines(path, shard, shards, cluster)
        return
    check_columns(path, str(path))
    first = 1
    for batch in row_batches(path, str(path), AT_ONCE):
        if shards == 1:
            yield list(enumerate(plain_rows(batch), start=first))
        elif mine := _rows_of(batch, shard, shards, cluster):
            numbers = [first + at for at in mine]
            yield list(zip(numbers, plain_rows(batch.take(mine)), strict=True))
        first += batch.num_rows


def _of_groups(path: Located, content: str, shard: int, shards: int) -> Iterator[Numbered]:
    """The conversations of the groups of rows that belong to a shard. The other groups are not read."""
    if not is_parquet(path):
        if shard_of(content, shards) == shard:
            yield from _of_lines(path, 0, 1, "id")
        return
    check_columns(path, str(path))

    def is_mine(group: int) -> bool:
        return shard_of(f"{content}:{group}", shards) == shard

    for first, batch in group_batches(path, str(path), AT_ONCE, is_mine):
        yield list(enumerate(plain_rows(batch), start=first))


def _rows_of(batch: Any, shard: int, shards: int, cluster: str) -> list[int]:
    """The rows of a batch that belong to a shard, counted from 0."""
    keys = batch.select([name for name in _KEYS if name in batch.schema.names]).to_pylist()
    clusters = (cluster_of(key, cluster) or _words(batch, at) for at, key in enumerate(keys))
    return [at for at, name in enumerate(clusters) if shard_of(name, shards) == shard]


def _of_lines(path: Located, shard: int, shards: int, cluster: str) -> Iterator[Numbered]:
    """The conversations of a transcripts file."""
    name, found = str(path), []
    for number, raw in raw_lines(path, name):
        row = {WHOLE: decoded_line(raw, name, number).strip()}
        key = cluster_of(row, cluster) or hashlib.sha256(raw.strip()).hexdigest()
        if shard_of(key, shards) == shard:
            found.append((number, row))
        if len(found) == AT_ONCE:
            yield found
            found = []
    if found:
        yield found


def cluster_of(row: dict[str, Any], cluster: str) -> str | None:
    """The cluster of a row; None if it names none."""
    if row.get(WHOLE) is not None:
        return _cluster_of_whole(row[WHOLE], cluster)
    if not cluster.startswith(META):
        own = row.get("transcript_id", row.get("id"))
        return None if own is None else str(own)
    try:
        found = dict(row.get("meta") or {}).get(cluster.removeprefix(META))
    except (TypeError, ValueError):
        return None  # broken, and reported where it is read
    return None if found is None else str(found)


def _cluster_of_whole(whole: Any, cluster: str) -> str | None:
    """The cluster of a whole transcript: its scenario, so that all plays of one are together."""
    try:
        value = orjson.loads(whole)
        found = (
            value["meta"][cluster.removeprefix(META)] if cluster.startswith(META) else value["scenario_id"]
        )
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return str(found)


def shard_of(key: str, shards: int) -> int:
    """The shard of a cluster, counted from 0; the same on every machine."""
    hashed = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(hashed[:8], "big") % shards


def _words(batch: Any, at: int) -> str:
    """The cluster of a row without one: its content."""
    return digest(plain_rows(batch.slice(at, 1)))


def file_digest(path: Located) -> str:
    """A hash of the content of a file. Raises DataError if it cannot be read.

    For a file of this machine it is the SHA-256; for one in a bucket, the hash of what the bucket says about
    the content, so that no process fetches a whole file to know it.
    """
    hint = "a Parquet file or a transcripts file"
    try:
        said = path.content() if isinstance(path, Address) else None
    except FileNotFoundError as error:
        raise DataError.one(path, None, "", "no such file", hint) from error
    if said is not None:
        return digest(list(said))
    with opened(path, str(path), hint) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def every(sources: Iterable[Located]) -> list[Located]:
    """Files, with those that an address with `*` or `?` names. Raises DataError if it names none."""
    found: list[Located] = []
    for source in sources:
        if isinstance(source, Path) or not set("*?[") & set(str(source)):
            found.append(source)
            continue
        matching = source.matching()
        if not matching:
            raise DataError.one(source, None, "", "no file has such a name", "the address of files")
        found += matching
    return found
