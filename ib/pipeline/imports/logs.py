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
from typing import IO, Any, TypedDict, Unpack

from ib.errors import DataError, Finding, Findings, OutputExists, Place
from ib.errors import Path as Keys
from ib.logs.chat import read_conversation
from ib.logs.evallog import read_sample
from ib.logs.forms import MESSAGES, TRANSCRIPT
from ib.logs.grouping import KEYS
from ib.logs.notes import Change, Notes
from ib.models.conversation.context import ContextKind, Source
from ib.models.conversation.transcript import Transcript, transcript_line
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.common.configured import check_model_id
from ib.store.files.validation import build, model_of_line
from ib.store.files.writing import claim, disk, replacing
from ib.store.folders.chatlogs import Locate, Logged, conversations
from ib.store.folders.evallogs import load_eval_log
from ib.store.folders.transcripts import MOST_MARKS, piled_up


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
    shown: tuple[str, ...]
    """The kinds of context that judges are shown."""
    left_out: tuple[Finding, ...]
    """The errors of conversations that were left out because of `skip_broken`."""

    def as_dict(self) -> dict[str, Any]:
        """The result as data for JSON."""
        return {**asdict(self), "out": str(self.out), "left_out": [str(one) for one in self.left_out]}


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

    def result(self, out: Path) -> Imported:
        """What was done."""
        counters = (self.models, self.forms, self.changes, self.unread)
        models, forms, changes, unread = ({key: each[key] for key in sorted(each)} for each in counters)
        shown, left_out = tuple(sorted(self.shown)), tuple(self.findings)
        return Imported(
            out, len(self.names), len(self.places), models, forms, changes, unread, shown, left_out
        )


def place_in(name: str, locate: Locate, path: Keys = ()) -> Place:
    """Where in a file a conversation is, or a key of it."""
    return Place(name, *locate(path))


TOOLS = (ContextKind.TOOL_CALL, ContextKind.TOOL_RESULT)


class ImportOptions(TypedDict, total=False):
    """The keyword arguments of both imports; all may be left out."""

    model: str | None
    """The model of all conversations. The default is what each log says, or unknown/unknown."""
    skip_broken: bool
    """True to leave out broken conversations and duplicates."""
    with_system: bool
    """True to show judges the system texts."""
    with_tools: bool
    """True to show judges the tool calls and their results."""
    group_by: str | None
    """The key that tells conversations apart in a file with one message a row; `-` if each file is one. The
    default is a key such as `conversation_id`."""
    callbacks: Callbacks


Files = Sequence[Path | str] | Path | str
Reader = Callable[[Path, ImportOptions], Iterator[Read | Finding]]


def import_chat(files: Files, out: Path | str, **options: Unpack[ImportOptions]) -> Imported:
    """Import chat logs: OpenAI, ShareGPT and WildChat forms, lists of messages, transcripts.

    Raises DataError with every error of every file, and OutputExists if `out` exists; in both cases
    nothing is written.
    """
    return _imported(files, Path(out), _read_chat, options)


def import_inspect(files: Files, out: Path | str, **options: Unpack[ImportOptions]) -> Imported:
    """Import Inspect logs, `.eval` and `.json`. Options and errors are those of `import_chat`.

    Samples with an error, invalidated samples and samples without a reply are left out and counted.
    """
    return _imported(files, Path(out), _read_inspect, options)


def _imported(files: Files, out: Path, read: Reader, options: ImportOptions) -> Imported:
    paths = [Path(file) for file in ([files] if isinstance(files, str | Path) else files)]
    model, callbacks = options.get("model"), options.get("callbacks", SILENT)
    _check_usage(out, model)
    with tempfile.TemporaryFile(prefix="ib-import-") as lines:
        gathered = Gathered(lines, _shown(options))
        for path in callbacks.counted(paths, len(paths), "files"):
            gathered.file(str(path), read(path, options))
        gathered.refuse(skip_broken=options.get("skip_broken", False))
        lines.seek(0)
        _write(out, lines)
    return gathered.result(out)


def _shown(options: ImportOptions) -> frozenset[ContextKind]:
    """The kinds of context that judges are shown."""
    system = (ContextKind.SYSTEM,) if options.get("with_system") else ()
    return frozenset((*system, *(TOOLS if options.get("with_tools") else ())))


def _check_usage(out: Path, model: str | None) -> None:
    """Raises UsageError or OutputExists for arguments that cannot be."""
    claim(out)
    if out.exists():
        raise OutputExists(f"{out}: already exists; choose another file")
    if model is not None:
        check_model_id(model)


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


def _read_chat(path: Path, options: ImportOptions) -> Iterator[Read | Finding]:
    """The conversations of one chat log."""
    name, model = str(path), options.get("model")
    for logged in conversations(path, name, options.get("group_by")):
        if isinstance(logged, Finding):
            yield logged
            continue
        notes = Notes()
        if logged.form is TRANSCRIPT:
            transcript = _own(logged, name, model, notes)
        else:
            notes.changes[Change.GROUPED] += logged.grouped_by is not None
            source = Source(form=logged.form.name, file=path.name, line=logged.line, id=logged.id)
            transcript = read_conversation(logged.value, logged.form, source, model, notes)
            notes.unread -= set(KEYS) if logged.form is MESSAGES else set()
        yield Read(transcript, logged.form.name, notes, logged.locate)


def _own(logged: Logged, name: str, model: str | None, notes: Notes) -> Transcript | None:
    """A transcript of this project, which is kept as it is; `model` replaces its model."""
    try:
        transcript = build(Transcript, logged.value, name=name)
    except DataError as error:
        notes.findings += error.findings
        return None
    return transcript if model is None else transcript.model_copy(update={"model_id": model, "model": model})


def _read_inspect(path: Path, options: ImportOptions) -> Iterator[Read | Finding]:
    """The samples of one Inspect log, in the order of their ids and epochs."""
    name, model, callbacks = str(path), options.get("model"), options.get("callbacks", SILENT)
    log = load_eval_log(path, name)
    if log.status != "success":
        callbacks.notice(f"{name}: the evaluation is not complete (status: {log.status})")
    read = []
    for place, sample in log.samples:
        notes = Notes()
        source = Source(form="inspect", file=path.name)
        transcript = read_sample(sample, log.spec, source, model, notes)
        read.append(Read(transcript, "inspect", notes, partial(_in_sample, place)))
    yield from sorted(read, key=lambda one: ("", "", -1) if one.transcript is None else one.transcript.key)


def _in_sample(sample: str, keys: Keys) -> tuple[None, Keys]:
    """The place of a key in a sample of a log."""
    return None, (sample, *keys)
