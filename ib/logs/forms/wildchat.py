"""One conversation a record, in `conversation`, as WildChat has it."""

from __future__ import annotations

from typing import Any

from ib.logs.reading.chat import ABOUT, chat_talk
from ib.logs.reading.form import Form, Record, Talk


def _recognizes(value: Any) -> bool:
    if not isinstance(value, dict) or "conversation" not in value:
        return False
    return "conversation_hash" in value or "conversation_id" not in value


def _read(record: Record) -> Talk:
    return chat_talk(record, "conversation", ("role", "content"))


FORM = Form(
    name="wildchat",
    title="WildChat format",
    shape='{"conversation_hash": "...", "conversation": [{"role": "user", "content": "..."}, ...]}',
    keys=("conversation", *ABOUT),
    recognizes=_recognizes,
    one=_read,
)
