"""One conversation a record, as OpenAI's fine-tuning files and most exports of chats have it."""

from __future__ import annotations

from typing import Any

from ib.logs.reading.chat import ABOUT, chat_talk
from ib.logs.reading.form import Form, Record, Talk

OWN = {"model_id", "scenario_id"}
"""Keys of a transcript of this project."""


def _recognizes(value: Any) -> bool:
    return isinstance(value, dict) and "messages" in value and not value.keys() & {*OWN, "transcript_id"}


def _read(record: Record) -> Talk:
    return chat_talk(record, "messages", ("role", "content"))


FORM = Form(
    name="openai",
    title="OpenAI chat format",
    shape='{"messages": [{"role": "user", "content": "..."}, ...]}',
    keys=("messages", *ABOUT),
    recognizes=_recognizes,
    one=_read,
)
