"""Importing conversations of other tools: logs of every known form become a transcripts file."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypedDict, Unpack

from ib.errors import DataError, Finding, OutputExists, UsageError
from ib.logs.reading.conversation import transcript_of_talk
from ib.logs.reading.form import Asked, Form, Record, Talk
from ib.logs.reading.notes import Change, Notes
from ib.logs.reading.redacted import NAME_KEYS, names_in
from ib.logs.registry import FORMS, TRANSCRIPT, described, forms_of, known
from ib.models.conversation.context import ContextKind, Source
from ib.models.conversation.transcript import Transcript
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.common.configured import check_model_id
from ib.pipeline.common.redactors import redactor
from ib.pipeline.imports.chosen import Field, fields_of, id_of, meta_of, refuse_unknown
from ib.pipeline.imports.gathered import Gathered, Read
from ib.store.files.validation import build
from ib.store.files.writing import claim, disk, replacing
from ib.store.folders.logfiles import records


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
    """How often each change was made; the names are those of `ib.logs.reading.notes.Change`."""
    unread: dict[str, int]
    """Keys of the logs that were not read, and in how many conversations they had a value."""
    meta: dict[str, int]
    """The metadata that was asked for, and how many conversations have it."""
    shown: tuple[str, ...]
    """The kinds of context that judges are shown."""
    left_out: tuple[Finding, ...]
    """The errors of conversations that were left out because of `skip_broken`."""

    def as_dict(self) -> dict[str, Any]:
        """The result as data for JSON."""
        return {**asdict(self), "out": str(self.out), "left_out": [str(one) for one in self.left_out]}


TOOLS = (ContextKind.TOOL_CALL, ContextKind.TOOL_RESULT)


class ImportOptions(TypedDict, total=False):
    """The keyword arguments of an import; all may be left out."""

    form: str | None
    """The form of all files, by its name. The default is what the keys of each file's first record say."""
    model: str | None
    """The model of all conversations. The default is what each log says, or unknown/unknown."""
    meta: Sequence[str]
    """The metadata to keep: keys of the logs, or NAME=KEY for another name. Dots lead to inner keys."""
    id: str | None
    """The key that has the id of a conversation. The default is that of the form."""
    skip_broken: bool
    """True to leave out broken conversations and duplicates."""
    with_system: bool
    """True to show judges the system texts."""
    with_tools: bool
    """True to show judges the tool calls and their results."""
    group_by: str | None
    """The key that tells conversations apart in a file with one message a row; `-` if each file is one. The
    default is a key such as `conversation_id`."""
    redact: Sequence[str]
    """The rules that put stand-ins in place of personal data before anything is written: `own`, or the names
    of rules of installed packages."""
    redact_names: Sequence[str]
    """Further keys of the logs that hold the names of people."""
    callbacks: Callbacks


Files = Sequence[Path | str] | Path | str


def import_logs(files: Files, out: Path | str, **options: Unpack[ImportOptions]) -> Imported:
    """Import logs of any known form into a transcripts file. Each file is recognized by its keys.

    Raises DataError with every error of every file, UsageError for a form or metadata that does not exist,
    and OutputExists if `out` exists; in all cases nothing is written.
    """
    out = Path(out)
    paths = [Path(file) for file in ([files] if isinstance(files, str | Path) else files)]
    callbacks = options.get("callbacks", SILENT)
    _check_usage(out, options)
    reading = _Reading(options, fields_of(options.get("meta", ())))
    with tempfile.TemporaryFile(prefix="ib-import-") as lines:
        gathered = Gathered(lines, _shown(options))
        for path in callbacks.counted(paths, len(paths), "files"):
            gathered.file(str(path), reading.file(path))
        gathered.refuse(skip_broken=options.get("skip_broken", False))
        refuse_unknown(reading.fields, gathered.meta, reading.seen)
        lines.seek(0)
        _write(out, lines)
    return _result(gathered, out, reading.fields)


def _result(gathered: Gathered, out: Path, fields: Sequence[Field]) -> Imported:
    """What was done."""
    counters = (gathered.models, gathered.forms, gathered.changes, gathered.unread)
    models, forms, changes, unread = ({key: each[key] for key in sorted(each)} for each in counters)
    meta = {field.name: gathered.meta[field.name] for field in fields}
    shown, left_out = tuple(sorted(gathered.shown)), tuple(gathered.findings)
    files, count = len(gathered.names), len(gathered.places)
    return Imported(out, files, count, models, forms, changes, unread, meta, shown, left_out)


def _shown(options: ImportOptions) -> frozenset[ContextKind]:
    """The kinds of context that judges are shown."""
    system = (ContextKind.SYSTEM,) if options.get("with_system") else ()
    return frozenset((*system, *(TOOLS if options.get("with_tools") else ())))


def _check_usage(out: Path, options: ImportOptions) -> None:
    """Raises UsageError or OutputExists for arguments that cannot be."""
    claim(out)
    if out.exists():
        raise OutputExists(f"{out}: already exists; choose another file")
    model, form = options.get("model"), options.get("form")
    if model is not None:
        check_model_id(model)
    if form is not None and form not in FORMS:
        raise UsageError(f"unknown form {form!r}; choose {', '.join(FORMS)}")


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


class _Reading:
    """Reads files with the options of one import."""

    def __init__(self, options: ImportOptions, fields: Sequence[Field]) -> None:
        self.options, self.fields = options, fields
        self.redactor = redactor(tuple(options["redact"])) if options.get("redact") else None
        self.name_keys = (*NAME_KEYS, *options.get("redact_names", ()))
        self.seen: list[str] = []
        """The keys of the first record."""

    def file(self, path: Path) -> Iterator[Read | Finding]:
        """The conversations of one file."""
        name = str(path)
        found = records(path, name, self.options.get("callbacks", SILENT).notice)
        first = next(found, None)
        if not isinstance(first, Record):
            raise DataError.one(name, None, "", "has no record", "at least one conversation")
        form = self._form(first, name)
        self.seen = self.seen or [str(key) for key in _keys(first.value)]
        for item in self._talks(form, chain([first], found), name):
            yield item if isinstance(item, Finding) else self._read(item, form, path)

    def _form(self, first: Record, name: str) -> Form:
        """The form of a file. Raises DataError if its first record has none, or several."""
        forms, asked = forms_of(first.value), self.options.get("form")
        line, keys = first.locate(())
        if asked is not None:
            if FORMS[asked] in forms:
                return FORMS[asked]
            found = f"no {FORMS[asked].title}: {described(first.value)}"
            raise DataError.one(name, line, keys, found, f"records such as {FORMS[asked].shape}")
        if not forms:
            found = f"an unknown form: {described(first.value)}"
            raise DataError.one(name, line, keys, found, known())
        if len(forms) > 1:
            found = f"could be {' or '.join(form.title for form in forms)}"
            hint = f"--form {' or --form '.join(form.name for form in forms)}"
            raise DataError.one(name, line, keys, found, hint)
        return forms[0]

    def _talks(
        self, form: Form, items: Iterable[Record | Finding], name: str
    ) -> Iterator[Talk | Read | Finding]:
        """The conversations of records, in order."""
        kept: list[Record] = []
        for item in items:
            if isinstance(item, Finding):
                yield item
            elif not form.recognizes(item.value):
                yield _stranger(item, form, name)
            elif form.many is not None:
                kept.append(item)
            else:
                yield self._own(item, name) if form.one is None else form.one(item)
        if form.many is not None:
            yield from form.many(kept, Asked(name, self.options.get("group_by")))

    def _own(self, record: Record, name: str) -> Read:
        """A transcript of this project, which is kept as it is; `model` replaces its model."""
        notes, model, made = Notes(), self.options.get("model"), None
        try:
            made = build(Transcript, record.value, name=name)
        except DataError as error:
            notes.findings += error.findings
        if made is not None and model is not None:
            made = made.model_copy(update={"model_id": model, "model": model})
        if made is not None:
            made = self._cleaned(made, names_in([made.meta], self.name_keys), notes)
        return Read(made, TRANSCRIPT.name, notes, record.locate)

    def _read(self, talk: Talk | Read, form: Form, path: Path) -> Read:
        """One conversation as a transcript, with its id and its metadata."""
        if isinstance(talk, Read):
            return talk
        made = None
        if not talk.left_out and not talk.notes.findings:
            own, meta = id_of(talk, self.options.get("id")), meta_of(talk, self.fields)
            source = Source(form=form.name, file=path.name, line=talk.line)
            if not talk.notes.findings:
                source = source.model_copy(update={"id": own})
                made = transcript_of_talk(talk, source, form.harness, self.options.get("model"), meta)
        if made is not None:
            made = self._cleaned(made, names_in(talk.records, self.name_keys), talk.notes)
        return Read(made, form.name, talk.notes, talk.locate)

    def _cleaned(self, transcript: Transcript, names: Sequence[str], notes: Notes) -> Transcript:
        """A transcript without personal data, if that was asked for."""
        if self.redactor is None:
            return transcript
        made, count = self.redactor(transcript, names)
        notes.changes[Change.STAND_INS] += count
        return made


def _keys(value: Any) -> Iterable[Any]:
    """The keys of a record; of a list, those of its first item."""
    first = value[0] if isinstance(value, list) and value else value
    return first.keys() if isinstance(first, Mapping) else ()


def _stranger(record: Record, form: Form, name: str) -> Finding:
    """The finding for a record of another form than the first of its file."""
    line, keys = record.locate(())
    other = forms_of(record.value)
    if not other:
        found = f"an unknown form: {described(record.value)}"
        return Finding.at(name, line, keys, found, f"{form.title}, as the first record")
    found = f"{other[0].title} in a file that begins with {form.title}"
    return Finding.at(name, line, keys, found, "one form in a file; split it")


import_chat = import_inspect = import_logs
"""The names of earlier releases."""
