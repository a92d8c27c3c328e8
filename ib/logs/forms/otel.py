"""Spans of OpenTelemetry with the semantic conventions for generative AI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ib.errors import Finding
from ib.errors import Path as Keys
from ib.logs.reading.calls import thread_of
from ib.logs.reading.chat import instructions
from ib.logs.reading.form import Asked, Form, Locate, Record, Talk, text_of, unwrapped
from ib.logs.reading.message import JOINT, Entry, as_text, moment, read_message
from ib.logs.reading.notes import Change, Notes, kind_of
from ib.logs.reading.threads import Call, conversations

INPUT, OUTPUT, SYSTEM = "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"
DETAILS = "gen_ai.client.inference.operation.details"
"""The event that holds the messages where spans do not."""
_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
"""The events of one message each, in releases of the conventions before 1.37."""
_THREADS = ("gen_ai.conversation.id", "session.id")
_TRACE = ("traceId", "trace_id", "context")
_SETTINGS = {"temperature", "top_p", "max_tokens", "seed"}


def _recognizes(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    is_span = "attributes" in value and any(key in value for key in _TRACE) and "name" in value
    return is_span or isinstance(value.get("resourceSpans"), list)


def _read(records: Sequence[Record], asked: Asked) -> Iterator[Talk | Finding]:
    calls, others = [], 0
    for record in records:
        for span, locate in _spans(record):
            call = _call(span, locate, record.line, asked)
            others += call is None
            calls += [] if call is None else [call]
    if others:
        notes = Notes()
        notes.changes[Change.OTHER_CALLS] += others
        yield Talk(notes, records[0].locate, left_out=True)
    yield from conversations(calls)


def _spans(record: Record) -> Iterator[tuple[Mapping[str, Any], Locate]]:
    """The spans of a record, which is one span or a document of the OTLP exporter."""
    value = record.value
    if "resourceSpans" not in value:
        yield value, record.locate
        return
    for at, resource in _items(value, "resourceSpans"):
        for within, scope in _items(resource, "scopeSpans"):
            for place, span in _items(scope, "spans"):
                path = ("resourceSpans", at, "scopeSpans", within, "spans", place)
                yield span, partial(_below, record.locate, path)


def _items(value: Mapping[str, Any], key: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The mappings of a list, each with its place."""
    found = value.get(key)
    for at, item in enumerate(found if isinstance(found, list) else ()):
        if isinstance(item, Mapping):
            yield at, item


def _below(locate: Locate, path: Keys, keys: Keys) -> tuple[int | None, Keys]:
    return locate((*path, *keys))


def attributes_of(value: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a span or an event, whether they are a mapping or OTLP's list of keys and values."""
    found = value.get("attributes")
    if isinstance(found, Mapping):
        return dict(found)
    return _decoded_list(found if isinstance(found, list) else [])


def _decoded_list(pairs: Sequence[Any]) -> dict[str, Any]:
    return {
        pair["key"]: _decoded(pair.get("value"))
        for pair in pairs
        if isinstance(pair, Mapping) and isinstance(pair.get("key"), str)
    }


def _decoded(value: Any) -> Any:
    """A value of OTLP without its type."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "arrayValue" and isinstance(inner, Mapping):
        return [_decoded(item) for item in inner.get("values") or ()]
    if kind == "kvlistValue" and isinstance(inner, Mapping):
        return _decoded_list(inner.get("values") or ())
    return inner


def _call(span: Mapping[str, Any], locate: Locate, line: int | None, asked: Asked) -> Call | None:
    """The call of a model that a span is; None if it is another span, or its messages were not recorded."""
    told = attributes_of(span)
    events = [(item, attributes_of(item)) for _, item in _items(span, "events")]
    for event, inner in events:
        if event.get("name") == DETAILS:
            told = {**told, **inner}
    call = Call(Notes(), locate, line=line, records=[told, span])
    if INPUT in told or OUTPUT in told:
        call.said = _listed(told.get(INPUT) or [], INPUT, call.notes)
        call.reply = _listed(told.get(OUTPUT) or [], OUTPUT, call.notes)[:1]
    else:
        _by_event(call, events)
    if not (call.said or call.reply or call.notes.findings):
        return None
    call.said = [*instructions(_system(told.get(SYSTEM))), *call.said]
    status = span.get("status")
    code = status.get("code", status.get("status_code")) if isinstance(status, Mapping) else None
    call.failed = "error.type" in told or code in (2, "STATUS_CODE_ERROR", "ERROR")
    call.thread = thread_of((told, span), asked, _THREADS)
    _about(call, span, told)
    return call


def _about(call: Call, span: Mapping[str, Any], told: Mapping[str, Any]) -> None:
    """Add what a span says about the origin of its call."""
    context = span.get("context")
    trace = span.get("traceId") or span.get("trace_id")
    call.id = text_of(trace or (context.get("trace_id") if isinstance(context, Mapping) else None))
    model, served = told.get("gen_ai.request.model"), told.get("gen_ai.response.model")
    call.model = model.strip() or None if isinstance(model, str) else None
    call.served = served if isinstance(served, str) and served else None
    call.model = call.model or call.served
    started = span.get("startTimeUnixNano") or span.get("start_time")
    if isinstance(started, str) and started.isdigit() and len(started) < 25:
        started = int(started) / 1e9
    time = moment(started)
    call.date = None if time is None else time.isoformat()
    settings = {name: told.get(f"gen_ai.request.{name}") for name in sorted(_SETTINGS)}
    call.sampling = {name: item for name, item in settings.items() if isinstance(item, int | float)}


def _listed(value: Any, name: str, notes: Notes) -> list[Entry]:
    """The messages of an attribute, which is a list or its JSON."""
    said = unwrapped(value)
    if not isinstance(said, list):
        notes.error(("attributes", name), f"is {kind_of(said)}", "a list of messages, or its JSON")
        return []
    entries = [_message(item, ("attributes", name, at), notes) for at, item in enumerate(said)]
    return [entry for entry in entries if entry is not None]


def _message(value: Any, path: Keys, notes: Notes) -> Entry | None:
    """A message with `parts`."""
    if not isinstance(value, Mapping) or not isinstance(value.get("parts"), list):
        notes.error(path, "has no parts", "a message with `role` and `parts`")
        return None
    parts = value["parts"]
    if value.get("role") == "tool":
        content: Any = JOINT.join(as_text(_result(part)) for part in parts if isinstance(part, Mapping))
    else:
        content = [_part(part) for part in parts]
    told = {"role": value.get("role"), "content": content, "finish_reason": value.get("finish_reason")}
    return read_message(told, ("role", "content"), path, notes, lambda text: text)


def _result(part: Mapping[str, Any]) -> Any:
    return next((part[key] for key in ("response", "result", "content") if key in part), "")


def _part(part: Any) -> Any:
    """A part in the form of other chat messages."""
    if not isinstance(part, Mapping):
        return part
    kind = part.get("type")
    if kind == "text":
        return {"type": "text", "text": part.get("content")}
    if kind == "tool_call":
        return {"type": "tool_use", "name": part.get("name"), "input": part.get("arguments", "")}
    if kind == "tool_call_response":
        return {"type": "tool_result", "content": as_text(_result(part))}
    if kind == "reasoning":
        return {"type": "reasoning", "reasoning": part.get("content")}
    return {"type": part.get("modality") or kind}


def _system(value: Any) -> str:
    """The instructions of a span, which are parts or their JSON."""
    told = unwrapped(value)
    if isinstance(told, list):
        texts = [part.get("content") for part in told if isinstance(part, Mapping)]
        return JOINT.join(text for text in texts if isinstance(text, str))
    return told if isinstance(told, str) else ""


def _by_event(call: Call, events: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> None:
    """The messages of a call that has an event for each."""
    for at, (event, told) in enumerate(events):
        role = _EVENTS.get(str(event.get("name")))
        if role is None:
            continue
        choice = event.get("name") == "gen_ai.choice"
        inner = unwrapped(told.get("message")) if choice else told
        if choice and call.reply:
            call.notes.changes[Change.CHOICES] += 1
            continue
        inner = inner if isinstance(inner, Mapping) else {"content": inner}
        said = {"role": told.get("role") or role, **inner, "finish_reason": told.get("finish_reason")}
        said["tool_calls"] = unwrapped(said.get("tool_calls"))
        path = ("events", at, "attributes")
        entry = read_message(said, ("role", "content"), path, call.notes, lambda text: text)
        into = call.reply if choice else call.said
        into += [] if entry is None else [entry]
    call.notes.unread.clear()


FORM = Form(
    name="otel",
    title="OpenTelemetry spans of generative AI",
    shape='{"traceId": "...", "name": "chat", "attributes": {"gen_ai.input.messages": "[...]"}}',
    keys=(
        *(INPUT, OUTPUT, SYSTEM, "gen_ai.conversation.id", "session.id", "gen_ai.request.model"),
        *("gen_ai.response.model", "gen_ai.request.temperature and other settings", "error.type", "status"),
        *("traceId", "trace_id", "startTimeUnixNano", "start_time", f"the event {DETAILS}"),
        "the events gen_ai.user.message and the like",
    ),
    recognizes=_recognizes,
    many=_read,
)
