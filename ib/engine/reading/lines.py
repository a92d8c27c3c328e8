"""The lines of a conversation as a judge is shown it: one JSON object a line.

Texts that nobody said, such as system texts, are among them only if an import asked to show them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ib.models.conversation.context import Context, ContextKind
from ib.models.conversation.transcript import Message


def shown(context: Iterable[Context]) -> tuple[Context, ...]:
    """The texts that judges are shown."""
    return tuple(item for item in context if item.shown)


def lines_before(messages: Sequence[Message], context: Iterable[Context]) -> list[list[str]]:
    """For each message, the JSON lines of shown context before it.

    A system text is before the first message of its turn, all others are before the last one, which is
    the assistant's. `messages` are whole turns.
    """
    before: list[list[str]] = [[] for _ in messages]
    first = {message.turn: index for index, message in reversed([*enumerate(messages)])}
    last = {message.turn: index for index, message in enumerate(messages)}
    for item in shown(context):
        at = (first if item.kind is ContextKind.SYSTEM else last).get(item.turn)
        if at is not None:
            before[at].append(_line(item))
    return before


def _line(item: Context) -> str:
    """One text as JSON. Its keys say that it is no message, so that no frame has to explain it."""
    row: dict[str, object] = {"turn": item.turn, "not_seen_by_the_person": item.kind, "content": item.content}
    return json_line(row if item.name is None else {**row, "name": item.name})


_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Characters that end a line for some readers and that JSON does not escape."""


def json_line(value: object) -> str:
    """A value as JSON on one line, whatever reads it. The keys of objects keep their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_BREAKS)


def message_line(message: Message) -> str:
    """A message as a judge is shown it: what fixes its place first, its words last."""
    row: dict[str, object] = {"turn": message.turn, "role": message.role.value}
    if message.session is not None:
        row["session"] = message.session
    if message.time is not None:
        row["time"] = message.time.isoformat()
    if message.truncated:
        row["truncated"] = True
    return json_line({**row, "content": message.content})
