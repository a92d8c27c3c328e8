"""The export of Claude: conversations.json with `chat_messages`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ib.logs.reading.form import Form, Record, Talk, date_of, text_of
from ib.logs.reading.message import Entry, read_message
from ib.logs.reading.notes import Change, Notes, kind_of

_USUAL = {
    *("uuid", "sender", "text", "content", "created_at", "updated_at", "attachments", "files", "files_v2"),
    *("parent_message_uuid", "index", "truncated", "stop_reason", "sync_sources", "input_mode"),
}
_NO_PARENT = "00000000-0000-4000-8000-000000000000"
"""What the export writes for the parent of a first message."""


def _recognizes(value: Any) -> bool:
    return isinstance(value, dict) and "chat_messages" in value


def _read(record: Record) -> Talk:
    value, notes = record.value, Notes()
    talk = Talk(notes, record.locate, records=(value,), line=record.line)
    said = value["chat_messages"]
    if not isinstance(said, list):
        notes.error(("chat_messages",), f"is {kind_of(said)}", "a list of messages")
        return talk
    if not said:
        notes.changes[Change.EMPTY] += 1
        talk.left_out = True
        return talk
    places = _branch(said, text_of(value.get("current_leaf_message_uuid")))
    notes.changes[Change.BRANCHES] += len(said) - len(places)
    read = [_message(said[at], at, notes) for at in places]
    talk.entries = [entry for entry in read if entry is not None]
    talk.id, talk.date = text_of(value.get("uuid")), date_of(value.get("created_at"))
    model = value.get("model")
    talk.model = model.strip() or None if isinstance(model, str) else None
    notes.unread -= _USUAL
    return talk


def _message(value: Any, at: int, notes: Notes) -> Entry | None:
    """One message: its blocks, or its text where it has no blocks."""
    path = ("chat_messages", at)
    if not isinstance(value, Mapping):
        notes.error(path, f"is {kind_of(value)}", "a message with `sender` and `text`")
        return None
    blocks = value.get("content")
    content = blocks if isinstance(blocks, list) and blocks else value.get("text")
    cut = "length" if value.get("stop_reason") == "max_tokens" else None
    told = {**value, "content": content, "finish_reason": cut, "time": value.get("created_at")}
    return read_message(told, ("sender", "content"), path, notes)


def _branch(said: Sequence[Any], leaf: str | None) -> list[int]:
    """The places of the messages of the current branch: all, unless the export says who follows whom."""
    every = list(range(len(said)))
    if not all(isinstance(item, Mapping) and item.get("parent_message_uuid") for item in said):
        return every
    by_id = {str(item.get("uuid")): at for at, item in enumerate(said)}
    place = by_id.get(leaf or "", len(said) - 1)
    branch: list[int] = []
    while place is not None and place not in branch:
        branch.append(place)
        parent = str(said[place]["parent_message_uuid"])
        if parent != _NO_PARENT and parent not in by_id:
            return every if len(branch) == 1 else branch[::-1]
        place = by_id.get(parent)  # type: ignore[assignment]
    return branch[::-1]


FORM = Form(
    name="claude",
    title="the export of Claude",
    shape='{"uuid": "...", "chat_messages": [{"sender": "human", "text": "..."}, ...]}',
    keys=(
        *("uuid", "created_at", "current_leaf_message_uuid", "chat_messages.sender", "chat_messages.text"),
        *("chat_messages.content", "chat_messages.created_at", "chat_messages.parent_message_uuid"),
    ),
    recognizes=_recognizes,
    one=_read,
)
