"""Reading Inspect logs without Inspect: `.json`, and `.eval`, a ZIP that is complete or was interrupted.

A complete `.eval` has `header.json`. An interrupted one has only `_journal/start.json`, which names the
task and the model, and the samples that were finished. The members are stored, deflated or compressed
with zstd (method 93 of ZIP), which `zipfile` reads from Python 3.14 on; before that, its backport does.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ib.errors import DataError, Finding
from ib.errors import Path as Keys
from ib.logs.reading.form import Record
from ib.logs.reading.notes import HALF, has_half
from ib.store.files.reading import MOST_PACKED, ZIP_MAGIC, decode, is_bomb, opened, unpacked
from ib.store.files.yaml_json import TOO_DEEP

if TYPE_CHECKING or sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError

HEADER, START = "header.json", "_journal/start.json"
MAX_MEMBER = 256 << 20
"""The maximum size of a sample that is read, in bytes."""
LAST_VERSION = 2
"""The last version of the schema of logs that is known."""
_READ = ("id", "epoch", "messages", "output", "error", "invalidation", "attachments", "metadata")
"""The keys of a sample that are read. Events, which are most of a log, are dropped at once."""
_SAMPLE = re.compile(r"samples/.+_epoch_\d+\.json")
_IN_CHUNKS = re.compile(r"samples/.+_epoch_\d+/sample\.json")
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, ZstdError, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True)
class EvalLog:
    """A log: the spec of its evaluation, and its samples."""

    spec: Mapping[str, Any]
    """The log's `eval`: task, model, settings."""
    status: str
    """success, error, cancelled or started; `started` for an interrupted log."""
    samples: tuple[tuple[str, Any], ...]
    """Each sample with the place where it was found, for messages."""


def is_eval_log(text: str) -> bool:
    """True if a JSON document is an Inspect log. Most documents are not, and are not parsed for it."""
    if '"eval"' not in text:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "eval" in value and bool(value.keys() & {"status", "samples", "plan"})


def eval_records(log: EvalLog, name: str, notice: Callable[[str], None]) -> Iterator[Record]:
    """The samples of a log, each with the log's spec, in the order of their ids and epochs."""
    if log.status != "success":
        notice(f"{name}: the evaluation is not complete (status: {log.status})")
    for place, sample in sorted(log.samples, key=_order):
        yield Record({"spec": log.spec, "sample": sample}, partial(_in_sample, place))


def _order(placed: tuple[str, Any]) -> tuple[str, int]:
    own, epoch = placed[1].get("id"), placed[1].get("epoch")
    return str(own), epoch if isinstance(epoch, int) else -1


def _in_sample(sample: str, keys: Keys) -> tuple[None, Keys]:
    """The place of a key in a sample of a log."""
    return None, (sample, *keys)


def eval_log(source: Path | bytes, name: str) -> EvalLog:
    """Read a log: a file, or the bytes of a JSON document. Raises DataError if it is no Inspect log."""
    if isinstance(source, bytes):
        return _from_json(source, name)
    with opened(source, name, "an Inspect log, .eval or .json") as file:
        if file.peek(4)[:4] == ZIP_MAGIC:
            return _from_zip(file, name)
    return _from_json(unpacked(source, name), name)


def _from_json(data: bytes, name: str) -> EvalLog:
    value = _parsed(data, name, "")
    if not isinstance(value, dict) or "eval" not in value:
        found = "no Inspect log: the key `eval` is missing"
        raise DataError.one(name, 1, "", found, "a log that Inspect wrote, .eval or .json")
    samples = value.get("samples")
    if not isinstance(samples, list):
        found = "is missing" if samples is None else "is not a list"
        raise DataError.one(name, None, "samples", found, "a log with its samples, not the header alone")
    return _log(value, name, tuple((f"samples.{at}", _cut(item)) for at, item in enumerate(samples)))


def _from_zip(file: Any, name: str) -> EvalLog:
    try:
        with zipfile.ZipFile(file) as archive:
            members = list(dict.fromkeys(archive.namelist()))
            header = next((member for member in (HEADER, START) if member in members), None)
            if header is None:
                found = f"a ZIP without {HEADER} and without {START}"
                hint = "a log that Inspect wrote; unpack an export of chats, and give its conversations.json"
                raise DataError.one(name, None, "", found, hint)
            for member in members:
                archive.open(member).close()  # compares its two names: a damaged one would hide a sample
            _refuse_chunks(members, name)
            samples = [member for member in members if _SAMPLE.fullmatch(member)]
            _refuse_bombs([archive.getinfo(member) for member in (header, *samples)], name)
            value = _parsed(archive.read(header), name, header)
            read = tuple((member, _cut(_parsed(archive.read(member), name, member))) for member in samples)
    except _ZIP_ERRORS as error:
        found = f"broken ZIP: {str(error) or 'a member ends too early'}"
        raise DataError.one(name, None, "", found, "a whole .eval file") from error
    return _log(value, name, read)


def _cut(sample: Any) -> Any:
    """A sample with the keys that are read."""
    return {key: sample[key] for key in _READ if key in sample} if isinstance(sample, dict) else sample


def _refuse_chunks(members: list[str], name: str) -> None:
    """Raises DataError for samples that are split into several members."""
    chunked = next(filter(_IN_CHUNKS.fullmatch, members), None)
    if chunked is not None:
        hint = "samples in one piece; `inspect log convert --to json` writes them"
        raise DataError.one(name, None, (chunked,), "a sample in chunks, which is not read", hint)


def _refuse_bombs(members: list[zipfile.ZipInfo], name: str) -> None:
    """Raises DataError if a member, or all members together, unpack to far more bytes than a log has."""
    for one in members:
        if one.file_size > MAX_MEMBER or is_bomb(one.compress_size, one.file_size):
            found = f"unpacks from {one.compress_size:,} to {one.file_size:,} bytes"
            hint = f"at most {MAX_MEMBER:,} bytes, and at most {MOST_PACKED} times its size"
            raise DataError.one(name, None, (one.filename,), found, hint)
    packed, whole = sum(one.compress_size for one in members), sum(one.file_size for one in members)
    if is_bomb(packed, whole):
        found = f"{len(members):,} members unpack from {packed:,} to {whole:,} bytes"
        raise DataError.one(name, None, "", found, f"at most {MOST_PACKED} times their size")


def _parsed(data: bytes, name: str, member: str) -> Any:
    """A JSON value, as Inspect writes it: NaN and infinite numbers are allowed."""
    label = f"{name}: {member}" if member else name
    try:
        return json.loads(decode(data, label))
    except json.JSONDecodeError as error:
        raise DataError.one(label, error.lineno, "", f"broken JSON: {error.msg}", "a whole log") from error
    except RecursionError as error:
        raise DataError.one(label, None, "", *TOO_DEEP) from error
    except ValueError as error:  # what Python itself refuses to read
        found = "an integer of thousands of digits"
        raise DataError.one(label, None, "", found, "numbers of at most 64 bits") from error


def _log(value: Any, name: str, samples: tuple[tuple[str, Any], ...]) -> EvalLog:
    """The log, if its header is right and its samples are mappings."""
    spec, version = (value.get("eval"), value.get("version")) if isinstance(value, dict) else (None, None)
    findings = []
    if not isinstance(spec, dict):
        findings.append(Finding.at(name, None, "eval", "is missing", "a log that Inspect wrote"))
    if has_half(spec):
        findings.append(Finding.at(name, None, "eval", *HALF))
    if type(version) is int and version > LAST_VERSION:
        found, hint = f"version {version} of the schema", f"at most version {LAST_VERSION}"
        findings.append(Finding.at(name, None, "version", found, hint))
    if not samples:
        findings.append(Finding.at(name, None, "samples", "is empty", "a log with finished samples"))
    for place, sample in samples:
        if not isinstance(sample, dict):
            findings.append(Finding.at(name, None, (place,), "is not a mapping", "a sample"))
    if findings:
        raise DataError(findings)
    status = value.get("status")
    return EvalLog(spec or {}, status if isinstance(status, str) else "started", samples)
