"""Reading JSONL, plain or gzipped, as a stream, with the line of everything that is wrong."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ib.errors import DataError, Finding
from ib.store.documents import findings_of

Model = TypeVar("Model", bound=BaseModel)
GZIP_MAGIC = b"\x1f\x8b"
MAX_LINE = 16 << 20
"""The longest line that is read, in bytes."""


def raw_lines(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers from 1; blank lines are left out.

    A file whose name ends in .gz must be gzip; one that is gzip by its content is read as such.
    """
    try:
        with path.open("rb") as probe:
            zipped = probe.read(2) == GZIP_MAGIC
    except FileNotFoundError as error:
        raise DataError.one(name, None, "", "no such file", "give the path of a file") from error
    except IsADirectoryError as error:
        allowed = "give the path of a .jsonl or .jsonl.gz file"
        raise DataError.one(name, None, "", "is a folder", allowed) from error
    except OSError as error:
        found = f"may not be read: {error.strerror}"
        raise DataError.one(name, None, "", found, "a readable file") from error
    if path.suffix == ".gz" and not zipped:
        raise DataError.one(name, None, "", "is not gzip, though its name ends in .gz", "a gzip file")
    number = 0
    try:
        with gzip.open(path, "rb") if zipped else path.open("rb") as file:
            while True:
                line = file.readline(MAX_LINE + 1)
                if not line:
                    return
                number += 1
                if len(line) > MAX_LINE:
                    found = f"line longer than {MAX_LINE} bytes"
                    raise DataError.one(name, number, "", found, "one JSON object a line")
                if not line.isspace():
                    yield number, line
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError.one(name, number + 1, "", f"broken gzip: {error}", "a whole gzip file") from error


def parse_line(model: type[Model], line: bytes, name: str, number: int) -> Model | list[Finding]:
    """One line as a model, or everything that is wrong with it."""
    try:
        return model.model_validate_json(line, strict=True)
    except ValidationError as error:
        return [_plain(finding, line) for finding in findings_of(error, name, line=number)]


def _plain(finding: Finding, line: bytes) -> Finding:
    """A broken line in words: not UTF-8, or no JSON; else the finding as it is."""
    if finding.key:
        return finding
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not UTF-8"
        return Finding(finding.file, finding.line, "", found, "text must be UTF-8")
    if "Invalid JSON" in finding.allowed or "invalid JSON" in finding.allowed:
        return Finding(finding.file, finding.line, "", "is not JSON", finding.allowed)
    return finding
