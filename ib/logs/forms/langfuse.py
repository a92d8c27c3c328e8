"""Traces and observations that Langfuse exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ib.errors import Finding
from ib.errors import Path as Keys
from ib.logs.reading.calls import thread_of
from ib.logs.reading.chat import SAMPLING
from ib.logs.reading.form import Asked, Form, Locate, Record, Talk, date_of, first_of, text_of, unwrapped
from ib.logs.reading.message import Entry, Speaker, read_message, read_messages
from ib.logs.reading.notes import Change, Notes
from ib.logs.reading.threads import Call, conversations

_THREADS = ("sessionId", "session_id", "sessionID")
_OF_TRACE = {"sessionId", "session_id", "projectId", "project_id", "userId", "user_id", "htmlPath", "release"}
_OF_OBSERVATION = {"traceId", "trace_id"}
_STARTED = {"startTime", "start_time"}
CHATS = ("GENERATION", "AGENT", "CHAIN", "SPAN", "EVENT")
"""The types of observations that may hold messages; others, such as tools, are left out."""
_IN_INPUT = ("messages", "input", "contents")
"""The keys under which an input holds its messages."""
_IN_OUTPUT = ("messages", "output", "choices", "content")


def _recognizes(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("data"), list) and "meta" in value:
        return True
    if isinstance(value.get("trace"), dict) and isinstance(value.get("observations"), list):
        return True
    if isinstance(value.get("traces"), list):
        return True
    if value.keys() >= {"id", "type"} and value.keys() & _OF_OBSERVATION:
        return bool(value.keys() & _STARTED)
    return value.keys() >= {"id", "input", "output", "timestamp"} and bool(value.keys() & _OF_TRACE)


def _read(records: Sequence[Record], asked: Asked) -> Iterator[Talk | Finding]:
    calls: list[Call] = []
    others = 0
    for record in records:
        for value, locate in _items(record):
            call = _call(value, locate, record.line, asked)
            others += call is None
            calls += [] if call is None else [call]
    if others:
        notes = Notes()
        notes.changes[Change.OTHER_CALLS] += others
        yield Talk(notes, records[0].locate, left_out=True)
    yield from conversations(_continued(calls))


def _items(record: Record) -> Iterator[tuple[Mapping[str, Any], Locate]]:
    """The observations that are calls of models in a record; of a trace without any, the trace itself."""
    value = record.value
    for key in ("data", "traces"):
        if isinstance(value.get(key), list):
            for at, item in enumerate(value[key]):
                if isinstance(item, Mapping):
                    yield from _items(Record(item, partial(_below, record.locate, (key, at))))
            return
    trace = value["trace"] if isinstance(value.get("trace"), Mapping) else value
    inner = value.get("observations")
    found = [
        (at, item)
        for at, item in enumerate(inner if isinstance(inner, list) else ())
        if isinstance(item, Mapping) and str(item.get("type")).upper() == "GENERATION"
    ]
    if not found:
        yield trace, record.locate
    for at, item in found:
        session = {key: trace[key] for key in (*_THREADS, "metadata", "version", "release") if trace.get(key)}
        yield (
            {**session, **{k: v for k, v in item.items() if v is not None}},
            partial(_below, record.locate, ("observations", at)),
        )


def _below(locate: Locate, path: Keys, keys: Keys) -> tuple[int | None, Keys]:
    return locate((*path, *keys))


def _call(value: Mapping[str, Any], locate: Locate, line: int | None, asked: Asked) -> Call | None:
    """The call of a model, or the turn of a bot, that a trace or an observation is; None if it is neither."""
    kind = str(value.get("type", "GENERATION")).upper()
    if kind not in CHATS or not value.get("input"):
        return None
    call = Call(Notes(), locate, line=line, records=[value])
    call.said = _said(value["input"], "input", _IN_INPUT, Speaker.USER, call.notes)
    if value.get("output"):
        call.reply = _said(value["output"], "output", _IN_OUTPUT, Speaker.ASSISTANT, call.notes)[-1:]
    if not (call.said or call.notes.findings):
        return None
    call.failed = value.get("level") == "ERROR"
    call.thread = thread_of((value,), asked, _THREADS)
    call.id = text_of(first_of(value, "traceId", "trace_id", "id"))
    named = first_of(value, "model", "provided_model_name", "providedModelName")
    call.model = named.strip() if isinstance(named, str) else None
    call.date = date_of(first_of(value, "timestamp", "startTime", "start_time"))
    settings = unwrapped(first_of(value, "modelParameters", "model_parameters"))
    if isinstance(settings, Mapping):
        call.sampling = {
            key: settings[key] for key in SAMPLING if isinstance(settings.get(key), int | float | str)
        }
    call.notes.unread.clear()
    return call


def _said(value: Any, key: str, names: Sequence[str], speaker: Speaker, notes: Notes) -> list[Entry]:
    """The messages of an input or an output: a text, one message, or a list of them."""
    inner = unwrapped(value)
    path: Keys = (key,)
    if isinstance(inner, Mapping) and "role" not in inner:
        name = next((name for name in names if inner.get(name)), None)
        if name is None:
            return []  # arguments of a function rather than words
        return _said(inner[name], key, (), speaker, notes) if name != "choices" else _choice(inner, notes)
    if isinstance(inner, str):
        told: dict[str, Any] = {"role": speaker.value, "content": inner}
        entry = read_message(told, ("role", "content"), path, notes, lambda text: text)
        return [] if entry is None else [entry]
    if isinstance(inner, Mapping):
        told = {**inner, "role": inner.get("role")}
        entry = read_message(told, ("role", "content"), path, notes, lambda text: text)
        return [] if entry is None else [entry]
    return read_messages(inner, path, notes) if isinstance(inner, list) else []


def _choice(value: Mapping[str, Any], notes: Notes) -> list[Entry]:
    """The reply of a response of OpenAI's API."""
    first = value["choices"][0] if isinstance(value["choices"], list) else None
    message = first.get("message") if isinstance(first, Mapping) else None
    return [] if message is None else _said(message, "output", (), Speaker.ASSISTANT, notes)


def _continued(calls: Sequence[Call]) -> list[Call]:
    """The calls, with each one-message turn of a session after the turns before it.

    A bot may log only the newest message of a session as its input. The order is that of the times, or that
    of the file where a time is missing.
    """
    ordered = sorted(calls, key=lambda call: call.date or "") if all(call.date for call in calls) else calls
    past: dict[str, Call] = {}
    made = []
    for call in ordered:
        before = past.get(call.thread or "")
        if before is not None and _is_one_message(call) and call.is_answered:
            call.said = [*before.said, *before.reply, *call.said]
        if call.thread is not None and call.is_answered and not call.failed and not call.notes.findings:
            past[call.thread] = call
        made.append(call)
    return made


def _is_one_message(call: Call) -> bool:
    """True if the input was a text: it cannot hold what was said before."""
    return len(call.said) == 1 and isinstance(unwrapped(call.records[0].get("input")), str)


FORM = Form(
    name="langfuse",
    title="traces or observations of Langfuse",
    shape='{"traceId": "...", "type": "GENERATION", "input": [...], "output": {...}}',
    keys=(
        *("id", "traceId", "trace_id", "sessionId", "session_id", "type", "input", "output", "observations"),
        *("model", "provided_model_name", "modelParameters", "timestamp", "startTime", "start_time", "level"),
    ),
    recognizes=_recognizes,
    many=_read,
)
