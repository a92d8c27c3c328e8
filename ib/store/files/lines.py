"""Reading JSONL, plain or gzipped, as a stream, with the line number of every finding."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ib.errors import DataError
from ib.store.files.reading import opened, unreadable

GZIP_MAGIC = b"\x1f\x8b"
MAX_LINE = 16 << 20
"""The maximum length of a line, in bytes."""
MAX_BLANK = 1 << 20
"""The maximum length of blank lines in a row, in bytes. A small gzip file can hold gigabytes of them."""


def raw_lines(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
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
