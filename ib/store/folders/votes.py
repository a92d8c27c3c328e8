"""Loading recorded votes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from sys import intern
from typing import IO

from ib.errors import DataError, Finding, Findings
from ib.models.scan.votes import VoteKey, VoteRecord, VoteSource, record_digest, recording_hash
from ib.store.files.reading import raw_lines
from ib.store.files.validation import model_of_line
from ib.store.files.writing import disk

PATTERNS = ("*.votes.jsonl", "*.votes.jsonl.gz")
MOST_HELD = 8192
"""The maximum number of records in memory. Further records are kept in a temporary file."""
_LENGTH_BITS = 25
"""Enough bits for the maximum length of a line."""


class Recording:
    """Vote records by key. Up to MOST_HELD are in memory; the others are read from disk when needed."""

    def __init__(self) -> None:
        self.sources: list[VoteSource] = []
        """The paths that were named, in their order."""
        self._held: dict[VoteKey, VoteRecord] = {}
        self._places: dict[VoteKey, int] = {}
        """The offset of a record's line, with its length in the lowest bits. One int saves memory."""
        self._file: IO[bytes] | None = None
        self._end = 0

    def __len__(self) -> int:
        return len(self._held) + len(self._places)

    def __contains__(self, key: object) -> bool:
        return key in self._held or key in self._places

    def __iter__(self) -> Iterator[VoteRecord]:
        """Every record, in the order of addition."""
        yield from self._held.values()
        for place in self._places.values():
            yield self._read(place)

    def get(self, key: VoteKey) -> VoteRecord | None:
        """The record of a key. Returns None if there is none."""
        held = self._held.get(key)
        if held is not None:
            return held
        place = self._places.get(key)
        return None if place is None else self._read(place)

    def add(self, record: VoteRecord, line: bytes) -> None:
        """Add a record with a new key. `line` is the line of the file that it was read from."""
        if len(self._held) < MOST_HELD:
            self._held[record.key] = record
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="ib-votes-")  # noqa: SIM115 - open as long as the recording
        with disk("temporary votes"):
            self._file.write(line)
        # Many keys share the same names. Interning keeps each name once.
        key = (intern(record.model_id), intern(record.scenario_id), record.epoch, intern(record.check_id))
        self._places[key] = self._end << _LENGTH_BITS | len(line)
        self._end += len(line)

    def flush(self) -> None:
        """Make all added records readable."""
        if self._file is not None:
            with disk("temporary votes"):
                self._file.flush()

    def _read(self, place: int) -> VoteRecord:
        assert self._file is not None
        length = place & (1 << _LENGTH_BITS) - 1
        line = os.pread(self._file.fileno(), length, place >> _LENGTH_BITS)
        return VoteRecord.model_validate_json(line, strict=True)

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


def vote_files(path: Path) -> tuple[Path, ...]:
    """The file itself, or the votes files in a folder, sorted by name."""
    if not path.is_dir():
        return (path,)
    found = sorted(file for pattern in PATTERNS for file in path.glob(pattern))
    if not found:
        allowed = f"a votes file, or a folder with {' or '.join(PATTERNS)}"
        raise DataError.one(path, None, "", "the folder has no votes file", allowed)
    return tuple(found)


def load_votes(paths: tuple[Path, ...], known_checks: Mapping[str, object]) -> tuple[Recording, str]:
    """Load every record of every votes file, or folder of votes files.

    Returns the records with a hash that ignores their order and files.
    """
    findings = Findings()
    recording = Recording()
    digests: list[bytes] = []
    for path in paths:
        recording.sources.append(VoteSource(str(path)))
        for file in vote_files(path):
            digests += _load_file(file, recording, known_checks, findings)
    if findings:
        raise DataError(findings)
    recording.flush()
    return recording, recording_hash(digests)


def _load_file(
    path: Path, recording: Recording, known_checks: Mapping[str, object], findings: Findings
) -> list[bytes]:
    """Add the records or the findings of one file; returns the digest of each record."""
    name, number = str(path), None
    digests: list[bytes] = []
    try:
        for number, raw in raw_lines(path, name):
            parsed = model_of_line(VoteRecord, raw, name, number)
            flaws = parsed if isinstance(parsed, list) else _flaws(parsed, recording, known_checks)
            findings.extend(Finding.at(name, number, f.place.path, f.found, f.hint) for f in flaws)
            if isinstance(parsed, VoteRecord) and not flaws:
                recording.add(parsed, raw)
                recording.sources[-1].add(parsed)
                digests.append(record_digest(parsed))
    except DataError as error:
        findings.extend(error.findings)
    else:
        if number is None:
            findings.add(Finding.at(name, None, "", "has no vote", "at least one line"))
    return digests


def _flaws(record: VoteRecord, recording: Recording, known_checks: Mapping[str, object]) -> list[Finding]:
    """Findings for a record with an unknown check or the key of an earlier record."""
    if record.check_id not in known_checks:
        allowed = "the id of a check; `ib show check` lists all checks"
        return [Finding.at("", None, "check_id", f"unknown check {record.check_id!r}", allowed)]
    if record.key in recording:
        found = f"{record.check_id} on {record.scenario_id} by {record.model_id} is given twice"
        allowed = "one record per model, scenario, epoch and check"
        return [Finding.at("", None, "check_id", found, allowed)]
    return []
