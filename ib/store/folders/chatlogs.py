"""Reading chat logs: JSON lines or one JSON document, plain or gzipped, one conversation at a time."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from ib.errors import DataError, Finding
from ib.errors import Path as Keys
from ib.logs.forms import INSPECT, KNOWN, MESSAGES, TRANSCRIPT, Form, form_of, is_message
from ib.logs.grouping import Unclear, groups_of
from ib.logs.notes import kind_of
from ib.store.files.places import lines_in
from ib.store.files.reading import GZIP_MAGIC, MAX_DOCUMENT, MOST_PACKED, SMALL, decode, raw_lines, read_bytes
from ib.store.files.validation import decoded_line
from ib.store.files.yaml_json import parse_json

Locate = Callable[[Keys], tuple[int | None, Keys]]
"""The line and the keys in the file of a place in a conversation."""
ZIP_MAGIC = b"PK\x03\x04"
PARQUET_MAGIC = b"PAR1"
AS_LINES = "one message a line with `role`, `content` and, for several conversations, `conversation_id`"
_COLUMNS = re.compile(rb"(?:\xef\xbb\xbf)?\"?[A-Za-z][\w .-]*\"?(?:[,;\t]\"?[A-Za-z][\w .-]*\"?)+")
"""The first line of a CSV file: names of columns."""
_OPENINGS = (b"[", b"{", b"[{")
"""First lines of a JSON document that has several."""


@dataclass(frozen=True)
class Logged:
    """One conversation of a log, parsed and not yet understood."""

    value: Any
    form: Form
    line: int | None
    """Its line, if the log has one conversation a line."""
    locate: Locate
    id: str | None = None
    """The value of the key that tells the conversations of the file apart."""
    grouped_by: str | None = None
    """That key."""


def conversations(path: Path, name: str, by: str | None = None) -> Iterator[Logged | Finding]:
    """The conversations of a log, in order; a finding in place of each that cannot be parsed.

    `by` is the key that tells conversations apart in a file of messages (see `ib.logs.grouping`).
    Raises DataError if the file as a whole cannot be read, or has no known form.
    """
    plain = path.suffix if path.suffix != ".gz" else Path(path.stem).suffix
    lined = plain != ".json"
    found = _from_lines(raw_lines(path, name), name, by) if lined else _from_document(path, name, by)
    form: Form | None = None
    for item in found:
        if isinstance(item, Logged):
            form = form or item.form
            if item.form != form:
                line, keys = item.locate(())
                found_here = f"{item.form.title} in a file that begins with {form.title}"
                yield Finding.at(name, line, keys, found_here, "one form in a file; split it")
                continue
        yield item


def _from_lines(lines: Iterable[tuple[int, bytes]], name: str, by: str | None) -> Iterator[Logged | Finding]:
    """One conversation a line, or one message a line."""
    said: list[tuple[int, Any]] = []
    empty = True
    for number, raw in lines:
        try:
            value = parse_json(decoded_line(raw, name, number), name, number)
        except DataError as error:
            if empty:
                raise _hinted(error, raw, name, number) from error
            yield from error.findings
            continue
        if is_message(value) and (empty or said):
            said.append((number, value))
        elif said:
            found = "no message, in a file that begins with one message a line"
            yield Finding.at(name, number, "", found, "`role` and `content` in every line")
        else:
            yield _logged(value, name, line=number, locate=partial(_on_line, number), first=empty)
        empty = False
    if empty:
        raise DataError.one(name, None, "", "is empty", "at least one conversation")
    if said:
        yield from _of_rows([value for _, value in said], name, by, lambda keys: _of_message(keys, said))


def _of_rows(rows: list[Any], name: str, by: str | None, locate: Locate) -> Iterator[Logged | Finding]:
    """The conversations of messages. Raises DataError if it is unclear which messages belong together."""
    mappings = [row if isinstance(row, dict) else {} for row in rows]
    told = groups_of(mappings, by)
    if isinstance(told, Unclear):
        line, keys = locate((told.row,))
        raise DataError.one(name, line, keys, told.found, told.hint)
    key, groups = told
    for group in groups:
        at = partial(_of_group, group.rows, locate)
        yield Logged([rows[place] for place in group.rows], MESSAGES, None, at, group.id, key)


def _of_group(places: tuple[int, ...], locate: Locate, keys: Keys) -> tuple[int | None, Keys]:
    """The place of a key in a group of rows."""
    at = keys[0] if keys and isinstance(keys[0], int) else 0
    return locate((places[at], *keys[1:]))


def _on_line(number: int, keys: Keys) -> tuple[int, Keys]:
    """The place of a key in a file with one conversation a line."""
    return number, keys


def _of_message(keys: Keys, said: list[tuple[int, Any]]) -> tuple[int, Keys]:
    """The place of a key in a file with one message a line."""
    at = keys[0] if keys else 0
    return said[at if isinstance(at, int) else 0][0], keys[1:]


def _hinted(error: DataError, raw: bytes, name: str, number: int) -> DataError:
    """The error of a first line, with a hint if the file seems to be one document, or a table."""
    if raw.startswith(PARQUET_MAGIC):
        found, hint = "this is a Parquet file", f"convert it to JSON lines: {AS_LINES}"
        return DataError.one(name, None, "", found, hint)
    if _COLUMNS.fullmatch(raw.strip()):
        found = f"this looks like CSV with the columns {raw.strip().decode()[:80]}"
        return DataError.one(name, number, "", found, f"convert it to JSON lines: {AS_LINES}")
    if raw.strip() not in _OPENINGS:
        return error
    found = "the first line is not a whole conversation"
    return DataError.one(name, number, "", found, "one a line; a JSON document needs the ending .json")


def _logged(value: Any, name: str, *, line: int | None, locate: Locate, first: bool) -> Logged | Finding:
    """A parsed conversation with its form. Raises DataError if the first of a file has no known form."""
    form = form_of(value)
    if form is not None and form is not INSPECT:
        return Logged(value, form, line, locate)
    at, keys = locate(())
    found = f"an unknown form: {_described(value)}"
    unknown = Finding.at(name, at, keys, found, f"known are {KNOWN}")
    finding = unknown if form is None else _foreign(form, name, at, keys)
    if first:
        raise DataError([finding])
    return finding


def _described(value: Any) -> str:
    """What a value is: for a mapping, its first keys."""
    if not isinstance(value, dict) or not value:
        return kind_of(value) if value else f"{kind_of(value)} that is empty"
    names = [f"`{key[:40]}`" for key in list(value)[:8]]
    return f"the keys {', '.join(names)}{' and others' if len(value) > len(names) else ''}"


def _from_document(path: Path, name: str, by: str | None) -> Iterator[Logged | Finding]:
    """The conversations of a JSON document: a list of them, or a single one."""
    data = unpacked(path, name)
    text = decode(data, name)
    if not text.strip():
        raise DataError.one(name, None, "", "is empty", "at least one conversation")
    if _is_lines(text):
        numbered = enumerate(data.splitlines(keepends=True), start=1)
        yield from _from_lines(((at, line) for at, line in numbered if not line.isspace()), name, by)
        return
    try:
        value = parse_json(text, name)
    except DataError as error:
        if _is_inspect(text):  # which may have NaN
            raise DataError([_foreign(INSPECT, name, 1)]) from error
        raise
    yield from _of_value(value, text, name, by)


def _of_value(value: Any, text: str, name: str, by: str | None) -> Iterator[Logged | Finding]:
    """The conversations of a parsed document."""
    line_in = cache(lambda: lines_in(text))

    def place(keys: Keys) -> tuple[int | None, Keys]:
        return line_in()(keys), keys

    def item_place(index: int, keys: Keys) -> tuple[int | None, Keys]:
        return place((index, *keys))

    if isinstance(value, list) and value and is_message(value[0]):
        yield from _of_rows(value, name, by, place)
        return
    if not isinstance(value, list):
        yield _logged(value, name, line=None, locate=place, first=True)
        return
    if not value:
        raise DataError.one(name, 1, "", "is an empty list", "at least one conversation")
    for index, item in enumerate(value):
        yield _logged(item, name, line=None, locate=partial(item_place, index), first=index == 0)


def _is_lines(text: str) -> bool:
    """True if a text has one JSON value a line, although its file is named .json."""
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip():
        return False
    try:
        return isinstance(json.loads(first), dict | list)
    except (ValueError, RecursionError):
        return False


def _is_inspect(text: str) -> bool:
    try:
        return form_of(json.loads(text)) is INSPECT
    except (ValueError, RecursionError):
        return False


def foreign_log(line: bytes, name: str, number: int) -> Finding | None:
    """The finding for the first line of a log that has to be imported; None if it is no such log."""
    if line.startswith(ZIP_MAGIC):
        return _foreign(INSPECT, name, number)
    try:
        value = parse_json(decoded_line(line, name, number), name, number)
    except DataError:
        # The document may be large, so it is not read to its end only to name its form.
        found = "this looks like a JSON document of several lines"
        hint = "run `ib import chat` or `ib import inspect` first"
        return Finding.at(name, number, "", found, hint) if line.strip() in _OPENINGS else None
    value = value[0] if isinstance(value, list) and value and not is_message(value[0]) else value
    form = form_of(value)
    if form is None or form is TRANSCRIPT:
        return None
    said = value.get(form.container) if isinstance(value, dict) and form is not MESSAGES else [{}]
    has_messages = isinstance(said, list) and said and isinstance(said[0], dict)
    return _foreign(form, name, number) if has_messages else None


def _foreign(form: Form, name: str, number: int | None, keys: Keys = ()) -> Finding:
    command = "inspect" if form is INSPECT else "chat"
    return Finding.at(name, number, keys, f"this looks like {form.title}", f"run `ib import {command}` first")


def unpacked(path: Path, name: str) -> bytes:
    """The bytes of a file, unpacked if they are gzip. Raises DataError if they are broken or too large."""
    data = read_bytes(path, name)
    if data[:2] != GZIP_MAGIC:
        if path.suffix == ".gz":
            raise DataError.one(name, None, "", "is not gzip, although its name ends in .gz", "a gzip file")
        return data
    most = min(MAX_DOCUMENT, max(SMALL, MOST_PACKED * len(data)))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            whole = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        found = f"broken gzip: it {'ends too early' if isinstance(error, EOFError) else 'is damaged'}"
        raise DataError.one(name, None, "", found, "a complete gzip file") from error
    if len(whole) > most:
        found = f"unpacks from {len(data):,} to more than {most:,} bytes"
        raise DataError.one(name, None, "", found, "smaller files, or one conversation a line")
    return whole
