"""The columns of sparse rows as an Arrow schema. pyarrow is the extra `parquet`, and is imported on use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from ib import __version__
from ib.engine.sparse import FORM
from ib.errors import DataError, WorldError

COLUMNS: Mapping[str, str] = {
    "kind": "word",
    "model_id": "word",
    "scenario_id": "text",
    "epoch": "int",
    "log_id": "text",
    "check_id": "word",
    "state": "word",
    "verdict": "word",
    "reason": "word",
    "scorer": "word",
    "confidence": "float",
    "severity": "word",
    "bucket": "word",
    "gate": "word",
    "evidence": "evidence",
    "rest": "text",
    "model": "word",
    "category": "word",
    "contrast_group": "word",
    "contrast_variable": "word",
    "variant_of": "word",
    "jurisdiction": "word",
    "meta": "texts",
    "transcript_hash": "text",
    "scenario_hash": "text",
    "truncated_turns": "int",
    "branches": "list",
    "notices": "list",
    "outcomes": "word",
    "not_asked": "counts",
    "form": "int",
    "benchmark_hash": "word",
    "profile": "word",
    "judge": "word",
    "problem": "text",
}
"""Every column of sparse rows and its type, in order. A `word` is a text that many rows repeat."""
VERSION_KEY = b"invisiblebench.sparse"
"""The key of the schema's metadata that has the version of the form."""


def arrow() -> Any:
    """The module pyarrow. Raises WorldError if it is not installed."""
    try:
        import pyarrow
    except ImportError as error:
        raise WorldError(
            "Arrow batches and Parquet need the package pyarrow; install it with "
            "`pip install invisiblebench[parquet]`"
        ) from error
    return pyarrow


@cache
def schema() -> Any:
    """The Arrow schema of sparse rows. Its metadata has the version of the form and of this package."""
    pa = arrow()
    span = {
        "role": pa.string(),
        "turn": pa.int32(),
        "start": pa.int32(),
        "end": pa.int32(),
        "quote": pa.string(),
        "pattern": pa.string(),
        "rationale": pa.string(),
        "turn_corrected": pa.bool_(),
    }
    types = {
        "word": pa.string(),
        "text": pa.string(),
        "int": pa.int32(),
        "float": pa.float64(),
        "list": pa.list_(pa.string()),
        "texts": pa.map_(pa.string(), pa.string()),
        "counts": pa.map_(pa.string(), pa.int32()),
        "evidence": pa.list_(pa.struct(list(span.items()))),
    }
    fields = [(name, types[kind]) for name, kind in COLUMNS.items()]
    return pa.schema(
        fields, {VERSION_KEY: str(FORM).encode(), b"invisiblebench.version": __version__.encode()}
    )


_MAPS = tuple(name for name, kind in COLUMNS.items() if kind in ("texts", "counts"))


def batch_of(records: Sequence[Mapping[str, Any]]) -> Any:
    """Records as one Arrow batch with the schema."""
    pa = arrow()
    arrays = []
    for field in schema():
        values = [record.get(field.name) for record in records]
        if field.name in _MAPS:
            values = [None if value is None else list(value.items()) for value in values]
        arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema())


def records_of(batch: Any, name: str = "batch") -> Iterable[dict[str, Any]]:
    """The records of an Arrow batch or table. Raises DataError if a column is missing."""
    missing = [column for column in COLUMNS if column not in batch.schema.names]
    if missing:
        found = f"has no column {', '.join(missing[:5])}"
        raise DataError.one(name, None, "", found, "the sparse rows that a Scorer returns")
    for record in batch.select(list(COLUMNS)).to_pylist():
        for column in _MAPS:
            if record[column] is not None:
                record[column] = dict(record[column])
        yield record
