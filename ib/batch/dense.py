"""From sparse rows back to the lines of `results.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ib.batch.columns import arrow, records_of
from ib.engine.sparse import CHECK, CONVERSATION, Sparse
from ib.errors import DataError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.scan.result import TranscriptResult
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.addresses import Located
from ib.store.folders.tables import parquet_source

Record = Mapping[str, Any]


def expand(sparse: Any, *, benchmark: str | PathLike[str] | None = None) -> Iterator[bytes]:
    """The lines of `results.jsonl`, each with its newline, in the order of the conversations.

    `sparse` is what a `Scorer` or `score` returned: a pyarrow.RecordBatch or Table, an iterable of mappings,
    or the path of a Parquet file. `benchmark` is the folder of the benchmark that judged; None for that of
    the package. Raises DataError if another benchmark judged, or if the rows of a conversation do not follow
    one another.
    """
    loaded = load_benchmark(None if benchmark is None else Path(benchmark))
    for form, result in results(_records(sparse), loaded):
        yield form.line(result) + b"\n"


def results(records: Iterable[Record], benchmark: Benchmark) -> Iterator[tuple[Sparse, TranscriptResult]]:
    """The result of each conversation, with the form that read it. Rows left out have none."""
    forms: dict[tuple[str, str], Sparse] = {}
    for conversation, checks in grouped(records):
        judged = (conversation["profile"], conversation["judge"])
        if judged not in forms:
            forms[judged] = Sparse(benchmark, *judged)
        yield forms[judged], result_of(forms[judged], conversation, checks)


def result_of(form: Sparse, conversation: Record, checks: Sequence[Record]) -> TranscriptResult:
    """The result of a conversation. Raises DataError if its rows are not those of this benchmark."""
    place = ("conversation", conversation["scenario_id"])
    differs = form.differs(conversation)
    if differs is not None:
        hint = "the benchmark and the version of ib that made the rows"
        raise DataError.one("sparse rows", None, place, differs, hint)
    try:
        return form.result(conversation, checks)
    except ValueError as error:
        found = str(error).splitlines()[0][:300]
        raise DataError.one("sparse rows", None, place, found, "the rows of a Scorer, whole") from error


def grouped(records: Iterable[Record]) -> Iterator[tuple[Record, list[Record]]]:
    """Each conversation with the records of its checks, which follow it."""
    conversation: Record | None = None
    checks: list[Record] = []
    for record in records:
        if record["kind"] == CHECK:
            if conversation is None or _key(conversation) != _key(record):
                found = f"a row of check {record['check_id']} does not follow its conversation"
                hint = "rows in the order in which they were made"
                raise DataError.one("sparse rows", None, str(record["scenario_id"]), found, hint)
            checks.append(record)
            continue
        if conversation is not None:
            yield conversation, checks
        conversation, checks = (record if record["kind"] == CONVERSATION else None), []
    if conversation is not None:
        yield conversation, checks


def _key(record: Record) -> tuple[Any, ...]:
    return (record["model_id"], record["scenario_id"], record["epoch"])


def _records(sparse: Any) -> Iterable[Record]:
    """The records of whatever holds sparse rows."""
    if isinstance(sparse, str | PathLike):
        return parquet_records(Path(sparse))
    if hasattr(sparse, "schema"):
        return records_of(sparse)
    records: Iterable[Record] = sparse
    return records


def parquet_records(path: Located) -> Iterator[Record]:
    """The sparse rows of a Parquet file, one group of rows in memory at a time."""
    pa = arrow()
    from pyarrow import parquet

    try:
        with parquet_source(path) as source, parquet.ParquetFile(source, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=4096):
                yield from records_of(batch, str(path))
    except (pa.ArrowException, OSError) as error:
        found = f"cannot be read as Parquet: {str(error).splitlines()[0][:120]}"
        raise DataError.one(path, None, "", found, "a whole Parquet file of sparse rows") from error
