"""Reading JSONL, plain or gzipped, as a stream, with the line of everything that is wrong."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TypeVar

from pydantic import BaseModel, ValidationError

from ib.errors import DataError, Finding
from ib.store.yaml_json import findings_of

Model = TypeVar("Model", bound=BaseModel)
GZIP_MAGIC = b"\x1f\x8b"
MAX_LINE = 16 << 20
"""The longest line that is read, in bytes."""


def raw_lines(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers from 1; blank lines are left out.

    A file whose name ends in .gz must be gzip; one that is gzip by its content is read as such.
    """
    try:
        opened = path.open("rb")  # once: a pipe cannot be read twice
    except FileNotFoundError as error:
        raise DataError.one(name, None, "", "no such file", "give the path of a file") from error
    except IsADirectoryError as error:
        allowed = "give the path of a .jsonl or .jsonl.gz file"
        raise DataError.one(name, None, "", "is a folder", allowed) from error
    except OSError as error:
        found = f"may not be read: {error.strerror}"
        raise DataError.one(name, None, "", found, "a readable file") from error
    number = 0
    with opened:
        try:
            zipped = opened.peek(2)[:2] == GZIP_MAGIC
            if path.suffix == ".gz" and not zipped:
                found = "is not gzip, though its name ends in .gz"
                raise DataError.one(name, None, "", found, "a gzip file")
            file: gzip.GzipFile | IO[bytes] = gzip.GzipFile(fileobj=opened) if zipped else opened
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    found = f"line longer than {MAX_LINE} bytes"
                    raise DataError.one(name, number, "", found, "one JSON object a line")
                if not line.isspace():
                    yield number, line
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            found = f"broken gzip: {error}"
            raise DataError.one(name, number + 1, "", found, "a whole gzip file") from error


def parse_line(model: type[Model], line: bytes, name: str, number: int) -> Model | list[Finding]:
    """One line as a model, or everything that is wrong with it."""
    twice = _twice(line)
    if twice is not None:
        return [Finding.at(name, number, twice, "key given twice", "once")]
    try:
        return model.model_validate_json(line, strict=True)
    except ValidationError as error:
        return [_plain(finding, line) for finding in findings_of(error, name, line=number)]


def _twice(line: bytes) -> str | None:
    """A key that stands twice in one object of a line; the reader of models would take the last."""

    def hook(pairs: list[tuple[str, object]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKey(key)
            seen.add(key)

    try:
        json.loads(line, object_pairs_hook=hook)
    except _DuplicateKey as error:
        return str(error)
    except (ValueError, RecursionError):
        return None  # no JSON: the reader of models says what is wrong
    return None


class _DuplicateKey(Exception):
    pass


def _plain(finding: Finding, line: bytes) -> Finding:
    """A broken line in words: not UTF-8, or no JSON; else the finding as it is."""
    if finding.key:
        return finding
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not UTF-8"
        return Finding.at(finding.file, finding.line, "", found, "text must be UTF-8")
    if "Invalid JSON" in finding.hint or "invalid JSON" in finding.hint:
        return Finding.at(finding.file, finding.line, "", "is not JSON", finding.hint)
    return finding
