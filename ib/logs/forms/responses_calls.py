"""Requests and responses of OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ib.errors import Finding
from ib.logs.reading.calls import answers, call_of_pair, pair_of
from ib.logs.reading.chat import instructions
from ib.logs.reading.form import Asked, Form, Record, Talk
from ib.logs.reading.message import Entry, Speaker, read_messages
from ib.logs.reading.threads import Call, conversations


def _recognizes(value: Any) -> bool:
    pair = pair_of(value)
    return pair is not None and isinstance(pair[1].get("input"), list | str) and answers(pair[2], "output")


def _read(records: Sequence[Record], asked: Asked) -> Iterator[Talk | Finding]:
    by_id: dict[str, Call] = {}
    calls = []
    for record in records:
        call, earlier, own = _call(record, asked)
        if earlier is not None:
            _join(call, earlier, by_id.get(earlier))
        if own is not None and not call.notes.findings:
            by_id[own] = call
        calls.append(call)
    return conversations(calls)


def _call(record: Record, asked: Asked) -> tuple[Call, str | None, str | None]:
    """A call, the id of the response that it goes on from, and the id of its own response."""
    call, at, request, response = call_of_pair(record, asked)
    given = request["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    said = read_messages(items, (*at, "input"), call.notes)
    told = request.get("instructions")
    call.said = [*instructions(told if isinstance(told, str) else ""), *said]
    if not call.failed:
        path = ("response" if at == ("request",) else "response_body", "output")
        call.reply = read_messages(response.get("output"), path, call.notes)
        cut = response.get("incomplete_details")
        if isinstance(cut, Mapping) and cut.get("reason") == "max_output_tokens" and call.reply:
            call.reply[-1] = replace(call.reply[-1], truncated=True)
    earlier, own = request.get("previous_response_id"), response.get("id")
    return call, earlier if isinstance(earlier, str) else None, own if isinstance(own, str) else None


def _join(call: Call, earlier: str, before: Call | None) -> None:
    """Put the messages of the earlier call before those of this one."""
    if before is None:
        found = f"names {earlier[:60]!r}, and no earlier call of the file has this response"
        call.notes.error(
            ("request", "previous_response_id"), found, "all calls of a conversation in one file"
        )
        return
    own = [entry for entry in call.said if entry.speaker is Speaker.SYSTEM]
    past = [*before.said, *before.reply]
    kept: list[Entry] = [entry for entry in past if not own or entry.speaker is not Speaker.SYSTEM]
    call.said = [*own, *kept, *(entry for entry in call.said if entry.speaker is not Speaker.SYSTEM)]


FORM = Form(
    name="responses-calls",
    title="calls of OpenAI's Responses API",
    shape='{"request": {"input": [...], "instructions": "..."}, "response": {"output": [...]}}',
    keys=(
        *("request", "request_body", "response", "response_body", "body", "input", "instructions", "output"),
        *("previous_response_id", "conversation", "model", "id", "custom_id"),
        "conversation_id and the like, in the record, the request or `metadata`",
    ),
    recognizes=_recognizes,
    many=_read,
)
