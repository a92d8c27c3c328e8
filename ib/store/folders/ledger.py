"""The folder of releases: the ledger, and one folder for each release.

The chain of the ledger is checked whenever it is read: a line that was changed, left out or put in is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ib.board.history.ledger import Ledger
from ib.board.history.told import Told
from ib.errors import DataError
from ib.models.common.canonical import compact
from ib.models.release.ledger import FIRST, FORM, LedgerLine
from ib.store.files.reading import raw_lines, read_bytes
from ib.store.files.validation import model_of_line
from ib.store.files.writing import file_names

LEDGER = "ledger.jsonl"
RELEASES = "releases"
"""The usual name of the folder, beside that of the newest release."""


@dataclass(frozen=True)
class ReleasesFolder:
    """A folder with the ledger, and each release in a folder with its id."""

    path: Path

    @property
    def ledger_path(self) -> Path:
        return self.path / LEDGER

    def ledger(self) -> Ledger:
        """The ledger; empty if there is no file. Raises DataError if a line is not as it was written."""
        path = self.ledger_path
        return Ledger(tuple(_chained(path))) if path.exists() else Ledger()

    def folder(self, release: str) -> Path:
        """The folder of a release."""
        return self.path / release

    def told(self, release: str) -> Told:
        """The files of a release. Raises DataError if there is no such folder."""
        return told(self.folder(release))


def told(folder: Path) -> Told:
    """The files of the release in a folder. Raises DataError if the folder does not exist."""
    if not folder.is_dir():
        raise DataError.one(folder, None, "", "no such folder", "the folder of a release")
    return Told({name: read_bytes(folder / name) for name in file_names(folder)})


def ledger_bytes(lines: Iterable[LedgerLine]) -> bytes:
    """The bytes of a ledger."""
    return b"".join(compact(line) + b"\n" for line in lines)


def _chained(path: Path) -> Iterator[LedgerLine]:
    """The lines of a ledger, each compared with the one before."""
    before = FIRST
    for number, raw in raw_lines(path, str(path)):
        line = model_of_line(LedgerLine, raw, str(path), number)
        if isinstance(line, list):
            raise DataError(line)
        _check(path, number, raw, line, before)
        before = line.hash
        yield line


def _check(path: Path, number: int, raw: bytes, line: LedgerLine, before: str) -> None:
    restore = "take the file from a copy; the ledger is only ever added to"
    if line.schema_version != FORM:
        found = f"is {line.schema_version}, and this ib reads {FORM}"
        raise DataError.one(path, number, "schema_version", found, "use the ib that wrote the file")
    if line.number != number:
        found = f"is {line.number} on line {number}: lines were left out or put in"
        raise DataError.one(path, number, "number", found, restore)
    if line.before != before:
        what = "the first line names a line before it" if number == 1 else f"line {number - 1} was changed"
        found = f"is not the hash of the line before: {what}"
        raise DataError.one(path, number, "before", found, restore)
    if raw != compact(line) + b"\n":
        raise DataError.one(path, number, "", "is not written as ib writes it", restore)
