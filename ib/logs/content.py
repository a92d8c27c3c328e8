"""The content of a message: the texts that the other speaker sees, and the parts that nobody said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ib.errors import Path
from ib.logs.notes import Change, Notes, kind_of
from ib.models.conversation.context import ContextKind
from ib.text.shown import blank

JOINT = "\n\n"
"""Between parts of one message, and between messages that are merged."""
_TEXT = {"text", "input_text", "output_text", "refusal"}
_REASONING = {"reasoning", "thinking"}
_THOUGHT = re.compile(r"<(think|thinking)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
"""Reasoning that a model wrote into its reply; it may have been cut off before its end."""
_END_OF_THOUGHT = re.compile(r"\A(.*?)</(?:think|thinking)>", re.DOTALL | re.IGNORECASE)
"""Reasoning whose first tag was part of the prompt."""
_HIDDEN = {"data", "redacted_thinking"}
"""Parts that only a provider can read."""
Beside = tuple[ContextKind, str | None, str]
"""A text beside the conversation: its kind, the name of the tool, the text."""
Resolve = Callable[[str], str | None]
"""Returns the text that a text stands for; None if the log lacks it."""


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
            rest = _END_OF_THOUGHT.sub(self._thought, rest, count=1)
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
