"""A record with a list of messages as a conversation, and what such records say about themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ib.errors import Path
from ib.logs.reading.form import Record, Talk, date_of, first_of, unwrapped
from ib.logs.reading.message import Entry, Speaker, read_message
from ib.logs.reading.notes import Notes, kind_of
from ib.models.conversation.context import ContextKind
from ib.text.shown import blank

IDS = ("conversation_hash", "conversation_id", "id")
DATES = ("timestamp", "created_at", "create_time", "created", "date")
SAMPLING = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "reasoning_effort")
ABOUT = (*IDS, "model", *DATES, "system", *SAMPLING)
"""The keys of a conversation that are read, beside the messages."""
_PAIRS = (("role", "content"), ("from", "value"))


def chat_talk(record: Record, container: str, keys: tuple[str, str]) -> Talk:
    """The conversation of a record whose messages are in `container`; empty if the record is the list."""
    notes = Notes()
    talk = Talk(notes, record.locate, line=record.line)
    path: Path = (container,) if container else ()
    value = record.value if isinstance(record.value, Mapping) else {}
    said = unwrapped(value.get(container)) if container else record.value
    if not isinstance(said, list) or not said:
        notes.error(path, "is an empty list" if said == [] else f"is {kind_of(said)}", "a list of messages")
        return talk
    named = next((pair for pair in _PAIRS if isinstance(said[0], dict) and pair[0] in said[0]), keys)
    entries = [read_message(item, named, (*path, index), notes) for index, item in enumerate(said)]
    talk.model = name_in(value, notes)
    if notes.findings:
        return talk
    notes.unread |= {key for key, item in value.items() if key not in (*ABOUT, container) and item}
    talk.entries = [*instructions(value.get("system")), *filter(None, entries)]
    talk.records = (value,) if container else ()
    about(talk, value)
    return talk


def about(talk: Talk, value: Mapping[str, Any]) -> None:
    """Add what a record says about the origin of its conversation; what it does not say stays unknown."""
    own = next((value[key] for key in IDS if isinstance(value.get(key), str | int)), None)
    talk.id = None if own is None else str(own)
    talk.date = date_of(first_of(value, *DATES))
    talk.sampling = {key: value[key] for key in SAMPLING if isinstance(value.get(key), int | float | str)}


def name_in(value: Mapping[str, Any], notes: Notes, key: str = "model") -> str | None:
    """The model that a record names."""
    named = value.get(key)
    if named is not None and not isinstance(named, str):
        notes.error((key,), f"is {kind_of(named)}", "the name of the model, or no such key")
        return None
    return None if named is None or blank(named) else named.strip()


def instructions(system: object) -> list[Entry]:
    """The system text that a log has beside the messages."""
    if not isinstance(system, str) or not system.strip():
        return []
    return [Entry(Speaker.SYSTEM, "", ((ContextKind.SYSTEM, None, system),))]
