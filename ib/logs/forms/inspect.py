"""Inspect logs: each sample is a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ib.logs.reading.conversation import WHOLE, identifier
from ib.logs.reading.form import Form, Record, Talk
from ib.logs.reading.message import Entry, Speaker, read_message
from ib.logs.reading.notes import HALF, Change, Notes, has_half, kind_of
from ib.text.shown import blank

ATTACHMENT = "attachment://"
"""The start of a text that stands for a text in the sample's `attachments`."""
CUT_OFF = ("max_tokens", "model_length")
"""The stop reasons of a reply that was cut off."""
_KEYS = ("role", "content")
_USUAL = {"model", "source", "internal"}
"""Keys that messages of Inspect have and that say nothing about the conversation."""


def _recognizes(value: Any) -> bool:
    inside = [value.get("spec"), value.get("sample")] if isinstance(value, dict) else [None]
    return all(isinstance(part, dict) for part in inside)


def _read(record: Record) -> Talk:
    """One sample of a log, with the log's `eval` as `spec`."""
    notes = Notes()
    talk = Talk(notes, record.locate)
    sample, spec = record.value["sample"], record.value["spec"]
    talk.records = (sample,)
    left_out = _left_out(sample)
    if left_out is not None:
        return _without(talk, left_out)
    if has_half(sample):
        notes.error((), *HALF)
        return talk
    said, own, epoch = sample.get("messages"), sample.get("id"), sample.get("epoch")
    if not isinstance(said, list):
        notes.error(("messages",), f"is {kind_of(said)}", "a list of messages")
        return talk
    if type(epoch) is not int or epoch < 0:
        notes.error(("epoch",), f"is {kind_of(epoch)}", "a number from 0")
    if not isinstance(own, str | int):
        notes.error(("id",), f"is {kind_of(own)}", "the id of the sample")
    entries = _entries(said, sample, notes)
    if notes.findings:
        return talk
    replies = [entry for entry in entries if entry.speaker is Speaker.ASSISTANT]
    if not any(entry.text for entry in replies) or not all(entry.text or entry.beside for entry in replies):
        return _without(talk, Change.UNANSWERED)
    talk.entries, talk.id, talk.epoch = _cut_off(entries, sample), str(own), epoch
    talk.task = identifier(f"inspect/{spec.get('task') or 'task'}/{own}")
    metadata, key = sample.get(WHOLE[0]), WHOLE[1]
    whole = metadata.get(key) if isinstance(metadata, Mapping) else None
    talk.whole = _numbered(whole, epoch, spec) if isinstance(whole, Mapping) else None
    _about(talk, sample, spec)
    return talk


def _numbered(whole: Mapping[str, Any], epoch: object, spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """A transcript that the log carries, with the number of its play if samples were played several times."""
    config = spec.get("config")
    epochs = config.get("epochs") if isinstance(config, Mapping) else None
    several = type(epochs) is int and epochs > 1 and whole.get("epoch") is None
    return {**whole, "epoch": epoch} if several else whole


def _without(talk: Talk, why: Change) -> Talk:
    """A sample that is left out, and why."""
    talk.notes.changes[why] += 1
    talk.left_out = True
    return talk


def _left_out(sample: Mapping[str, Any]) -> Change | None:
    """Why a sample is no conversation to judge; None if it is one."""
    if sample.get("error"):
        return Change.FAILED
    return Change.INVALIDATED if sample.get("invalidation") else None


def _entries(said: list[Any], sample: Mapping[str, Any], notes: Notes) -> list[Entry]:
    """The messages that could be read; `notes` has the errors of the others."""
    resolve = partial(_resolved, sample)
    read = [
        read_message(item, _KEYS, ("messages", index), notes, resolve)
        for index, item in enumerate(_with_completion(said, sample))
    ]
    notes.unread -= _USUAL
    return [entry for entry in read if entry is not None]


def _resolved(sample: Mapping[str, Any], text: str) -> str | None:
    """A text, or the attachment that it stands for. Returns None if the sample has no such attachment."""
    if not text.startswith(ATTACHMENT):
        return text
    attached = sample.get("attachments")
    found = attached.get(text.removeprefix(ATTACHMENT)) if isinstance(attached, Mapping) else None
    return found if isinstance(found, str) else None


def _output(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    output = sample.get("output")
    return output if isinstance(output, Mapping) else {}


def _choice(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first choice of the sample's last output."""
    choices = _output(sample).get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    return first if isinstance(first, Mapping) else {}


def _with_completion(said: list[Any], sample: Mapping[str, Any]) -> list[Any]:
    """The messages, and the last output where a solver did not add it to them."""
    reply = _choice(sample).get("message")
    last = said[-1] if said and isinstance(said[-1], dict) else {}
    return [*said, reply] if isinstance(reply, dict) and last.get("role") == "user" else said


def _cut_off(entries: list[Entry], sample: Mapping[str, Any]) -> list[Entry]:
    """The entries, with the last reply marked if the model was cut off there."""
    if _choice(sample).get("stop_reason") not in CUT_OFF or entries[-1].speaker is not Speaker.ASSISTANT:
        return entries
    last = entries[-1]
    return [*entries[:-1], Entry(last.speaker, last.text, last.beside, last.time, truncated=True)]


def _about(talk: Talk, sample: Mapping[str, Any], spec: Mapping[str, Any]) -> None:
    """Add what the log says about the origin; what it does not say stays unknown."""
    named, created = spec.get("model"), spec.get("created")
    served, sampling = _output(sample).get("model"), spec.get("model_generate_config")
    talk.model = named.strip() if isinstance(named, str) and not blank(named) else None
    talk.served = served if isinstance(served, str) and served else None
    talk.date = created if isinstance(created, str) else None
    talk.sampling = sampling if isinstance(sampling, dict) else None


FORM = Form(
    name="inspect",
    title="an Inspect log",
    shape="an .eval file, complete or interrupted, or a .json log",
    keys=(
        *("eval.task", "eval.model", "eval.created", "eval.model_generate_config", "eval.config.epochs"),
        "samples.id",
        *("samples.epoch", "samples.messages", "samples.output", "samples.error", "samples.invalidation"),
        *("samples.attachments", "samples.metadata (for --meta, and `invisiblebench` of an export)"),
    ),
    recognizes=_recognizes,
    one=_read,
    harness="import/inspect",
)
