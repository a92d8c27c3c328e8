"""The conversations of an import: each is checked, written and counted, or named as broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import IO

from ib.errors import DataError, Finding, Findings, Place
from ib.errors import Path as Keys
from ib.logs.reading.form import Locate
from ib.logs.reading.notes import Change, Notes
from ib.models.conversation.context import ContextKind
from ib.models.conversation.transcript import Transcript, transcript_line
from ib.store.files.validation import model_of_line
from ib.store.files.writing import disk
from ib.store.folders.transcripts import MOST_MARKS, piled_up


@dataclass(frozen=True)
class Read:
    """One conversation of a file: read, or None with the reason in the notes."""

    transcript: Transcript | None
    form: str
    notes: Notes
    locate: Locate


@dataclass
class Gathered:
    """The transcripts of all files, as lines, and what there is to say about them."""

    lines: IO[bytes]
    shown: frozenset[ContextKind]
    """The kinds of context that judges are shown."""
    names: list[str] = field(default_factory=list)
    """The files."""
    findings: Findings = field(default_factory=Findings)
    fatal: Findings = field(default_factory=Findings)
    """Errors of whole files, which cannot be skipped."""
    places: dict[tuple[str, str, int], tuple[str, Locate]] = field(default_factory=dict)
    models: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    meta: Counter[str] = field(default_factory=Counter)
    """How many conversations have each piece of metadata."""

    def file(self, name: str, items: Iterable[Read | Finding]) -> None:
        """Add the conversations of one file."""
        self.names.append(name)
        try:
            for item in items:
                if isinstance(item, Finding):
                    self._broken([item])
                else:
                    self._conversation(name, item)
        except DataError as error:
            self.fatal.extend(error.findings)

    def _conversation(self, name: str, read: Read) -> None:
        found = [
            replace(one, place=place_in(name, read.locate, one.place.path)) for one in read.notes.findings
        ]
        if read.transcript is not None and not found:
            found = [*self._problems(read.transcript, name, read.locate)]
        if found:
            self._broken(found)
            return
        self.changes.update({change.value: count for change, count in read.notes.changes.items() if count})
        self.unread.update(read.notes.unread)
        if read.transcript is not None:
            self.places[read.transcript.key] = (name, read.locate)
            self.models[read.transcript.model_id] += 1
            self.forms[read.form] += 1
            self.meta.update(read.transcript.meta.keys())

    def _problems(self, transcript: Transcript, name: str, locate: Locate) -> Iterator[Finding]:
        """Errors of a transcript by itself and next to the others. If there are none, it is written."""
        earlier = self.places.get(transcript.key)
        if earlier is not None:
            there = str(place_in(*earlier)).rstrip(":")
            found = f"the same conversation of {transcript.model_id!r} as in {there}"
            yield Finding(place_in(name, locate), found, "each once; remove one, or use --skip-broken")
            return
        if any(piled_up(message.content) for message in transcript.messages):
            found = f"more than {MOST_MARKS} combining marks in a row"
            yield Finding(place_in(name, locate), found, f"at most {MOST_MARKS - 1}")
            return
        try:
            written = transcript_line(self._with_shown(transcript))
        except TypeError:
            yield Finding(place_in(name, locate), "an integer is too large", "numbers of at most 64 bits")
            return
        read = model_of_line(Transcript, written, name, 1)
        if not isinstance(read, Transcript):
            yield from (replace(one, place=place_in(name, locate)) for one in read)
            return
        with disk("temporary file"):
            self.lines.write(written + b"\n")

    def _with_shown(self, transcript: Transcript) -> Transcript:
        if not self.shown:
            return transcript
        marked = (
            item.model_copy(update={"shown": item.shown or item.kind in self.shown})
            for item in transcript.context
        )
        return transcript.model_copy(update={"context": tuple(marked)})

    def _broken(self, findings: list[Finding]) -> None:
        self.findings.extend(findings)
        self.changes[Change.BROKEN.value] += 1

    def refuse(self, *, skip_broken: bool) -> None:
        """Raises DataError if there are errors, or nothing to write."""
        if self.fatal or (self.findings and not skip_broken):
            raise DataError([*self.fatal, *self.findings])
        if not self.places:
            counted = ", ".join(f"{change.replace('_', ' ')}: {n}" for change, n in self.changes.items())
            found = f"no conversation can be imported ({counted})"
            where = ", ".join(self.names)
            raise DataError([*self.findings, Finding.at(where, None, "", found, "at least one with a reply")])


def place_in(name: str, locate: Locate, path: Keys = ()) -> Place:
    """Where in a file a conversation is, or a key of it."""
    return Place(name, *locate(path))
