"""Requests and responses of OpenAI's chat completions API, and of servers that speak it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ib.errors import Finding, Path
from ib.logs.reading.calls import answers, call_of_pair, pair_of
from ib.logs.reading.form import Asked, Form, Record, Talk
from ib.logs.reading.message import read_message, read_messages
from ib.logs.reading.notes import Change
from ib.logs.reading.threads import Call, conversations


def _recognizes(value: Any) -> bool:
    pair = pair_of(value)
    return pair is not None and isinstance(pair[1].get("messages"), list) and answers(pair[2], "choices")


def _read(records: Sequence[Record], asked: Asked) -> Iterator[Talk | Finding]:
    return conversations([_call(record, asked) for record in records])


def _call(record: Record, asked: Asked) -> Call:
    call, at, request, response = call_of_pair(record, asked)
    call.said = read_messages(request["messages"], (*at, "messages"), call.notes)
    choices = response.get("choices")
    if not call.failed:
        _reply(call, choices, ("response" if at == ("request",) else "response_body", "choices"))
    return call


def _reply(call: Call, choices: Any, path: Path) -> None:
    """Add the first choice of a response as the reply."""
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        call.notes.error(path, "is no list with a choice", "the choices of the response")
        return
    message, ended = choices[0].get("message"), choices[0].get("finish_reason")
    call.notes.changes[Change.CHOICES] += len(choices) - 1
    told = {**message, "finish_reason": ended} if isinstance(message, Mapping) else message
    reply = read_message(told, ("role", "content"), (*path, 0, "message"), call.notes, lambda text: text)
    call.reply = [] if reply is None else [reply]
    call.notes.unread -= {"annotations", "audio", "provider_specific_fields"}


FORM = Form(
    name="openai-calls",
    title="calls of OpenAI's chat completions API",
    shape='{"request": {"messages": [...]}, "response": {"choices": [...]}}',
    keys=(
        *("request", "request_body", "response", "response_body", "body", "messages", "choices", "model"),
        *("id", "custom_id", "conversation_id and the like, in the record, the request or `metadata`"),
    ),
    recognizes=_recognizes,
    many=_read,
)
