"""Requests to models with their responses, as records of a log hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ib.errors import Path
from ib.logs.reading.chat import DATES, SAMPLING
from ib.logs.reading.form import Asked, Record, date_of, first_of, text_of, unwrapped, values_in
from ib.logs.reading.grouping import KEYS, ONE
from ib.logs.reading.notes import Notes, kind_of
from ib.logs.reading.threads import Call

PAIRS = (("request", "response"), ("request_body", "response_body"))
"""The keys of a request and its response."""
OF_PAIRS = tuple(key for pair in PAIRS for key in pair)
_THREADS = (*KEYS, *(f"metadata.{key}" for key in KEYS), "conversation.id", "conversation")
"""The keys that tell threads apart unasked, in a record and in its request."""


def pair_of(value: Any) -> tuple[str, Mapping[str, Any], Any] | None:
    """The key of the request, the request and the response of a record; None if it is no such pair.

    Both may be texts of JSON, and may stand in `body`.
    """
    if not isinstance(value, Mapping):
        return None
    for asked, answered in PAIRS:
        request = _body(value.get(asked))
        if answered in value and isinstance(request, Mapping):
            return asked, request, _body(value[answered])
    return None


def _body(value: Any) -> Any:
    inner = unwrapped(value)
    return unwrapped(inner["body"]) if isinstance(inner, Mapping) and "body" in inner else inner


def call_of_pair(record: Record, asked: Asked) -> tuple[Call, Path, Mapping[str, Any], Mapping[str, Any]]:
    """A call of a record without its messages, the path of its request, its request and its response."""
    pair = pair_of(record.value)
    assert pair is not None  # the form has recognized the record
    key, request, response = pair
    notes = Notes()
    reply = response if isinstance(response, Mapping) else {}
    failed = not reply or bool(reply.get("error")) or reply.get("type") == "error"
    if response is not None and not isinstance(response, Mapping | str):
        notes.error((dict(PAIRS)[key],), f"is {kind_of(response)}", "one whole response, not its parts")
    call = Call(notes, record.locate, failed=failed, line=record.line)
    call.records = [record.value, request]
    call.thread = thread_of((record.value, request), asked)
    call.id = text_of(first_of(record.value, "id", "custom_id", "request_id")) or text_of(reply.get("id"))
    model, served = request.get("model"), reply.get("model")
    call.model = model.strip() or None if isinstance(model, str) else None
    call.served = served if isinstance(served, str) and served else None
    call.date = date_of(first_of(record.value, *DATES) or first_of(reply, "created", "created_at"))
    call.sampling = {
        name: request[name] for name in SAMPLING if isinstance(request.get(name), int | float | str)
    }
    notes.unread |= {str(name) for name, item in record.value.items() if item and name not in _READ}
    return call, (key,), request, reply


_READ = {*OF_PAIRS, *KEYS, *DATES, "id", "custom_id", "request_id", "metadata"}


def thread_of(
    records: Sequence[Mapping[str, Any]], asked: Asked, keys: Sequence[str] = _THREADS
) -> str | None:
    """The id of the thread that a call belongs to: by the key that the caller named, or by a known key."""
    if asked.group_by == ONE:
        return asked.file
    for key in (asked.group_by,) if asked.group_by is not None else keys:
        for record in records:
            found = next((text for value in values_in(record, key) if (text := text_of(value))), None)
            if found is not None:
                return found
    return None


def answers(response: Any, *keys: str) -> bool:
    """True if a response has one of these keys, or says nothing of its form: an error, or nothing at all."""
    return (
        not isinstance(response, Mapping)
        or not response
        or "error" in response
        or any(k in response for k in keys)
    )
