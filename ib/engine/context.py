"""The lines of a prompt for texts that nobody said, if an import asked to show them to judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ib.models.canonical import compact
from ib.models.context import Context, ContextKind
from ib.models.transcript import Message


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
    row = {"turn": item.turn, "not_seen_by_the_person": item.kind, "content": item.content}
    return compact(row if item.name is None else {**row, "name": item.name}).decode()
