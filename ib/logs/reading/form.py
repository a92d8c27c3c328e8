"""What a form of log is: how its records are recognized, and how they become conversations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ib.errors import Finding
from ib.errors import Path as Keys
from ib.logs.reading.message import Entry, moment
from ib.logs.reading.notes import Notes, has_half

Locate = Callable[[Keys], tuple[int | None, Keys]]
"""The line and the keys in the file of a place in a record."""


@dataclass(frozen=True)
class Record:
    """One parsed value of a file: a line, a row, or an item of a document."""

    value: Any
    locate: Locate
    line: int | None = None
    """Its line, if the file has one record a line."""


@dataclass
class Talk:
    """One conversation of a log, read, and what the log says about it."""

    notes: Notes
    """Errors and changes. With an error, the conversation cannot be imported."""
    locate: Locate
    entries: Sequence[Entry] = ()
    records: Sequence[Mapping[str, Any]] = ()
    """Where metadata is looked up: the values that the conversation was read from."""
    line: int | None = None
    id: str | None = None
    """The id that the log gives the conversation."""
    model: str | None = None
    served: str | None = None
    """The model that the provider said had answered."""
    date: str | None = None
    sampling: Mapping[str, Any] | None = None
    task: str | None = None
    """For a form with its own names of conversations: the name, as `scenario_id`."""
    epoch: int | None = None
    whole: Mapping[str, Any] | None = None
    """The transcript of this project that the log was made from, if the log carries it."""
    left_out: bool = False
    """True if this is no conversation to judge; the notes count why."""


@dataclass(frozen=True)
class Asked:
    """What the caller of an import asked for, as far as a form needs it."""

    file: str
    """The name of the file, for messages."""
    group_by: str | None = None
    """The key that tells conversations apart; `-` if each file is one."""


One = Callable[[Record], Talk]
Many = Callable[[Sequence[Record], Asked], Iterator[Talk | Finding]]


@dataclass(frozen=True)
class Form:
    """One form of log. Either `one` or `many` reads it."""

    name: str
    """As `--form` and `provenance.source.form` have it."""
    title: str
    """As messages name it."""
    shape: str
    """A record in a few words, for the documentation."""
    keys: tuple[str, ...]
    """The keys that are read, beside those of every message."""
    recognizes: Callable[[Any], bool]
    """True if a record has this form."""
    one: One | None = None
    """Reads one record as one conversation, so that a file is never in memory as a whole."""
    many: Many | None = None
    """Reads all records of a file as conversations."""
    harness: str = "import/chat"
    """As `provenance.harness` has it."""


def listed(value: Any, *names: str) -> bool:
    """True if a record is a mapping in which one of these keys has a list."""
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in names)


def unwrapped(value: Any) -> Any:
    """A value, or what it says if it is a text of JSON, as tables and spans hold lists and mappings."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            inner = json.loads(value)
            return value if has_half(inner) else inner
        except (ValueError, RecursionError):
            return value
    return value


def values_in(value: Any, key: str) -> Iterator[Any]:
    """The values at a key of a record. A key may have dots itself; texts of JSON are looked into."""
    inner = unwrapped(value)
    if not isinstance(inner, Mapping):
        return
    if key in inner:
        yield inner[key]
        return
    at = key.find(".")
    while at > 0:
        if key[:at] in inner:
            yield from values_in(inner[key[:at]], key[at + 1 :])
            return
        at = key.find(".", at + 1)


def text_of(value: Any) -> str | None:
    """A text or a number as a text that is not blank; None for any other value."""
    usable = isinstance(value, str | int) and not isinstance(value, bool)
    return str(value).strip() or None if usable else None


def first_of(record: Mapping[str, Any], *names: str) -> Any:
    """The first value of these keys that is there and not empty."""
    return next((record[name] for name in names if record.get(name)), None)


def date_of(value: Any) -> str | None:
    """A date of a log: in ISO form if it is one, else as the log writes it."""
    time = moment(value)
    if isinstance(time, datetime):
        return time.isoformat()
    return value if isinstance(value, str) else None


def one_of_many(locates: Sequence[Locate]) -> Locate:
    """The places of keys that begin with the number of a record; other keys are of the first one."""

    def locate(keys: Keys) -> tuple[int | None, Keys]:
        numbered = bool(keys) and isinstance(keys[0], int) and keys[0] < len(locates)
        return locates[int(keys[0])](keys[1:]) if numbered else locates[0](keys)

    return locate
