"""Messages without a record around them: one a row with the id of its conversation, or a list of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ib.errors import DataError, Finding
from ib.logs.reading.chat import chat_talk
from ib.logs.reading.form import Asked, Form, Record, Talk, one_of_many
from ib.logs.reading.grouping import KEYS, Unclear, groups_of
from ib.logs.reading.message import is_item
from ib.logs.reading.notes import Change


def is_message(value: object) -> bool:
    """True for one message with `role` and `content`."""
    return isinstance(value, dict) and value.keys() >= {"role", "content"}


def _recognizes(value: Any) -> bool:
    return bool(is_message(value) or (isinstance(value, list) and value and is_message(value[0])))


def _read(records: Sequence[Record], asked: Asked) -> Iterator[Talk | Finding]:
    """The conversations of rows. Raises DataError if it is unclear which rows belong together."""
    rows: list[Record] = []
    for record in records:
        if isinstance(record.value, list) and not rows:
            yield _talk(record)
        elif is_message(record.value) or is_item(record.value):
            rows.append(record)
        else:
            found = "no message, in a file that begins with one message a line"
            line, keys = record.locate(())
            yield Finding.at(asked.file, line, keys, found, "`role` and `content` in every line")
    if rows:
        yield from _of_rows(rows, asked)


def _of_rows(rows: list[Record], asked: Asked) -> Iterator[Talk]:
    told = groups_of([row.value for row in rows], asked.group_by)
    if isinstance(told, Unclear):
        line, keys = rows[told.row].locate(())
        raise DataError.one(asked.file, line, keys, told.found, told.hint)
    key, groups = told
    for group in groups:
        own = [rows[at] for at in group.rows]
        talk = _talk(Record([row.value for row in own], one_of_many([row.locate for row in own])))
        talk.records = [row.value for row in own]
        talk.notes.changes[Change.GROUPED] += key is not None
        talk.id, talk.model = group.id, _model_of(talk.records)
        yield talk


def _model_of(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The model that the rows name, if it is one."""
    named = {
        row["model"].strip() for row in rows if isinstance(row.get("model"), str) and row["model"].strip()
    }
    return named.pop() if len(named) == 1 else None


def _talk(record: Record) -> Talk:
    talk = chat_talk(record, "", ("role", "content"))
    talk.notes.unread -= {*KEYS, "model"}
    return talk


FORM = Form(
    name="messages",
    title="one message after the other",
    shape='{"conversation_id": "...", "role": "user", "content": "..."}',
    keys=("role", "content", "model", *KEYS),
    recognizes=_recognizes,
    many=_read,
)
