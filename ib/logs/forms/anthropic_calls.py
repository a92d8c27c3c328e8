"""Requests and responses of Anthropic's messages API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ib.errors import Finding
from ib.logs.reading.calls import answers, call_of_pair, pair_of
from ib.logs.reading.chat import instructions
from ib.logs.reading.form import Asked, Form, Record, Talk
from ib.logs.reading.message import JOINT, read_message, read_messages
from ib.logs.reading.notes import kind_of
from ib.logs.reading.threads import Call, conversations


def _recognizes(value: Any) -> bool:
    pair = pair_of(value)
    return pair is not None and isinstance(pair[1].get("messages"), list) and answers(pair[2], "content")


def _read(records: Sequence[Record], asked: Asked) -> Iterator[Talk | Finding]:
    return conversations([_call(record, asked) for record in records])


def _call(record: Record, asked: Asked) -> Call:
    call, at, request, response = call_of_pair(record, asked)
    said = read_messages(request["messages"], (*at, "messages"), call.notes)
    call.said = [*instructions(system_of(request.get("system"))), *said]
    if not call.failed:
        content = response.get("content")
        path = ("response" if at == ("request",) else "response_body", "content")
        if not isinstance(content, list):
            call.notes.error(path, f"is {kind_of(content)}", "a list of blocks")
            return call
        ended = "length" if response.get("stop_reason") == "max_tokens" else None
        told = {"role": "assistant", "content": content, "finish_reason": ended}
        reply = read_message(told, ("role", "content"), path[:1], call.notes, lambda text: text)
        call.reply = [] if reply is None else [reply]
    return call


def system_of(system: Any) -> str:
    """The system text of a request: a text, or blocks of text."""
    if isinstance(system, list):
        texts = [block.get("text") for block in system if isinstance(block, Mapping)]
        return JOINT.join(text for text in texts if isinstance(text, str))
    return system if isinstance(system, str) else ""


FORM = Form(
    name="anthropic-calls",
    title="calls of Anthropic's messages API",
    shape='{"request": {"messages": [...], "system": "..."}, "response": {"content": [...]}}',
    keys=(
        *("request", "request_body", "response", "response_body", "body", "messages", "system", "content"),
        *("model", "stop_reason", "id", "custom_id"),
        "conversation_id and the like, in the record, the request or `metadata`",
    ),
    recognizes=_recognizes,
    many=_read,
)
