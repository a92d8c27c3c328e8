"""The export of ChatGPT: conversations.json with a tree of messages in `mapping`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ib.logs.reading.form import Form, Record, Talk, date_of, first_of, text_of
from ib.logs.reading.message import Entry, Speaker, as_text, moment, read_message
from ib.logs.reading.notes import Change, Notes, kind_of
from ib.models.conversation.context import ContextKind

_REASONING = ("thoughts", "reasoning_recap")
_INSTRUCTIONS = ("user_editable_context", "model_editable_context")


def _recognizes(value: Any) -> bool:
    return isinstance(value, dict) and "mapping" in value and "current_node" in value


def _read(record: Record) -> Talk:
    value, notes = record.value, Notes()
    talk = Talk(notes, record.locate, records=(value,), line=record.line)
    nodes = value["mapping"]
    if not isinstance(nodes, Mapping):
        notes.error(("mapping",), f"is {kind_of(nodes)}", "a mapping of nodes")
        return talk
    branch = _branch(nodes, value["current_node"], notes)
    if notes.findings:
        return talk
    entries, models = [], []
    for node in branch:
        message = nodes[node].get("message")
        if message is not None:
            entries += _entry(message, ("mapping", node, "message"), notes)
            models.append(_model(message))
    spoken = [node for node in nodes if node not in branch and _is_spoken(nodes[node])]
    notes.changes[Change.BRANCHES] += len(spoken)
    if not entries and not notes.findings:
        notes.changes[Change.EMPTY] += 1
        talk.left_out = True
    talk.entries = entries
    talk.id = text_of(first_of(value, "conversation_id", "id"))
    talk.date = date_of(value.get("create_time"))
    talk.model = next(filter(None, reversed(models)), None) or _text(value.get("default_model_slug"))
    return talk


def _branch(nodes: Mapping[str, Any], last: Any, notes: Notes) -> list[str]:
    """The nodes from the first to the current one. The notes get an error if there is no such way."""
    branch: list[str] = []
    met: set[str] = set()
    node = last
    while node is not None:
        if not isinstance(node, str) or not isinstance(nodes.get(node), Mapping):
            place = ("current_node",) if not branch else ("mapping", branch[-1], "parent")
            notes.error(place, f"names {str(node)[:60]!r}, which is no node", "a key of `mapping`")
            return []
        if node in met:
            notes.error(("mapping", node, "parent"), "goes round in a circle", "a tree of nodes")
            return []
        branch.append(node)
        met.add(node)
        node = nodes[node].get("parent")
    return branch[::-1]


def _is_spoken(node: Any) -> bool:
    """True if a node has a message of the person or of the assistant."""
    message = node.get("message") if isinstance(node, Mapping) else None
    author = message.get("author") if isinstance(message, Mapping) else None
    return isinstance(author, Mapping) and author.get("role") in ("user", "assistant")


def _entry(message: Any, path: tuple[str, ...], notes: Notes) -> list[Entry]:
    """One message: what was said, or what stands beside it; empty if the export shows nothing of it."""
    if not isinstance(message, Mapping) or not isinstance(message.get("content"), Mapping):
        notes.error(path, "has no content", "a message with `author` and `content`")
        return []
    author, content = message.get("author"), message["content"]
    named = author if isinstance(author, Mapping) else {}
    beside = _beside(message, content, named.get("role"), notes)
    if beside is not None:
        return beside
    parts, text = content.get("parts"), _text_of(content)
    if named.get("role") in ("system", "tool", "assistant") and not _joined(parts) and not text:
        return []  # the export has empty messages around calls of tools
    shown = [_part(part) for part in parts] if isinstance(parts, list) else as_text(text)
    time = moment(message.get("create_time"))
    said = {
        "role": named.get("role"),
        "content": shown,
        "name": named.get("name"),
        "time": time and time.isoformat(),
        "finish_reason": "length" if _is_cut(message) else None,
    }
    entry = read_message(said, ("role", "content"), path, notes)
    return [] if entry is None else [entry]


def _beside(
    message: Mapping[str, Any], content: Mapping[str, Any], role: Any, notes: Notes
) -> list[Entry] | None:
    """A message that nobody was shown: reasoning, instructions, a call of a tool. None for any other."""
    kind, parts, to = content.get("content_type"), content.get("parts"), message.get("recipient")
    if kind in _REASONING:
        words = _joined(first_of(content, "thoughts", "content", "text"))
        return [Entry(Speaker.CALL, "", ((ContextKind.REASONING, None, words),))] if words else []
    if kind in _INSTRUCTIONS or _details(message).get("is_visually_hidden_from_conversation") is True:
        told = [item for key, item in content.items() if key != "content_type" and _text(item)]
        words = _joined(parts if isinstance(parts, list) else told)
        notes.changes[Change.NEVER_SENT] += bool(words.strip())
        return [Entry(Speaker.SYSTEM, "", ((ContextKind.SYSTEM, None, words),))] if words.strip() else []
    if role == "assistant" and isinstance(to, str) and to not in ("all", ""):
        words = as_text(_text_of(content) or _joined(parts))
        return [Entry(Speaker.CALL, "", ((ContextKind.TOOL_CALL, to, words),))]
    return None


def _text_of(content: Mapping[str, Any]) -> Any:
    """The text of a content without parts."""
    return content.get("text") or content.get("result") or ""


def _details(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The `metadata` of a message."""
    details = message.get("metadata")
    return details if isinstance(details, Mapping) else {}


def _is_cut(message: Mapping[str, Any]) -> bool:
    """True if the reply was cut off at its maximum length."""
    ended = _details(message).get("finish_details")
    return isinstance(ended, Mapping) and ended.get("type") == "max_tokens"


def _part(part: Any) -> Any:
    """A part as a message of a chat has it: text, or something else by its type."""
    if not isinstance(part, Mapping):
        return part
    if isinstance(part.get("text"), str):  # a part that was spoken
        return part["text"]
    return {"type": part.get("content_type")}


def _joined(parts: Any) -> str:
    """The texts of parts or thoughts."""
    if not isinstance(parts, list):
        return as_text(parts) if parts else ""
    texts = [
        "\n".join(
            filter(None, (_text(part.get("summary")), _text(part.get("content")), _text(part.get("text"))))
        )
        if isinstance(part, Mapping)
        else as_text(part)
        for part in parts
    ]
    return "\n\n".join(filter(None, texts)) or (
        "[media]" if any(isinstance(p, Mapping) for p in parts) else ""
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _model(message: Any) -> str | None:
    """The model that wrote a message."""
    return _text(_details(message).get("model_slug")) if isinstance(message, Mapping) else None


FORM = Form(
    name="chatgpt",
    title="the export of ChatGPT",
    shape='{"conversation_id": "...", "mapping": {"A": {"message": {...}}}, "current_node": "A"}',
    keys=(
        *("conversation_id", "id", "create_time", "default_model_slug", "current_node", "mapping.parent"),
        *("message.author.role", "message.author.name", "message.content", "message.recipient"),
        *("message.create_time", "message.metadata.model_slug", "message.metadata.finish_details"),
        "message.metadata.is_visually_hidden_from_conversation",
    ),
    recognizes=_recognizes,
    one=_read,
)
