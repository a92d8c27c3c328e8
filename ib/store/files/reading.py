"""Opening and reading files, whole or by lines. Every failure becomes a DataError with a plain message."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import threading
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import IO

from ib.errors import DataError
from ib.store.files.addresses import Address, Located

MAX_DOCUMENT = 1 << 30
"""The maximum size of a file that is read as a whole, in bytes."""
MOST_PACKED = 200
"""How many times larger than its packed form a document may be. Logs are 3 to 30 times larger."""
SMALL = 16 << 20
"""A document of this size may be packed as well as it likes, in bytes."""
WRITER_SECONDS = 5.0
"""How long to wait for a writer of a named pipe."""
_DESCRIPTOR = re.compile(r"/dev/stdin|/(?:dev|proc/self)/fd/(\d+)")


def opened(path: Located, name: str, kind: str = "a file") -> BufferedReader:
    """Open a file for reading, also one in a bucket. The file is opened only once, so it may be a pipe.

    `kind` describes the expected file, for messages. Raises DataError if the file cannot be opened.
    """
    try:
        return _open(path)
    except FileNotFoundError as error:
        raise DataError.one(name, None, "", "no such file", f"give the path of {kind}") from error
    except IsADirectoryError as error:
        raise DataError.one(name, None, "", "is a folder", f"give the path of {kind}") from error
    except _NoWriter as error:
        found = f"is a pipe that had no writer for {WRITER_SECONDS:g} seconds"
        raise DataError.one(name, None, "", found, "a file, or a pipe with a writer") from error
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        raise unreadable(name, error) from error


def unreadable(name: str, error: Exception, line: int | None = None) -> DataError:
    """The DataError for a file that cannot be opened or read to its end."""
    found = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    return DataError.one(name, line, "", found, "a readable file")


def read_bytes(path: Path, name: str | None = None) -> bytes:
    """The bytes of a file. Raises DataError if it is missing, a folder, unreadable or too large."""
    label = name or str(path)
    with opened(path, label) as file:
        try:
            data = file.read(MAX_DOCUMENT + 1)
        except OSError as error:
            raise unreadable(label, error) from error
    if len(data) > MAX_DOCUMENT:
        found = f"is larger than {MAX_DOCUMENT} bytes"
        raise DataError.one(label, None, "", found, f"at most {MAX_DOCUMENT} bytes")
    return data


def decode(data: bytes, name: str) -> str:
    """Decode UTF-8. Raises DataError with the line of the first invalid byte."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise DataError.one(name, line, "", found, "save the file as UTF-8") from error


def is_bomb(packed: int, unpacked: int) -> bool:
    """True if so many packed bytes unpack to more than any log of conversations does."""
    return unpacked > SMALL and unpacked > MOST_PACKED * packed


class _NoWriter(Exception):
    pass


def _open(path: Located) -> BufferedReader:
    if isinstance(path, Address):
        return io.BufferedReader(path.open())
    if not stat.S_ISFIFO(path.stat().st_mode):
        return path.open("rb")
    number = _DESCRIPTOR.fullmatch(str(path))
    if number is not None:  # a pipe of a shell is already open, and its writer may have ended
        return os.fdopen(os.dup(int(number[1] or 0)), "rb")
    return os.fdopen(_read_end(path), "rb")


def _read_end(path: Path) -> int:
    """A descriptor of a named pipe. Raises _NoWriter if no process opens it for writing in time."""
    opened: list[int] = []
    waiting = threading.Thread(target=lambda: opened.append(os.open(path, os.O_RDONLY)), daemon=True)
    waiting.start()
    waiting.join(WRITER_SECONDS)
    if waiting.is_alive():
        os.close(os.open(path, os.O_RDWR))  # act as a writer for a moment, so that the thread ends
        waiting.join()
        os.close(opened[0])
        raise _NoWriter
    return opened[0]


ZIP_MAGIC = b"PK\x03\x04"
GZIP_MAGIC = b"\x1f\x8b"
MAX_LINE = 16 << 20
"""The maximum length of a line, in bytes."""
MAX_BLANK = 1 << 20
"""The maximum length of blank lines in a row, in bytes. A small gzip file can hold gigabytes of them."""


def raw_lines(path: Located, name: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, from 1. Blank lines are skipped.

    A file with gzip content is unpacked, whatever its name. A file named .gz must have gzip content.
    """
    number = blank = 0
    with opened(path, name, "a .jsonl or .jsonl.gz file") as source:
        try:
            zipped = source.peek(2)[:2] == GZIP_MAGIC
            if path.suffix == ".gz" and not zipped:
                found = "is not gzip, although its name ends in .gz"
                raise DataError.one(name, None, "", found, "a gzip file")
            file: gzip.GzipFile | IO[bytes] = gzip.GzipFile(fileobj=source) if zipped else source
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    found = f"the line is longer than {MAX_LINE} bytes"
                    raise DataError.one(name, number, "", found, "one JSON object per line")
                blank = blank + len(line) if line.isspace() else 0
                if blank > MAX_BLANK:
                    found = f"more than {MAX_BLANK:,} bytes of blank lines in a row"
                    raise DataError.one(name, number, "", found, "one JSON object per line")
                if not blank:
                    yield number, line
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            found = f"broken gzip: it {'ends too early' if isinstance(error, EOFError) else 'is damaged'}"
            raise DataError.one(name, number + 1, "", found, "a complete gzip file") from error
        except OSError as error:
            raise unreadable(name, error, number + 1) from error


def unpacked(path: Path, name: str) -> bytes:
    """The bytes of a file, unpacked if they are gzip. Raises DataError if they are broken or too large."""
    data = read_bytes(path, name)
    if data[:2] != GZIP_MAGIC:
        if path.suffix == ".gz":
            raise DataError.one(name, None, "", "is not gzip, although its name ends in .gz", "a gzip file")
        return data
    return unpacked_bytes(data, name)


def unpacked_bytes(data: bytes, name: str) -> bytes:
    """The bytes that gzip packed. Raises DataError if they are broken or too large."""
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
