"""Importing conversations of other tools: chat logs and Inspect logs become a transcripts file."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from pydantic import TypeAdapter, ValidationError

from ib.errors import DataError, Finding, Findings, OutputExists, Place, UsageError
from ib.errors import Path as Keys
from ib.logs.chat import read_conversation
from ib.logs.evallog import read_sample
from ib.logs.forms import TRANSCRIPT
from ib.logs.notes import Change, Notes
from ib.models.base import Identifier
from ib.models.context import Source
from ib.models.transcript import Transcript, transcript_line
from ib.pipeline.callbacks import SILENT, Callbacks
from ib.store.chatlogs import Locate, Logged, conversations
from ib.store.evallogs import load_eval_log
from ib.store.files import claim, disk, replacing
from ib.store.transcripts import MOST_MARKS, piled_up
from ib.store.validation import build


@dataclass(frozen=True)
class Imported:
    """What an import wrote, and everything that it changed or left out, counted."""

    out: Path
    files: int
    conversations: int
    models: dict[str, int]
    """Conversations by model id."""
    forms: dict[str, int]
    """Conversations by the form of the log."""
    changes: dict[str, int]
    """How often each change was made; the names are those of `ib.logs.notes.Change`."""
    unread: dict[str, int]
    """Keys of the logs that were not read, and in how many conversations they had a value."""
    left_out: tuple[Finding, ...]
    """The errors of conversations that were left out because of `skip_broken`."""

    def as_dict(self) -> dict[str, Any]:
        """The result as data for JSON."""
        return {**asdict(self), "out": str(self.out), "left_out": [str(one) for one in self.left_out]}


@dataclass(frozen=True)
class _Read:
    """One conversation of a file: read, or None with the reason in the notes."""

    transcript: Transcript | None
    form: str
    notes: Notes
    locate: Locate


def import_chat(
    files: Sequence[Path | str] | Path | str,
    out: Path | str,
    *,
    model: str | None = None,
    skip_broken: bool = False,
    callbacks: Callbacks = SILENT,
) -> Imported:
    """Import chat logs: OpenAI, ShareGPT and WildChat forms, lists of messages, transcripts.

    `model` names the model of all conversations; the default is what each log says, or unknown/unknown.
    With `skip_broken`, broken conversations are left out. Raises DataError with every error of every
    file, and OutputExists if `out` exists; in both cases nothing is written.
    """
    return _imported(_as_paths(files), Path(out), model, _read_chat, callbacks, skip_broken=skip_broken)


def import_inspect(
    files: Sequence[Path | str] | Path | str,
    out: Path | str,
    *,
    model: str | None = None,
    skip_broken: bool = False,
    callbacks: Callbacks = SILENT,
) -> Imported:
    """Import Inspect logs, `.eval` and `.json`. Arguments and errors are those of `import_chat`.

    Samples with an error, invalidated samples and samples without a reply are left out and counted.
    """
    return _imported(_as_paths(files), Path(out), model, _read_inspect, callbacks, skip_broken=skip_broken)


def _as_paths(files: Sequence[Path | str] | Path | str) -> list[Path]:
    return [Path(file) for file in ([files] if isinstance(files, str | Path) else files)]


Reader = Callable[[Path, str | None, Callbacks], Iterator[_Read | Finding]]


def _imported(
    files: list[Path], out: Path, model: str | None, read: Reader, callbacks: Callbacks, *, skip_broken: bool
) -> Imported:
    _check_usage(out, model)
    with tempfile.TemporaryFile(prefix="ib-import-") as lines:
        gathered = _Gathered(lines)
        for done, path in enumerate(files):
            callbacks.progress("files", done, len(files))
            gathered.file(str(path), read(path, model, callbacks))
        gathered.refuse(skip_broken=skip_broken)
        lines.seek(0)
        _write(out, lines)
    return gathered.result(out, len(files))


def _check_usage(out: Path, model: str | None) -> None:
    """Raises UsageError or OutputExists for arguments that cannot be."""
    claim(out)
    if out.exists():
        raise OutputExists(f"{out}: already exists; choose another file")
    try:
        TypeAdapter(Identifier).validate_python("model" if model is None else model)
    except ValidationError as error:
        allowed = "at most 160 letters, digits and _.:/@+-, such as vendor/model"
        raise UsageError(f"--model {model!r} cannot be the id of a model; use {allowed}") from error


def _write(out: Path, lines: IO[bytes]) -> None:
    """Write the lines to a file in one step, gzipped if its name ends in .gz."""
    with disk(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    with replacing(out) as file:
        if out.suffix == ".gz":
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                shutil.copyfileobj(lines, packed)
        else:
            shutil.copyfileobj(lines, file)


@dataclass
class _Gathered:
    """The transcripts of all files, as lines, and what there is to say about them."""

    lines: IO[bytes]
    findings: Findings = field(default_factory=Findings)
    fatal: Findings = field(default_factory=Findings)
    """Errors of whole files, which cannot be skipped."""
    places: dict[tuple[str, str, int], tuple[str, Locate]] = field(default_factory=dict)
    models: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)

    def file(self, name: str, items: Iterable[_Read | Finding]) -> None:
        """Add the conversations of one file."""
        try:
            for item in items:
                if isinstance(item, Finding):
                    self._broken([item])
                else:
                    self._conversation(name, item)
        except DataError as error:
            self.fatal.extend(error.findings)

    def _conversation(self, name: str, read: _Read) -> None:
        found = [replace(one, place=_place(name, read.locate, one.place.path)) for one in read.notes.findings]
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

    def _problems(self, transcript: Transcript, name: str, locate: Locate) -> Iterator[Finding]:
        """Errors of a transcript by itself and next to the others. If there are none, it is written."""
        earlier = self.places.get(transcript.key)
        if earlier is not None:
            there = str(_place(*earlier)).rstrip(":")
            found = f"the same conversation of {transcript.model_id!r} as in {there}"
            yield Finding(_place(name, locate), found, "each once; remove one, or use --skip-broken")
            return
        if any(piled_up(message.content) for message in transcript.messages):
            found = f"more than {MOST_MARKS} combining marks in a row"
            yield Finding(_place(name, locate), found, f"at most {MOST_MARKS - 1}")
            return
        try:
            written = transcript_line(transcript)
        except TypeError:
            yield Finding(_place(name, locate), "an integer is too large", "numbers of at most 64 bits")
            return
        with disk("temporary file"):
            self.lines.write(written + b"\n")

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
            raise DataError([*self.findings, Finding.at("", None, "", found, "at least one with a reply")])

    def result(self, out: Path, files: int) -> Imported:
        """What was done."""
        counters = (self.models, self.forms, self.changes, self.unread)
        models, forms, changes, unread = ({key: each[key] for key in sorted(each)} for each in counters)
        return Imported(out, files, len(self.places), models, forms, changes, unread, tuple(self.findings))


def _place(name: str, locate: Locate, path: Keys = ()) -> Place:
    """Where in a file a conversation is, or a key of it."""
    return Place(name, *locate(path))


def _read_chat(path: Path, model: str | None, callbacks: Callbacks) -> Iterator[_Read | Finding]:
    """The conversations of one chat log."""
    name = str(path)
    for logged in conversations(path, name):
        if isinstance(logged, Finding):
            yield logged
            continue
        notes = Notes()
        if logged.form is TRANSCRIPT:
            transcript = _own(logged, name, model, notes)
        else:
            source = Source(form=logged.form.name, file=path.name, line=logged.line)
            transcript = read_conversation(logged.value, logged.form, source, model, notes)
        yield _Read(transcript, logged.form.name, notes, logged.locate)


def _own(logged: Logged, name: str, model: str | None, notes: Notes) -> Transcript | None:
    """A transcript of this project, which is kept as it is; `model` replaces its model."""
    try:
        transcript = build(Transcript, logged.value, name=name)
    except DataError as error:
        notes.findings += error.findings
        return None
    return transcript if model is None else transcript.model_copy(update={"model_id": model, "model": model})


def _read_inspect(path: Path, model: str | None, callbacks: Callbacks) -> Iterator[_Read | Finding]:
    """The samples of one Inspect log, in the order of their ids and epochs."""
    name = str(path)
    log = load_eval_log(path, name)
    if log.status != "success":
        callbacks.notice(f"{name}: the evaluation is not complete (status: {log.status})")
    read = []
    for place, sample in log.samples:
        notes = Notes()
        source = Source(form="inspect", file=path.name)
        transcript = read_sample(sample, log.spec, source, model, notes)
        read.append(_Read(transcript, "inspect", notes, partial(_in_sample, place)))
    yield from sorted(read, key=lambda one: ("", "", -1) if one.transcript is None else one.transcript.key)


def _in_sample(sample: str, keys: Keys) -> tuple[None, Keys]:
    """The place of a key in a sample of a log."""
    return None, (sample, *keys)
