"""Reading transcripts: checks every line, reports all findings of all files at once, fills one spool."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import IO, Any

import re2

from ib.errors import DataError, Finding, Findings, Place
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.store.files.reading import raw_lines
from ib.store.files.validation import model_of_line
from ib.store.files.writing import disk
from ib.store.folders.parquet_logs import Row, conversation_rows, in_row, is_parquet
from ib.text.shown import blank

Key = tuple[str, str, int]


MOST_MARKS = 60
"""The maximum number of combining marks in a row: twice the limit of Unicode's stream-safe format.
Normalizing longer runs takes quadratic time."""
_SOME_MARKS = re2.compile(r"\pM{3}")
_ASCII = bytes(range(128))


@cache
def _many_marks() -> Any:
    """Compiled on first use, which is rare, because compiling takes 11 ms."""
    return re2.compile(rf"\pM{{{MOST_MARKS},}}")


def piled_up(text: str) -> bool:
    """True if a text has MOST_MARKS or more combining marks in a row."""
    if text.isascii():
        return False
    encoded = text.encode()
    # Marks are never ASCII, and take two bytes at least. Removing ASCII keeps every run of marks, and leaves
    # little text to search.
    rest = encoded.translate(None, _ASCII)
    if len(rest) < 2 * MOST_MARKS:
        return False
    return bool(_SOME_MARKS.search(rest) and _many_marks().search(encoded))


@dataclass(frozen=True, slots=True)
class Spooled:
    """The place of the canonical line of one transcript in the spool."""

    key: Key
    category: str | None
    set: str | None
    transcript_hash: str
    offset: int
    length: int
    file: str
    line: int

    @property
    def scenario_id(self) -> str:
        return self.key[1]


@dataclass
class Spool:
    """Canonical transcript lines in a temporary file, read in the order of their keys."""

    file: IO[bytes]
    entries: tuple[Spooled, ...]
    left_out: int = 0
    """The rows of tables that are no conversation to judge, as their log says."""

    def __iter__(self) -> Iterator[tuple[Transcript, str]]:
        """Each transcript with its hash, in plan order."""
        return self.pairs()

    def pairs(self, first: int = 0) -> Iterator[tuple[Transcript, str]]:
        """Each transcript with its hash, in plan order, from index `first` on."""
        for entry in self.entries[first:]:
            yield Transcript.model_validate_json(self.line(entry)), entry.transcript_hash

    def only(self, entries: tuple[Spooled, ...]) -> Spool:
        """The same spool with some of its transcripts."""
        return replace(self, entries=entries)

    def close(self) -> None:
        """Close the temporary file, which deletes it."""
        self.file.close()

    def line(self, entry: Spooled) -> bytes:
        """The canonical line of one transcript, with its newline."""
        return os.pread(self.file.fileno(), entry.length, entry.offset)

    def lines(self) -> Iterator[bytes]:
        """All canonical lines, in plan order, each with its newline."""
        return (self.line(entry) for entry in self.entries)


def spool(
    sources: Sequence[Path | Transcript],
    known_checks: Mapping[str, object],
    fitted: Callable[[Transcript], Transcript | Finding] = lambda transcript: transcript,
    tagged: Callable[[Transcript], Iterable[Finding]] = lambda transcript: (),
    seen: Callable[[Transcript, str], None] = lambda transcript, transcript_hash: None,
    clean: Callable[[Transcript], Transcript] = lambda transcript: transcript,
) -> Spool:
    """Read every transcript of every source into a spool. Raises DataError with all findings.

    A source is a file, or one transcript in memory.

    `fitted` adds the fields of its scenario to a transcript, or returns a finding if the two contradict
    each other. `tagged` returns the findings about its tags. Both leave the file and the line of a finding
    empty. `seen` is called with each valid transcript and its hash, in the order of the files. `clean` is
    applied to a transcript before anything else, so that nothing of it is kept that it takes away.

    The plan order is that of (model, scenario, epoch), regardless of the order of the files.
    """
    file = tempfile.TemporaryFile(prefix="ib-spool-")  # noqa: SIM115 - the spool keeps it open
    reading = _Reading(file, known_checks, fitted, tagged, seen, clean)
    for index, source in enumerate(sources):
        reading.source(source, str(source) if isinstance(source, Path) else f"transcripts[{index}]")
    if reading.findings:
        file.close()
        raise DataError(reading.findings)
    with disk("temporary spool"):
        file.flush()
    return Spool(file, tuple(reading.entries[key] for key in sorted(reading.entries)), reading.left_out)


@dataclass
class _Reading:
    """What was read so far: valid transcripts are in the file, and findings about all others in a list."""

    file: IO[bytes]
    known_checks: Mapping[str, object]
    fitted: Callable[[Transcript], Transcript | Finding]
    tagged: Callable[[Transcript], Iterable[Finding]]
    seen: Callable[[Transcript, str], None]
    clean: Callable[[Transcript], Transcript]
    findings: Findings = field(default_factory=Findings)
    entries: dict[Key, Spooled] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """The display name of each model by its id."""
    offset: int = 0
    left_out: int = 0
    """The rows of tables that are no conversation to judge."""

    def source(self, source: Path | Transcript, name: str) -> None:
        """Read every transcript of a source."""
        count = 0
        try:
            is_table = isinstance(source, Path) and is_parquet(source)
            for number, raw in _lines(source, name, is_table=is_table):
                count += 1
                self.left_out += raw == []
                first = count == 1 and not is_table
                found = raw if isinstance(raw, list) else self._valid(raw, name, number, first=first)
                if isinstance(found, Transcript):
                    self._write(found, name, number)
                else:
                    self.findings.extend(in_row(one, number) if is_table else one for one in found)
        except DataError as error:
            self.findings.extend(error.findings)
            return
        if count == 0:
            self.findings.add(Finding.at(name, None, "", "has no transcript", "at least one line"))

    def _valid(self, raw: bytes, name: str, number: int, *, first: bool) -> Transcript | list[Finding]:
        """The transcript of a line with the fields of its scenario, or the findings about it."""
        parsed = _parsed(raw, name, number, first=first)
        if not isinstance(parsed, Transcript):
            return parsed
        parsed = self.clean(parsed)
        problems = [
            *_problems(parsed, self.known_checks, self.entries, name=name, number=number),
            *_misnamed(parsed, self.names, name=name, number=number),
        ]
        if problems:
            return problems
        joined = self.fitted(parsed)
        wrong = [joined] if isinstance(joined, Finding) else list(self.tagged(joined))
        if isinstance(joined, Finding) or wrong:
            return [replace(one, place=Place(name, number, one.place.path)) for one in wrong]
        return joined

    def _write(self, transcript: Transcript, name: str, number: int) -> None:
        """Add a valid transcript to the file."""
        try:
            line = transcript_line(transcript)
        except TypeError:
            found = "an integer is too large"
            self.findings.add(Finding.at(name, number, "", found, "numbers of at most 64 bits"))
            return
        key, length = transcript.key, len(line) + 1
        entry = Spooled(
            key, transcript.category, transcript.set, line_hash(line), self.offset, length, name, number
        )
        with disk("temporary spool"):
            self.file.write(line + b"\n")
        self.offset += length
        self.entries[key] = entry
        self.seen(transcript, entry.transcript_hash)


def _lines(source: Path | Transcript, name: str, *, is_table: bool) -> Iterable[tuple[int, Row]]:
    """The numbered lines of a source, or the rows of a table as lines."""
    if is_table and isinstance(source, Path):
        return conversation_rows(source, name)
    return raw_lines(source, name) if isinstance(source, Path) else [(1, transcript_line(source))]


def _parsed(raw: bytes, name: str, number: int, *, first: bool) -> Transcript | list[Finding]:
    """One line as a transcript, or its findings. Raises DataError if the first line is that of a log."""
    parsed = model_of_line(Transcript, raw, name, number)
    if first and not isinstance(parsed, Transcript):
        from ib.store.folders.logfiles import foreign_log  # every form of log, which a scan needs only here

        foreign = foreign_log(raw, name, number)
        if foreign is not None:
            raise DataError([foreign])
    return parsed


def placed(joined: Transcript | Finding, rule_sets: Collection[str]) -> Transcript | Finding:
    """The transcript, or a finding if its jurisdiction has no rule set (`base` is no substitute)."""
    if isinstance(joined, Finding) or joined.jurisdiction in (None, *rule_sets):
        return joined
    found, known = f"unknown rule set {joined.jurisdiction!r}", ", ".join(sorted(rule_sets))
    return Finding.at("", None, "jurisdiction", found, f"one of {known}, or omit the key for rule set base")


def problems(transcript: Transcript, known_checks: Mapping[str, object]) -> Iterator[Finding]:
    """What is wrong with a transcript by itself. The file and the line of the findings are left empty."""
    listed = [("eligible_checks", transcript.eligible_checks or ())]
    listed += [(f"anchors.{i}.checks", a.checks) for i, a in enumerate(transcript.anchors)]
    for key, checks in listed:
        for check_id in checks:
            if check_id not in known_checks:
                allowed = "the id of a check; `ib show check` lists all checks"
                yield Finding.at("", None, key, f"unknown check {check_id!r}", allowed)
    for index, message in enumerate(transcript.messages):
        if piled_up(message.content):
            found = f"more than {MOST_MARKS} combining marks in a row"
            yield Finding.at("", None, f"messages.{index}.content", found, f"at most {MOST_MARKS - 1}")


def _problems(
    transcript: Transcript,
    known_checks: Mapping[str, object],
    entries: Mapping[Key, Spooled],
    *,
    name: str,
    number: int,
) -> Iterator[Finding]:
    for one in problems(transcript, known_checks):
        yield replace(one, place=Place(name, number, one.place.path))
    earlier = entries.get(transcript.key)
    if earlier is not None:
        who = f"model {transcript.model_id!r}, scenario {transcript.scenario_id!r}"
        found = f"{who} is also in {earlier.file}:{earlier.line}"
        yield Finding.at(name, number, "scenario_id", found, "one transcript per model, scenario and epoch")


def _misnamed(transcript: Transcript, names: dict[str, str], *, name: str, number: int) -> Iterator[Finding]:
    """Findings about the display name of a model. `names` has the earlier names by model id."""
    named = names.get(transcript.model_id)
    if named is None:
        names[transcript.model_id] = transcript.model
        if blank(transcript.model):
            yield Finding.at(
                name, number, "model", f"{transcript.model!a} has no visible character", "a readable name"
            )
    elif named != transcript.model:
        found = f"model {transcript.model_id!r} is named {transcript.model!r} here, {named!r} before"
        yield Finding.at(name, number, "model", found, "one name per model")
