"""The records of a log file: lines, items of a JSON document, rows of a table, samples of an Inspect log."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from ib.errors import DataError, Finding
from ib.errors import Path as Keys
from ib.logs.reading.form import Record
from ib.logs.registry import INSPECT, TRANSCRIPT, forms_of
from ib.store.files.places import lines_in
from ib.store.files.reading import GZIP_MAGIC, ZIP_MAGIC, decode, opened, raw_lines, unpacked
from ib.store.files.validation import decoded_line
from ib.store.files.yaml_json import parse_json
from ib.store.folders.evallogs import eval_log, eval_records, is_eval_log
from ib.store.folders.tables import PARQUET_MAGIC, csv_records, parquet_records

Notice = Callable[[str], None]
_COLUMNS = re.compile(rb"(?:\xef\xbb\xbf)?\"?[A-Za-z][\w .-]*\"?(?:[,;\t]\"?[A-Za-z][\w .-]*\"?)+")
"""The first line of a CSV file: names of columns."""
OPENINGS = (b"[", b"{", b"[{")
"""First lines of a JSON document that has several."""
HEAD = 4096
"""How many bytes are looked at to tell what a file is."""


def records(path: Path, name: str, notice: Notice) -> Iterator[Record | Finding]:
    """The records of a log, in order; a finding in place of each that cannot be parsed.

    Raises DataError if the file as a whole cannot be read.
    """
    plain = path.suffix if path.suffix != ".gz" else Path(path.stem).suffix
    head = _head(path)
    if head.startswith(ZIP_MAGIC) or plain == ".eval":
        yield from eval_records(eval_log(path, name), name, notice)
    elif head.startswith(PARQUET_MAGIC) or plain == ".parquet":
        yield from parquet_records(path, name)
    elif plain in (".csv", ".tsv") or _COLUMNS.fullmatch(head.partition(b"\n")[0].strip()):
        yield from csv_records(decode(unpacked(path, name), name), name)
    elif plain == ".json":
        yield from _from_document(path, name, notice)
    else:
        yield from _from_lines(raw_lines(path, name), name)


def _head(path: Path) -> bytes:
    """The first bytes of a regular file, unpacked; empty for a pipe, which can be read only once."""
    if not path.is_file():
        return b""
    try:
        with opened(path, str(path)) as file:
            data = file.peek(2)
            return gzip.GzipFile(fileobj=file).read(HEAD) if data[:2] == GZIP_MAGIC else file.read(HEAD)
    except (OSError, EOFError, zlib.error, DataError):
        return b""  # read again, and reported with its place


def _from_lines(lines: Iterable[tuple[int, bytes]], name: str) -> Iterator[Record | Finding]:
    """One record a line."""
    empty = True
    for number, raw in lines:
        try:
            value = parse_json(decoded_line(raw, name, number), name, number)
        except DataError as error:
            if empty:
                raise _hinted(error, raw, name, number) from error
            yield from error.findings
            continue
        yield Record(value, partial(_on_line, number), number)
        empty = False
    if empty:
        raise DataError.one(name, None, "", "is empty", "at least one conversation")


def _on_line(number: int, keys: Keys) -> tuple[int, Keys]:
    """The place of a key in a file with one record a line."""
    return number, keys


def _hinted(error: DataError, raw: bytes, name: str, number: int) -> DataError:
    """The error of a first line, with a hint if the file seems to be one document, or no text."""
    if raw.startswith((PARQUET_MAGIC, ZIP_MAGIC)):
        found = "is a Parquet file or a ZIP in a pipe"
        return DataError.one(name, None, "", found, "the path of the file itself")
    if raw.strip() not in OPENINGS:
        return error
    found = "the first line is not a whole conversation"
    return DataError.one(name, number, "", found, "one a line; a JSON document needs the ending .json")


def _from_document(path: Path, name: str, notice: Notice) -> Iterator[Record | Finding]:
    """The records of a JSON document: the items of a list, or a single one."""
    data = unpacked(path, name)
    text = decode(data, name)
    if not text.strip():
        raise DataError.one(name, None, "", "is empty", "at least one conversation")
    if _is_lines(text):
        numbered = enumerate(data.splitlines(keepends=True), start=1)
        yield from _from_lines(((at, line) for at, line in numbered if not line.isspace()), name)
        return
    if is_eval_log(text):  # which may have NaN
        yield from eval_records(eval_log(data, name), name, notice)
        return
    yield from _of_value(parse_json(text, name), text, name)


def _of_value(value: Any, text: str, name: str) -> Iterator[Record]:
    """The records of a parsed document."""
    line_in = cache(lambda: lines_in(text))

    def place(before: Keys, keys: Keys) -> tuple[int | None, Keys]:
        whole = (*before, *keys)
        return line_in()(whole), whole

    if not isinstance(value, list):
        yield Record(value, partial(place, ()))
        return
    if not value:
        raise DataError.one(name, 1, "", "is an empty list", "at least one conversation")
    for index, item in enumerate(value):
        yield Record(item, partial(place, (index,)))


def _is_lines(text: str) -> bool:
    """True if a text has one JSON value a line, although its file is named .json."""
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip():
        return False
    try:
        return isinstance(json.loads(first), dict | list)
    except (ValueError, RecursionError):
        return False


def foreign_log(line: bytes, name: str, number: int) -> Finding | None:
    """The finding for the first line of a log that has to be imported; None if it is no such log."""
    if line.startswith((ZIP_MAGIC, PARQUET_MAGIC)) or _COLUMNS.fullmatch(line.strip()):
        kinds = {ZIP_MAGIC: INSPECT.title, PARQUET_MAGIC: "a Parquet file"}
        return _foreign(kinds.get(line[:4], "a CSV file"), name, number)
    try:
        value = parse_json(decoded_line(line, name, number), name, number)
    except DataError:
        # The document may be large, so it is not read to its end only to name its form.
        is_document = line.strip() in OPENINGS
        return _foreign("a JSON document of several lines", name, number) if is_document else None
    if isinstance(value, dict) and "eval" in value:
        return _foreign(INSPECT.title, name, number)
    forms = forms_of(value[0] if isinstance(value, list) and value and not forms_of(value) else value)
    if not forms or TRANSCRIPT in forms or not _has_content(value):
        return None
    return _foreign(forms[0].title, name, number)


def _has_content(value: Any) -> bool:
    """False for a record whose list of messages is none: it is a broken transcript rather than a log."""
    named = (
        [value.get(key) for key in ("messages", "conversations", "conversation")]
        if isinstance(value, dict)
        else []
    )
    return all(
        said is None or (isinstance(said, list) and bool(said) and isinstance(said[0], dict))
        for said in named
    )


def _foreign(what: str, name: str, number: int | None) -> Finding:
    return Finding.at(name, number, "", f"this looks like {what}", "run `ib import` first")
