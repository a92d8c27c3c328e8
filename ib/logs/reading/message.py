"""One message of a log: who speaks, what the other sees of it, and what stands beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from ib.errors import Path
from ib.logs.reading.notes import Change, Notes, kind_of
from ib.models.conversation.context import ContextKind
from ib.text.shown import bare, blank

JOINT = "\n\n"
"""Between parts of one message, and between messages that are merged."""
_TEXT = {"text", "input_text", "output_text", "refusal"}
_REASONING = {"reasoning", "thinking"}
_THOUGHT = re.compile(r"<(think|thinking)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
"""Reasoning that a model wrote into its reply; it may have been cut off before its end."""
_END_OF_THOUGHT = re.compile(r"\A(.*?)</(?:think|thinking)>", re.DOTALL | re.IGNORECASE)
"""Reasoning whose first tag was part of the prompt, or a reply that only mentions the tag."""
_HIDDEN = {"data", "redacted_thinking"}
"""Parts that only a provider can read."""
_GOES_ON = re.compile(r" ?[a-z,.;:)]")
"""What follows a tag that stands within a sentence."""
Beside = tuple[ContextKind, str | None, str]
"""A text beside the conversation: its kind, the name of the tool, the text."""
Resolve = Callable[[str], str | None]
"""Returns the text that a text stands for; None if the log lacks it."""


def _mentioned(before: str, after: str) -> bool:
    """True if a tag is part of what is said: it is quoted, or stands within a sentence."""
    quoted = before.endswith(("`", "'", '"', "“", "‘", "("))
    return quoted or (before.endswith(" ") and _GOES_ON.match(after) is not None)


class Texts:
    """The texts of one content: what is shown, and what stands beside it."""

    def __init__(self, notes: Notes, resolve: Resolve) -> None:
        self.notes, self.resolve = notes, resolve
        self.shown: list[str] = []
        self.beside: list[Beside] = []

    def read(self, content: object, path: Path) -> None:
        """Read a content: a text, a list of parts, or null."""
        if isinstance(content, str):
            self._show(content, path)
        elif isinstance(content, list):
            for index, part in enumerate(content):
                self._part(part, (*path, index))
        elif content is not None:
            self._fail(path, f"is {kind_of(content)}", "a text, or a list of parts")

    def set_thoughts_apart(self) -> None:
        """Set reasoning between `<think>` tags beside the conversation: nobody was told it."""
        shown = self.shown
        self.shown = []
        for text in shown:
            rest = _THOUGHT.sub(self._thought, text)
            end = _END_OF_THOUGHT.match(rest)
            if end is not None and not _mentioned(end[1], rest[end.end() :]):
                self.notes.changes[Change.UNOPENED] += 1
                rest = self._thought(end) + rest[end.end() :]
            if not blank(rest):
                self.shown.append(rest.strip() if rest != text else text)

    def _thought(self, match: re.Match[str]) -> str:
        """Keep what a match holds as reasoning, and leave nothing in its place."""
        if match[match.lastindex or 1].strip():
            self.beside.append((ContextKind.REASONING, None, match[match.lastindex or 1].strip()))
        return ""

    def _show(self, text: str, path: Path) -> None:
        whole = self.resolve(text)
        if whole is None:
            self._fail(path, f"refers to {text[:80]!r}, which the log lacks", "the text itself")
        elif not blank(whole):
            self.shown.append(whole)

    def _part(self, part: object, path: Path) -> None:
        if isinstance(part, str):
            self._show(part, path)
        elif not isinstance(part, dict):
            self._fail(path, f"is {kind_of(part)}", "a text, or a mapping with `type`")
        else:
            kind = "text" if part.get("type") is None else part["type"]
            if not isinstance(kind, str) or not kind.isidentifier() or len(kind) > 40:
                self._fail((*path, "type"), f"is {as_text(kind)[:80]!r}", "the type of a part, such as text")
            elif kind in _TEXT:
                self._text(part, "refusal" if isinstance(part.get("refusal"), str) else "text", path)
            elif kind in ("tool_use", "tool_result", *_REASONING, *_HIDDEN):
                self._unshown(kind, part, path)
            else:
                self.notes.changes[Change.MEDIA] += 1
                self.shown.append(f"[{kind}]")

    def _text(self, part: Mapping[str, Any], key: str, path: Path) -> None:
        if isinstance(part.get(key), str):
            self._show(part[key], (*path, key))
        else:
            found = f"is {kind_of(part[key])}" if key in part else "is missing"
            self._fail((*path, key), found, "a text")

    def _unshown(self, kind: str, part: Mapping[str, Any], path: Path) -> None:
        """Add a part that the other speaker does not see."""
        if kind == "tool_use":
            self.beside.append(call_of(part))
            if part.get("result"):
                self.beside.append((ContextKind.TOOL_RESULT, call_of(part)[1], as_text(part["result"])))
        elif kind == "tool_result":
            inner = Texts(self.notes, self.resolve)
            inner.read(part.get("content"), (*path, "content"))
            self.beside.append((ContextKind.TOOL_RESULT, None, JOINT.join(inner.shown)))
        elif kind in _REASONING:
            text = next(
                (part[key] for key in ("reasoning", "thinking", "text", "summary") if part.get(key)), ""
            )
            self.beside.append((ContextKind.REASONING, None, as_text(text)))
        else:
            self.notes.changes[Change.HIDDEN] += 1

    def _fail(self, path: Path, found: str, hint: str) -> None:
        self.notes.error(path, found, hint)


def call_of(call: object) -> Beside:
    """A tool call in any of its forms: the name and the arguments."""
    inner = call
    if isinstance(call, dict):
        inner = next((call[key] for key in ("function", "custom") if isinstance(call.get(key), dict)), call)
    if not isinstance(inner, dict):
        return (ContextKind.TOOL_CALL, None, as_text(inner))
    name = next((inner[key] for key in ("name", "function") if isinstance(inner.get(key), str)), None)
    given = next((inner[key] for key in ("arguments", "input") if key in inner), "")
    return (ContextKind.TOOL_CALL, name, as_text(given))


def as_text(value: object) -> str:
    """A text as it is, another value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


class Speaker(StrEnum):
    """Who or what a message of a log comes from."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
    CALL = "call"


ROLES: Mapping[str, Speaker] = {
    **dict.fromkeys(("user", "human"), Speaker.USER),
    **dict.fromkeys(("assistant", "gpt", "chatgpt", "bot", "model"), Speaker.ASSISTANT),
    **dict.fromkeys(("system", "developer"), Speaker.SYSTEM),
    **dict.fromkeys(("tool", "function", "observation"), Speaker.TOOL),
    "function_call": Speaker.CALL,
}
"""The names of roles in logs."""
SPOKEN = (Speaker.USER, Speaker.ASSISTANT)
_SPOKEN_AS = {name: speaker for name, speaker in ROLES.items() if speaker in SPOKEN}
READ = {
    *("role", "content", "from", "value", "turn", "session", "time", "timestamp", "created_at"),
    *("tool_calls", "function_call", "refusal", "reasoning", "reasoning_content", "name", "function"),
    *("finish_reason", "error", "tool_call_id", "id"),
}
"""The keys of a message that are read, and identifiers that nothing needs."""
_OF_ITEMS = {"type", "status"}
"""Keys of items of the Responses API that say nothing about the conversation."""
RESPONSES = frozenset(
    {"reasoning", "function_call", "function_call_output", "web_search_call", "file_search_call",
     "computer_call", "computer_call_output", "code_interpreter_call", "image_generation_call", "mcp_call",
     "custom_tool_call", "custom_tool_call_output"}
)  # fmt: skip
"""The types of items of OpenAI's Responses API that have no role."""
_NOTHING: tuple[object, ...] = (None, [], {})
_TIMES = ("time", "timestamp", "created_at")
MILLISECONDS_FROM = 1e11
"""Numbers from here on are milliseconds since 1970; smaller ones are seconds."""


@dataclass(frozen=True)
class Entry:
    """One message, read."""

    speaker: Speaker
    text: str
    """What the other speaker sees; empty if nothing."""
    beside: tuple[Beside, ...] = ()
    time: datetime | None = None
    session: int | None = None
    truncated: bool = False


def read_message(
    value: object, keys: tuple[str, str], path: Path, notes: Notes, resolve: Resolve | None = None
) -> Entry | None:
    """One message of a log. Returns None if it is broken; `notes` then has the error.

    With `resolve`, the log is one of a harness: texts may stand for others, and a reply may be empty.
    """
    if not isinstance(value, dict):
        notes.error(path, f"is {kind_of(value)}", "a mapping with a role and a text")
        return None
    role_key, text_key = keys
    if len(value) == 2 and resolve is None:
        plain = _plain(value.get(role_key), value.get(text_key))
        if plain is not None:
            return plain
    if role_key not in value and is_item(value):
        return _item(value, path, notes)
    before = len(notes.findings)
    speaker = _speaker(value, role_key, path, notes)
    texts = Texts(notes, resolve or (lambda text: text))
    texts.read(value.get(text_key), (*path, text_key))
    if speaker is Speaker.ASSISTANT:
        texts.set_thoughts_apart()
    if speaker is None or len(notes.findings) > before:
        return None
    notes.changes[Change.JOINED] += len(texts.shown) > 1
    text = JOINT.join(texts.shown)
    if speaker is Speaker.ASSISTANT:
        _beside_reply(value, texts)
        text = text or str(value.get("refusal") or "")
    beside = _besides(speaker, value, text, texts.beside)
    spoken = speaker in SPOKEN and not _shows_nothing(speaker, text)
    may_be_empty = speaker not in SPOKEN or (resolve is not None and speaker is Speaker.ASSISTANT)
    if not (spoken or beside or may_be_empty):
        found = "is missing" if value.get(text_key) is None else "is empty"
        notes.error((*path, text_key), found, "a text; a call that failed is not an answer")
        return None
    usual = READ | _OF_ITEMS if value.get("type") == "message" else READ
    notes.unread |= {str(key) for key, item in value.items() if key not in usual and item not in _NOTHING}
    session = value.get("session")
    return Entry(
        speaker,
        text if spoken else "",
        beside,
        moment(next((value[key] for key in _TIMES if value.get(key) is not None), None)),
        session if type(session) is int and session > 0 else None,
        value.get("finish_reason") == "length",
    )


def _plain(role: object, text: object) -> Entry | None:
    """A message that is a role and a text and nothing else, as most are; None for any other.

    What this returns is what the whole of `read_message` would, in a tenth of the time.
    """
    speaker = _SPOKEN_AS.get(role) if isinstance(role, str) else None
    if speaker is None or not isinstance(text, str) or "<" in text or _shows_nothing(speaker, text):
        return None
    return Entry(speaker, text)


def is_item(value: object) -> bool:
    """True for an item of the Responses API that has no role."""
    return isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"] in RESPONSES


def _item(value: Mapping[str, Any], path: Path, notes: Notes) -> Entry:
    """An item of the Responses API that is no message: a call, its result, or reasoning."""
    kind = value["type"]
    if kind == "reasoning":
        parts = value.get("summary") or value.get("content")
        kept = parts if isinstance(parts, list) else []
        texts = [as_text(part.get("text", "")) for part in kept if isinstance(part, dict)]
        beside: Beside = (ContextKind.REASONING, None, JOINT.join(texts))
        return Entry(Speaker.CALL, "", (beside,) if beside[2] else ())
    if kind.endswith("_output"):
        inner = Texts(notes, lambda text: text)
        inner.read(value.get("output"), (*path, "output"))
        return Entry(Speaker.TOOL, "", ((ContextKind.TOOL_RESULT, None, JOINT.join(inner.shown)),))
    if kind == "function_call":
        return Entry(Speaker.CALL, "", (call_of(value),))
    told = {key: item for key, item in value.items() if key not in ("type", "id", "status")}
    return Entry(Speaker.CALL, "", ((ContextKind.TOOL_CALL, kind, as_text(told)),))


def _speaker(value: Mapping[str, Any], key: str, path: Path, notes: Notes) -> Speaker | None:
    role = value.get(key)
    speaker = ROLES.get(role.casefold()) if isinstance(role, str) else None
    if speaker is None:
        found = "is missing" if key not in value else f"is {json.dumps(role, ensure_ascii=False)[:80]}"
        notes.error((*path, key), found, f"one of {', '.join(ROLES)}")
    return speaker


def _shows_nothing(speaker: Speaker, text: str) -> bool:
    """As transcripts decide it: a person may say only "---"; as a reply, that is empty."""
    return bare(text) if speaker is Speaker.ASSISTANT else blank(text)


def _besides(
    speaker: Speaker, value: Mapping[str, Any], text: str, beside: Iterable[Beside]
) -> tuple[Beside, ...]:
    """What of a message stands beside the conversation."""
    own: tuple[Beside, ...] = ()
    name = value.get("function") or value.get("name")
    named = name if isinstance(name, str) else None
    if speaker is Speaker.SYSTEM:
        own = ((ContextKind.SYSTEM, None, text),)
    elif speaker is Speaker.CALL:
        own = ((ContextKind.TOOL_CALL, named, text),)
    elif speaker is Speaker.TOOL:
        error = value.get("error")
        failed = "" if not error else f"error: {as_text(error)}"
        own = ((ContextKind.TOOL_RESULT, named, JOINT.join(filter(None, (text, failed)))),)
    return (*own, *beside)


def _beside_reply(value: Mapping[str, Any], texts: Texts) -> None:
    """Add the reasoning and the tool calls that a reply has next to its text."""
    for key in ("reasoning_content", "reasoning"):
        if isinstance(value.get(key), str) and value[key]:
            texts.beside.append((ContextKind.REASONING, None, value[key]))
    calls = value.get("tool_calls") or ()
    for call in (*(calls if isinstance(calls, list) else [calls]), value.get("function_call")):
        if call:
            texts.beside.append(call_of(call))


def moment(value: object) -> datetime | None:
    """A time: ISO 8601, or seconds or milliseconds since 1970. Returns None if it is neither."""
    try:
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if value >= MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def read_messages(
    said: object, path: Path, notes: Notes, keys: tuple[str, str] = ("role", "content")
) -> list[Entry]:
    """The messages of a list that could be read; `notes` has the errors of the others."""
    if not isinstance(said, list):
        notes.error(path, f"is {kind_of(said)}" if said is not None else "is missing", "a list of messages")
        return []
    read = [read_message(item, keys, (*path, index), notes) for index, item in enumerate(said)]
    return [entry for entry in read if entry is not None]
