"""Reading and writing the source of a release: gzip files with one row a line.

The bytes depend on the rows alone: gzip is written without a name and a time.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel

from ib.errors import DataError
from ib.models.common.canonical import compact
from ib.models.conversation.transcript import transcript_line
from ib.models.release.source import SourceReply, WholeConversation, WithheldConversation
from ib.store.files.reading import raw_lines, unpacked, unpacked_bytes
from ib.store.files.validation import model_of_line

Model = TypeVar("Model", bound=BaseModel)
LEVEL = 9
"""How hard gzip tries. Sources are small, and read more often than they are written."""


class Packed:
    """A gzip file in memory that is written line by line."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        self._file = gzip.GzipFile("", "wb", LEVEL, self._bytes, mtime=0)
        self.lines = 0

    def add(self, line: bytes) -> None:
        """Add a line, without its newline."""
        self._file.write(line + b"\n")
        self.lines += 1

    def close(self) -> bytes:
        """The whole file."""
        self._file.close()
        return self._bytes.getvalue()


def packed(lines: Iterable[bytes]) -> bytes:
    """A gzip file of these lines, each without its newline."""
    file = Packed()
    for line in lines:
        file.add(line)
    return file.close()


def packed_document(data: bytes) -> bytes:
    """A document as a gzip file."""
    return gzip.compress(data, LEVEL, mtime=0)


def conversation_line(conversation: WholeConversation | WithheldConversation) -> bytes:
    """The line of a conversation. Fields with their usual value are left out of whole conversations."""
    if isinstance(conversation, WithheldConversation):
        return compact({"conversation": conversation})
    row: dict[str, Any] = {
        "kind": conversation.kind,
        "transcript_hash": conversation.transcript_hash,
        "transcript": orjson.Fragment(transcript_line(conversation.transcript)),
        "replies": [_short(reply) for reply in conversation.replies],
    }
    if conversation.trimmed:
        row["trimmed"] = True
    if conversation.second:
        row["second"] = [_short(reply) for reply in conversation.second]
    return compact({"conversation": row})


def _short(reply: SourceReply) -> dict[str, Any]:
    return reply.model_dump(mode="json", exclude_defaults=True)


def rows(model: type[Model], path: Path) -> Iterator[Model]:
    """The rows of a file of a source; none if there is no such file. Raises DataError at an invalid row."""
    if not path.exists():
        return
    for number, line in raw_lines(path, str(path)):
        parsed = model_of_line(model, line, str(path), number)
        if isinstance(parsed, list):
            raise DataError(parsed)
        yield parsed


def lines(data: bytes, name: str) -> Iterator[bytes]:
    """The lines of a packed file. Raises DataError if it is broken or unpacks to too much."""
    return iter(unpacked_bytes(data, name).splitlines())


def document(path: Path) -> bytes:
    """The bytes of a packed document. Raises DataError if it is missing or broken."""
    return unpacked(path, str(path))
