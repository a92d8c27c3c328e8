"""One conversation a record, with `from` and `value`, as ShareGPT has it."""

from __future__ import annotations

from typing import Any

from ib.logs.reading.chat import ABOUT, chat_talk
from ib.logs.reading.form import Form, Record, Talk


def _recognizes(value: Any) -> bool:
    return isinstance(value, dict) and "conversations" in value


def _read(record: Record) -> Talk:
    return chat_talk(record, "conversations", ("from", "value"))


FORM = Form(
    name="sharegpt",
    title="ShareGPT format",
    shape='{"conversations": [{"from": "human", "value": "..."}, ...]}',
    keys=("conversations", *ABOUT),
    recognizes=_recognizes,
    one=_read,
)
