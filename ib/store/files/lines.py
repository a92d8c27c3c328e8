"""Lines in a temporary file: what is too long for memory, until it is written to its place."""

from __future__ import annotations

import hashlib
import tempfile
import weakref
from collections.abc import Iterator

_CHUNK = 1 << 20


class Lines:
    """Lines that are added one by one, and read when all are there. The system deletes the file."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="ib-lines-")  # noqa: SIM115 - open as long as the lines
        self._hash = hashlib.sha256()
        weakref.finalize(self, self._file.close)

    def add(self, line: bytes) -> None:
        """Add one line, given without its newline."""
        self._file.write(line + b"\n")
        self._hash.update(line + b"\n")

    @property
    def sha256(self) -> str:
        """The SHA-256 of all lines, each with its newline, in hexadecimal."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        """Every line with its newline."""
        self._file.seek(0)
        return iter(self._file)

    def chunks(self) -> Iterator[bytes]:
        """The bytes of all lines, in pieces."""
        self._file.seek(0)
        while piece := self._file.read(_CHUNK):
            yield piece
