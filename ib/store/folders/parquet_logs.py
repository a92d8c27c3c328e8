"""Parquet files of conversations, as the lines of a transcripts file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import orjson

from ib.errors import DataError, Finding, Place
from ib.logs.reading.form import Record
from ib.logs.reading.notes import HALF
from ib.logs.rows import WHOLE, is_table_of_conversations, transcript_of_row
from ib.models.conversation.transcript import transcript_line
from ib.store.files.addresses import Located
from ib.store.folders.tables import PARQUET_MAGIC, parquet_columns, parquet_records

Row = bytes | list[Finding]
"""The line of a transcript, or what is wrong with the row. Without findings, the row is left out."""
SUFFIX = ".parquet"


def is_parquet(path: Located) -> bool:
    """True for a file whose first bytes or whose name say that it is Parquet. A pipe is not read."""
    if path.suffix == SUFFIX or not path.is_file():
        return path.suffix == SUFFIX
    try:
        with path.open("rb") as file:
            return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
    except OSError:
        return False  # read again, and reported with its place


def conversation_rows(path: Located, name: str) -> Iterator[tuple[int, Row]]:
    """The rows of a file, numbered from 1; a group of rows is in memory at a time.

    Raises DataError if the file cannot be read, or has no columns of conversations, and WorldError without
    pyarrow.
    """
    check_columns(path, name)
    for number, record in enumerate(parquet_records(path, name), start=1):
        yield number, [record] if isinstance(record, Finding) else _line(record, name)


def check_columns(path: Located, name: str) -> None:
    """Raises DataError if a Parquet file has no columns of conversations."""
    columns = parquet_columns(path, name)
    if not is_table_of_conversations(columns):
        found = f"has the columns {', '.join(f'`{column[:40]}`' for column in columns[:8])}"
        hint = "`messages` or `transcript` (docs/batches.md); for other forms of logs run `ib import` first"
        raise DataError.one(name, None, "", found, hint)


def in_row(finding: Finding, number: int) -> Finding:
    """A finding about the line of a row, at its row and column instead."""
    place = finding.place
    return replace(finding, place=Place(place.file, None, (f"row {number}", *place.path)))


def _line(record: Record, name: str) -> Row:
    if record.value.get(WHOLE) is not None:
        whole = record.value[WHOLE]
        text = whole if isinstance(whole, str) else orjson.dumps(whole).decode()
        return text.strip().encode()
    try:
        made, notes = transcript_of_row(record)
        if made is not None:
            return transcript_line(made)
    except orjson.JSONEncodeError:
        return [Finding.at(name, None, "", *HALF)]
    return [replace(one, place=Place(name, None, one.place.path)) for one in notes.findings]
