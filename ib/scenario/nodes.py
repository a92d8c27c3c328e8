"""Mappings that know where a file has their values, and the values that older forms stand for."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from ib.errors import Finding, Level, Path
from ib.scenario.aliases import KEYS, NOT_SAID, VALUES
from ib.scenario.surroundings import near


class Node(dict[str, Any]):
    """A mapping of a file. It remembers where the file has it, and each value that was moved."""

    def __init__(self, value: dict[str, Any], place: Path) -> None:
        super().__init__({key: with_places(item, (*place, key)) for key, item in value.items()})
        self.place = place
        self.moved: dict[str, Path] = {}

    def at(self, key: str) -> Path:
        """Where the file has the value of a key."""
        return self.moved.get(key, (*self.place, key))

    def put(self, key: str, value: object, place: Path) -> None:
        """Set a value that the file has at another place."""
        self[key] = value
        self.moved[key] = place


def with_places(value: object, place: Path) -> Any:
    """The same value with every mapping as a Node."""
    if isinstance(value, dict):
        return Node(value, place)
    if isinstance(value, list):
        return [with_places(item, (*place, at)) for at, item in enumerate(value)]
    return value


@dataclass(frozen=True)
class Known:
    """What scenarios may name."""

    checks: frozenset[str]
    tags: frozenset[str]
    categories: frozenset[str]
    """Empty if the benchmark names no categories; then any category will do."""
    canary: str


@dataclass
class Reading:
    """One file while it is upgraded: what is known of it, and what is wrong with it."""

    known: Known
    findings: list[Finding] = field(default_factory=list)
    messages: dict[int, str] = field(default_factory=dict)
    """What is said in each turn, by its number."""

    def notice(self, place: Path, found: str, read: str = "not read") -> None:
        """Note something that is accepted, and how it is read."""
        self.findings.append(Finding.at("", None, place, found, read, Level.NOTICE))

    def error(self, place: Path, found: str, hint: str) -> None:
        """Note something that cannot be accepted."""
        self.findings.append(Finding.at("", None, place, found, hint))

    def give(self, node: Node, key: str, value: object, place: Path) -> None:
        """Set a value that the file has at a place; an error if the key has another value already."""
        other = node.get(key)
        if other is None:
            node.put(key, value, place)
        elif same(other, value):
            self.notice(place, f"the same as `{node.at(key)[-1]}`")
        else:
            names = [name if isinstance(name, str) else key for name in (place[-1], node.at(key)[-1])]
            found = f"{names[0]} {short(value)}, but {names[1]} {short(other)}"
            self.error(place, found, "the same value in both")

    def rename(self, node: Node, record: str) -> None:
        """Give the keys of a record their names of today, and remove keys without a value."""
        for older, key in KEYS.get(record, {}).items():
            if node.get(older) is not None:
                self.give(node, key, node.pop(older), node.at(older))
        for key in [key for key in node if node[key] is None]:
            del node[key]


def nodes(node: Node, key: str) -> list[Node]:
    """The mappings of a list; none if there is no list."""
    items = node.get(key)
    return [item for item in items if isinstance(item, Node)] if isinstance(items, list) else []


def leave_out(node: Node, key: str, left_out: Node) -> None:
    """Remove a mapping from a list."""
    if isinstance(node.get(key), list):
        node[key] = [item for item in node[key] if item is not left_out]


def join(node: Node, key: str, older: Node, older_key: str) -> None:
    """Append an older list to a list; a value that is not a list takes its place, to be refused."""
    if older_key in older:
        items, place = older.pop(older_key), older.at(older_key)
        if key not in node or not isinstance(items, list):
            node.put(key, items, place)
        elif isinstance(node[key], list):
            node[key] = [*node[key], *items]


def check_ids(reading: Reading, node: Node) -> None:
    """Older lists of checks have no effect, but they may name only known checks."""
    for key in ("eligible_modes", "eligible_checks", "checks"):
        given = node.get(key)
        for at, name in enumerate([] if given is None else given if isinstance(given, list) else [given]):
            if not isinstance(name, str) or name not in reading.known.checks:
                hint = near(str(name), reading.known.checks, "an id that `ib show check` knows")
                reading.error((*node.at(key), at), f"unknown check {short(name)}", hint)


def same(one: object, other: object) -> bool:
    """True if two values are equal; the order of a list does not count."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return whole(one) == whole(other)


def whole(value: object) -> object:
    """A whole number that is written as text or with a point as a number; anything else as it is."""
    if isinstance(value, str) and re.fullmatch(r" *\d{1,6} *", value, re.ASCII):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def slug(value: object) -> Any:
    """A text as lower-case words joined by underscores or hyphens; anything else as it is."""
    if not isinstance(value, str):
        return value
    made = re.sub(r"[_-]{2,}", "_", re.sub(r"[^a-z0-9_-]+", "_", value.casefold()))
    return made[:80].strip("_-") or value


def member(enum: str, members: Collection[str], value: object) -> Any:
    """The value of an enum that an older value stands for; anything else as it is."""
    word = value.casefold() if isinstance(value, str) else ""
    made = VALUES.get(enum, {}).get(word, word)
    return made if made in members and value not in members else value


def as_text(value: object) -> Any:
    """A JSON value in words: items are joined, true and false are yes and no. Null stays null."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(str(as_text(item)) for item in value) or NOT_SAID
    if isinstance(value, dict):
        return "; ".join(f"{key}: {as_text(item)}" for key, item in value.items()) or NOT_SAID
    return value if value is None else str(value)


def short(value: object) -> str:
    """A value as a message shows it, cut after 60 characters."""
    shown = repr(list(value) if isinstance(value, tuple) else value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
