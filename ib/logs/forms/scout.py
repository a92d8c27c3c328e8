"""Rows of Inspect Scout's transcript database."""

from __future__ import annotations

from typing import Any

from ib.logs.reading.chat import chat_talk
from ib.logs.reading.form import Form, Record, Talk, date_of, text_of
from ib.logs.reading.notes import Change, Notes

_COLUMNS = {
    *("transcript_id", "source_type", "source_id", "source_uri", "task_set", "task_id", "task_repeat"),
    *("agent", "agent_args", "model_options", "score", "score_explanation", "success", "message_count"),
    *("total_time", "total_tokens", "error", "limit", "events", "timelines", "trust_content", "filename"),
}
"""The columns of the database that say nothing about the conversation, and those that are read here."""
_OF_MESSAGES = {"source", "metadata", "tool_call_id", "model", "internal", "type"}


def _recognizes(value: Any) -> bool:
    return isinstance(value, dict) and "transcript_id" in value and "messages" in value


def _read(record: Record) -> Talk:
    value = record.value
    if value.get("error"):
        talk = Talk(Notes(), record.locate, left_out=True)
        talk.notes.changes[Change.FAILED] += 1
        return talk
    talk = chat_talk(record, "messages", ("role", "content"))
    talk.id, talk.date = text_of(value["transcript_id"]), date_of(value.get("date"))
    talk.sampling = None
    talk.notes.unread -= _COLUMNS | _OF_MESSAGES
    return talk


FORM = Form(
    name="scout",
    title="a transcript of Inspect Scout's database",
    shape='{"transcript_id": "...", "messages": "[...]", "source_type": "..."}',
    keys=("transcript_id", "messages", "model", "date", "error", "every other column (for --meta)"),
    recognizes=_recognizes,
    one=_read,
    harness="import/inspect",
)
