"""The folder of releases: the ledger, and one folder for each release.

The chain of the ledger is checked whenever it is read: a line that was changed, left out or put in is named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ib.board.history.ledger import Ledger, disagreements, unfounded
from ib.board.history.told import Told
from ib.errors import DataError, Refused
from ib.models.common.canonical import compact, digest
from ib.models.release.ledger import FIRST, FORM, LedgerLine
from ib.store.files.lines import Lines
from ib.store.files.reading import raw_lines, read_bytes
from ib.store.files.validation import model_of_line
from ib.store.files.writing import file_names
from ib.store.folders.released import QA, qa_of_any

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
    return Told(FolderFiles(folder))


class FolderFiles(Mapping[str, bytes]):
    """The files of a folder by name. Each is read when it is asked for, so that memory holds one."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._names = folder, tuple(file_names(folder))

    def __getitem__(self, name: str) -> bytes:
        if name not in self._names:
            raise KeyError(name)
        return read_bytes(self._folder / name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class MadeFiles(Mapping[str, bytes]):
    """The files of a release that is not written yet: files in memory, and files of lines."""

    def __init__(self, files: Mapping[str, bytes], lines: Mapping[str, Lines]) -> None:
        self._files, self._lines = files, lines

    def __getitem__(self, name: str) -> bytes:
        return b"".join(self._lines[name]) if name in self._lines else self._files[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._files
        yield from self._lines

    def __len__(self) -> int:
        return len(self._files) + len(self._lines)


def same_files(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> bool:
    """True if two releases have the same files with the same bytes."""
    return set(one) == set(other) and all(one[name] == other[name] for name in one)


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


def check_history(history: ReleasesFolder, out: Path | None = None) -> Ledger:
    """The ledger, if the releases agree with it; with `out`, also the folder of the newest release.

    Raises DataError if the chain of the ledger is broken, and Refused with everything that disagrees.
    """
    ledger = history.ledger()
    problems = list(_problems(history, ledger))
    if out is not None:
        problems += _not_newest(ledger, history, out)
    if problems:
        raise Refused(f"{history.path} and its ledger do not agree", problems)
    return ledger


def _problems(history: ReleasesFolder, ledger: Ledger) -> Iterator[str]:
    known = ledger.releases
    for count, line in enumerate(ledger.lines, 1):
        if line.seal is None:
            continue
        end = _end_of(ledger, count)
        if known[line.release] is line:
            yield from _changed(history.folder(line.release), line)
        if history.folder(line.release).is_dir():
            kept = history.told(line.release)
            found = (*disagreements(ledger, end, line.release, kept), *unfounded(ledger, count, kept))
            yield from (f"{line.release}: {problem}" for problem in found)
    for folder in sorted(history.path.iterdir()) if history.path.is_dir() else ():
        if folder.is_dir() and not folder.name.startswith(".") and folder.name not in known:
            yield f"{folder.name}: the ledger does not know this release"


def _end_of(ledger: Ledger, count: int) -> int:
    """How many lines the ledger has up to the last line of the release whose first line has that number."""
    later = (n for n, line in enumerate(ledger.lines[count:], count) if line.seal is not None)
    return next(later, len(ledger.lines))


def _changed(folder: Path, line: LedgerLine) -> Iterator[str]:
    """How a release differs from what its ledger line and its qa.json say."""
    name = folder.name
    if not (folder / QA).is_file():
        yield f"{name}: {QA} is missing, so the release cannot be checked"
        return
    qa = qa_of_any(folder / QA)
    seal = qa.pop("seal", None)
    if seal != line.seal or not name.endswith(f"-{str(seal)[:8]}"):
        yield f"{name}: the seal of {QA} is not the one of line {line.number} of the ledger"
    elif digest(qa) != seal:
        yield f"{name}: {QA} was changed since it was sealed"
    released = {str(key): value for key, value in qa.get("released", {}).items()}
    files = {file for file in file_names(folder) if not file.startswith(QA)}  # and its signature, if any
    for missing in sorted(released.keys() - files):
        yield f"{name}: {missing} is missing"
    for file in sorted(files):
        if file not in released:
            yield f"{name}: {file} is not listed in {QA}"
        elif hashlib.sha256((folder / file).read_bytes()).hexdigest() != released[file]:
            yield f"{name}: {file} was changed"


def _not_newest(ledger: Ledger, history: ReleasesFolder, out: Path) -> Iterator[str]:
    """How the folder of the newest release differs from the newest release."""
    newest = ledger.newest
    if newest is None or not out.exists():
        return
    kept = history.folder(newest.release)
    if kept.is_dir() and not same_files(told(out).files, told(kept).files):
        yield f"{out} is not {newest.release}, the newest release of the ledger"
