"""A file with one message a row: the key that tells its conversations apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ib.logs.reading.message import READ, ROLES, SPOKEN

KEYS = (
    "conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "threadId", "chat_id",
    "chatId", "dialog_id", "dialogue_id",
)  # fmt: skip
"""The keys by which rows are grouped unasked."""
ONE = "-"
"""The name that stands for no key: all rows of a file are one conversation."""
_COUNTED = ("turn", "round", "index", "step", "order", "position", "number", "exchange")
"""What names of keys contain that count the messages of one conversation."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Group:
    """The rows of one conversation, by their places among all rows of the file."""

    id: str | None
    """The value of the key; None if there is no key."""
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Unclear:
    """Why rows cannot be told apart: the place of a row, what was found, and what to do."""

    row: int
    found: str
    hint: str


def groups_of(rows: Sequence[Row], by: str | None) -> tuple[str | None, list[Group]] | Unclear:
    """The conversations of rows, in the order of their first rows, and the key that tells them apart.

    `by` names the key, or is ONE. Without it, a known key with several values decides. If there is none, and
    another key could tell conversations apart, nothing is guessed: then the rows are unclear.
    """
    if by == ONE:
        return None, [Group(None, tuple(range(len(rows))))]
    if by is not None:
        return _grouped(rows, by)
    known = {key: tuple(_parts(rows, key).values()) for key in KEYS if len(_parts(rows, key)) > 1}
    if len(set(known.values())) > 1:
        first, second = list(known)[:2]
        return Unclear(0, f"`{first}` and `{second}` tell the rows apart in two ways", f"--group-by {first}")
    if known:
        return _grouped(rows, next(iter(known)))
    unknown = next(_that_could(rows), None)
    if unknown is not None:
        found = f"`{unknown}` has {len(_parts(rows, unknown))} values, each with words of both speakers"
        hint = f"--group-by {unknown} if each is a conversation, --group-by {ONE} if all rows are one"
        return Unclear(0, found, hint)
    key = next((key for key in KEYS if _parts(rows, key)), None)
    named = None if key is None else next(iter(_parts(rows, key)))
    return None, [Group(named, tuple(range(len(rows))))]


def _grouped(rows: Sequence[Row], key: str) -> tuple[str, list[Group]] | Unclear:
    """The rows by one key, which each has to have."""
    for number, row in enumerate(rows):
        if _value(row, key) is None:
            has = ", ".join(f"`{name[:40]}`" for name in list(row)[:8])
            hint = f"a text or a number in every row; this row has {has}"
            return Unclear(number, f"no `{key}`, by which the rows are grouped", hint)
    return key, [Group(value, places) for value, places in _parts(rows, key).items()]


def _that_could(rows: Sequence[Row]) -> Iterator[str]:
    """The keys that nothing reads and of which every value has rows of the person and of the assistant."""
    for key in dict.fromkeys(key for row in rows for key in row):
        if key in READ or any(word in key.casefold() for word in _COUNTED):
            continue
        parts = _parts(rows, key)
        if len(parts) > 1 and all(_both_speak(rows, places) for places in parts.values()):
            yield key


def _both_speak(rows: Sequence[Row], places: Sequence[int]) -> bool:
    said = {ROLES.get(str(rows[place].get("role")).casefold()) for place in places}
    return said >= set(SPOKEN)


def _parts(rows: Sequence[Row], key: str) -> dict[str, tuple[int, ...]]:
    """The places of the rows with each value of a key, in the order of the first rows."""
    found: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        value = _value(row, key)
        if value is not None:
            found.setdefault(value, []).append(number)
    return {value: tuple(places) for value, places in found.items()}


def _value(row: Row, key: str) -> str | None:
    value = row.get(key)
    usable = isinstance(value, str | int) and not isinstance(value, bool)
    return str(value) if usable and str(value).strip() else None
