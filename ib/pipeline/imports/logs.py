"""Importing conversations of other tools: chat logs and Inspect logs become a transcripts file."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TypedDict, Unpack

from ib.errors import DataError, Finding, OutputExists
from ib.errors import Path as Keys
from ib.logs.chat import read_conversation
from ib.logs.evallog import read_sample
from ib.logs.forms import MESSAGES, TRANSCRIPT
from ib.logs.grouping import KEYS
from ib.logs.notes import Change, Notes
from ib.models.conversation.context import ContextKind, Source
from ib.models.conversation.transcript import Transcript
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.common.configured import check_model_id
from ib.pipeline.imports.gathered import Gathered, Imported, Read
from ib.store.files.validation import build
from ib.store.files.writing import claim, disk, replacing
from ib.store.folders.chatlogs import Logged, conversations
from ib.store.folders.evallogs import load_eval_log

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
