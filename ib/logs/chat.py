"""A conversation of a chat log as a transcript."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ib.errors import Path
from ib.logs.conversation import transcript_of
from ib.logs.forms import Form
from ib.logs.message import Entry, Speaker, moment, read_message
from ib.logs.notes import Notes, kind_of
from ib.models.conversation.context import ContextKind, Source
from ib.models.conversation.transcript import Provenance, Transcript
from ib.text.shown import blank

HARNESS = "import/chat"
_IDS = ("conversation_hash", "conversation_id", "id")
_DATES = ("timestamp", "created_at", "create_time", "created", "date")
_SAMPLING = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "reasoning_effort")
_READ = {*_IDS, *_DATES, *_SAMPLING, "model", "system"}
_PAIRS = (("role", "content"), ("from", "value"))


def read_conversation(
    value: Mapping[str, Any] | list[Any], form: Form, source: Source, model: str | None, notes: Notes
) -> Transcript | None:
    """One conversation of a chat log. `model` goes before the name that the log gives.

    Returns None if the conversation is broken; `notes` then has the errors.
    """
    path: Path = (form.container,) if form.container else ()
    record = value if isinstance(value, Mapping) else {}
    said = record.get(form.container) if form.container else value
    if not isinstance(said, list) or not said:
        found = "is an empty list" if said == [] else f"is {kind_of(said)}"
        notes.error(path, found, "a list of messages")
        return None
    keys = next((pair for pair in _PAIRS if isinstance(said[0], dict) and pair[0] in said[0]), form.keys)
    entries = [read_message(item, keys, (*path, index), notes) for index, item in enumerate(said)]
    named = _name(record, notes)
    if notes.findings:
        return None
    notes.unread |= {key for key, item in record.items() if key not in (*_READ, form.container) and item}
    first = _instructions(record)
    return transcript_of([*first, *filter(None, entries)], model or named, _provenance(record, source), notes)


def _name(record: Mapping[str, Any], notes: Notes) -> str | None:
    """The model that the log names."""
    named = record.get("model")
    if named is not None and not isinstance(named, str):
        notes.error(("model",), f"is {kind_of(named)}", "the name of the model, or no such key")
        return None
    return None if named is None or blank(named) else named.strip()


def _instructions(record: Mapping[str, Any]) -> list[Entry]:
    """The system text that a log has beside the messages."""
    system = record.get("system")
    if not isinstance(system, str) or not system.strip():
        return []
    return [Entry(Speaker.SYSTEM, "", ((ContextKind.SYSTEM, None, system),))]


def _provenance(record: Mapping[str, Any], source: Source) -> Provenance:
    """What the log says about the origin of a conversation; what it does not say stays unknown."""
    dated = next((record[key] for key in _DATES if record.get(key)), None)
    time = moment(dated)
    date = time.isoformat() if time is not None else dated
    own = next((record[key] for key in _IDS if isinstance(record.get(key), str | int)), None)
    sampling = {key: record[key] for key in _SAMPLING if isinstance(record.get(key), int | float | str)}
    return Provenance(
        harness=HARNESS,
        date=date if isinstance(date, str) else None,
        sampling=sampling or None,
        source=source if own is None else source.model_copy(update={"id": str(own)}),
    )
