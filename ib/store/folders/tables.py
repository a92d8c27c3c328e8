"""Tables as records: CSV, and Parquet with the optional package pyarrow."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from ib.errors import DataError, Finding, WorldError
from ib.errors import Path as Keys
from ib.logs.reading.form import Record
from ib.store.files.addresses import Address, Located
from ib.store.files.reading import MAX_LINE, MOST_PACKED, SMALL

PARQUET_MAGIC = b"PAR1"
ROWS_AT_ONCE = 256
"""How many rows of a Parquet file are in memory at a time."""


def csv_records(text: str, name: str) -> Iterator[Record | Finding]:
    """The rows of a CSV file as mappings of its columns. Empty cells are left out."""
    head = text.lstrip("\ufeff").partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    csv.field_size_limit(MAX_LINE)
    columns = _columns(reader, name)
    number, empty = 2, True
    try:
        for cells in reader:
            line, number = number, reader.line_num + 1
            if not cells:
                continue
            empty = False
            if len(cells) != len(columns):
                found = f"has {len(cells)} cells, and the first line has {len(columns)} columns"
                yield Finding.at(name, line, "", found, "one cell for each column")
                continue
            row = {column: cell for column, cell in zip(columns, cells, strict=True) if cell}
            yield Record(row, partial(_on_line, line), line)
    except csv.Error as error:
        found = f"broken CSV: {error}"
        raise DataError.one(name, reader.line_num, "", found, "cells with quotes around them") from error
    if empty:
        raise DataError.one(name, None, "", "has no rows", "at least one row below the columns")


def _columns(reader: Iterator[list[str]], name: str) -> list[str]:
    """The names of the columns. Raises DataError if there are none, or one is there twice."""
    try:
        columns = [column.strip() for column in next(reader, [])]
    except csv.Error as error:
        raise DataError.one(name, 1, "", f"broken CSV: {error}", "a line of columns") from error
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if not columns:
        raise DataError.one(name, None, "", "is empty", "at least one conversation")
    if twice is not None:
        raise DataError.one(name, 1, twice[:40], "column given twice", "once")
    return columns


def _on_line(number: int, keys: Keys) -> tuple[int, Keys]:
    return number, keys


@contextmanager
def parquet_source(path: Located) -> Iterator[Any]:
    """What pyarrow opens to read a Parquet file. Raises FileNotFoundError if it is in no bucket."""
    if isinstance(path, Path):
        yield path
        return
    with path.open() as file:
        yield file


@contextmanager
def _parquet(path: Located, name: str) -> Iterator[Any]:
    """An open Parquet file. Raises DataError if it cannot be read, and WorldError without pyarrow."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise WorldError(
            f"{name}: is a Parquet file, which the package pyarrow reads; install it with "
            "`pip install invisiblebench[parquet]`"
        ) from error
    try:
        with (
            parquet_source(path) as source,
            parquet.ParquetFile(source, pre_buffer=False) as file,  # else the whole file is in memory
        ):
            _refuse_bomb(file, path, name)
            yield file
    except FileNotFoundError as error:
        raise DataError.one(name, None, "", "no such file", "the path of a Parquet file") from error
    except (ArrowException, OSError, ValueError) as error:
        found = f"cannot be read as Parquet: {str(error).splitlines()[0][:120]}"
        raise DataError.one(name, None, "", found, "a whole Parquet file") from error


def parquet_columns(path: Located, name: str) -> list[str]:
    """The names of the columns of a Parquet file."""
    with _parquet(path, name) as file:
        return list(file.schema_arrow.names)


def row_batches(path: Located, name: str, size: int) -> Iterator[Any]:
    """The rows of a Parquet file as Arrow batches of at most `size` rows."""
    with _parquet(path, name) as file:
        yield from file.iter_batches(batch_size=size)


def group_batches(
    path: Located, name: str, size: int, wanted: Callable[[int], bool]
) -> Iterator[tuple[int, Any]]:
    """The rows of the wanted groups of rows of a Parquet file, as Arrow batches of at most `size` rows.

    Each batch comes with the number of its first row, from 1. Groups are counted from 0; the others are not
    read.
    """
    with _parquet(path, name) as file:
        first = 1
        for group in range(file.metadata.num_row_groups):
            at = first
            first += file.metadata.row_group(group).num_rows
            for batch in file.iter_batches(batch_size=size, row_groups=[group]) if wanted(group) else ():
                yield at, batch
                at += batch.num_rows


def plain_rows(batch: Any) -> list[dict[str, Any]]:
    """The rows of an Arrow batch as JSON has them."""
    return [_plain(row) for row in batch.to_pylist()]


def parquet_records(path: Located, name: str) -> Iterator[Record | Finding]:
    """The rows of a Parquet file. Raises WorldError if pyarrow is not installed."""
    at = 0
    with _parquet(path, name) as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE):
            for row in plain_rows(batch):
                at += 1
                yield Record(row, partial(_in_row, at))
    if not at:
        raise DataError.one(name, None, "", "has no rows", "at least one row")


def _refuse_bomb(file: Any, path: Located, name: str) -> None:
    """Raises DataError if a group of rows unpacks to far more bytes than the file has."""
    groups = [file.metadata.row_group(index).total_byte_size for index in range(file.metadata.num_row_groups)]
    packed = path.size() if isinstance(path, Address) else path.stat().st_size
    most = max(groups, default=0)
    if most > SMALL and most > MOST_PACKED * packed:
        found = f"a group of rows unpacks from at most {packed:,} to {most:,} bytes"
        raise DataError.one(name, None, "", found, f"at most {MOST_PACKED} times the size of the file")


def _in_row(number: int, keys: Keys) -> tuple[None, Keys]:
    """The place of a key in a file of rows."""
    return None, (f"row {number}", *keys)


def _plain(value: Any) -> Any:
    """A value of a table as JSON has it: dates as text, and what JSON lacks as text."""
    if type(value) is str:  # most are
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes | Decimal):
        return str(value)
    return value
