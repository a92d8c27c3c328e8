"""Reading a mapping in a form that is not quite ours: what was found, and how it was read.

Nothing here opens a file: places are keys and indexes, and whoever has the text knows their lines.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Location = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing at one place of a file: what was found, and how it was read or what would cure it."""

    location: Location
    found: str
    read: str


@dataclass(frozen=True)
class Known:
    """What a scenario may name."""

    checks: frozenset[str]
    tags: frozenset[str]
    categories: frozenset[str]
    """Empty where the benchmark names none: any will do."""
    canary: str


@dataclass
class Notes:
    """What is noted in the course of one reading, and what may be named in it."""

    known: Known
    notices: list[Remark] = field(default_factory=list)
    findings: list[Remark] = field(default_factory=list)
    assumed: set[Location] = field(default_factory=set)
    """Places of the outcome whose value the file does not give: no fault of it can lie there."""
    origins: dict[Location, Location] = field(default_factory=dict)
    """Where a place of the outcome stood in the file, where that is not the same place."""

    def notice(self, location: Location, found: str, read: str) -> None:
        """Something that was read all the same."""
        self.notices.append(Remark(location, found, read))

    def finding(self, location: Location, found: str, cure: str) -> None:
        """Something that cannot be accepted."""
        self.findings.append(Remark(location, found, cure))

    def assume(self, location: Location, value: object, found: str = "is missing") -> None:
        """A value that the file does not give."""
        self.assumed.add(location)
        self.notice(self.origin(location), found, f"read as {value!r}")

    def is_assumed(self, location: Location) -> bool:
        """Whether a place, or a part that it lies in, was not given by the file."""
        return any(location[:end] in self.assumed for end in range(1, len(location) + 1))

    def origin(self, location: Location) -> Location:
        """Where a place of the outcome stood in the file."""
        for end in range(len(location), 0, -1):
            if location[:end] in self.origins:
                return (*self.origins[location[:end]], *location[end:])
        return location

    def part(self, value: object, old: Location, new: Location) -> Part | None:
        """A mapping at a place, to be read key by key; a finding and None where it is none."""
        if old != new:
            self.origins[new] = old
        if isinstance(value, dict):
            return Part(self, value, old, new)
        self.finding(old, f"is {kind_of(value)}", "a mapping of keys")
        return None

    def parts(self, value: object, old: Location) -> list[tuple[int, object]]:
        """The members of a list at a place; a finding and none where it is no list."""
        if value is None:
            return []
        if isinstance(value, list):
            return list(enumerate(value))
        self.finding(old, f"is {kind_of(value)}", "a list")
        return []

    def check_ids(self, value: object, place: Location) -> list[str]:
        """The ids of a list that are ids of checks; every other is a finding."""
        made = []
        for at, check_id in self.parts(value, place):
            if isinstance(check_id, str) and check_id in self.known.checks:
                made.append(check_id)
            else:
                allowed = near(str(check_id), self.known.checks, "an id that `ib show check` knows")
                self.finding((*place, at), f"unknown check {short(check_id)}", allowed)
        return made

    def whole(self, value: object, place: Location) -> object:
        """A whole number, where it is written as text or with a point; anything else as it is."""
        made: int | None = None
        if (isinstance(value, float) and value.is_integer()) or (
            isinstance(value, str) and re.fullmatch(r"[ ]*\d{1,6}[ ]*", value, re.ASCII)
        ):
            made = int(value)
        if made is None:
            return value
        self.notice(place, f"{value!r} is no whole number", f"read as {made}")
        return made

    def word(self, value: object, place: Location) -> object:
        """An id in lower case, joined by hyphens or underscores; what has no letter stays as it is."""
        if not isinstance(value, str):
            return value
        made = slug(value)
        if made and made != value:
            self.notice(place, f"{short(value)} is no lower-case word", f"read as `{made}`")
            return made
        return value


class Part:
    """One mapping of a file, read key by key. `close` notes what nobody has asked for."""

    def __init__(self, notes: Notes, value: Mapping[str, Any], old: Location, new: Location) -> None:
        self.notes, self.value, self.old, self.new = notes, value, old, new
        self.seen: set[str] = set()

    def get(self, name: str, *older: str, quiet: bool = False) -> Any:
        """The value of a key or of one of its older spellings; None where none of them is there.

        An older spelling is a notice, and two that differ are a finding. `quiet`: the caller notes
        by itself how the older spelling was read.
        """
        self.seen.update((name, *older))
        given = [(key, self.value[key]) for key in (name, *older) if self.value.get(key) is not None]
        if not given:
            return None
        first, value = given[0]
        if first != name:
            self.notes.origins[(*self.new, name)] = (*self.old, first)
        for key, other in given[1:]:
            if other != value:
                found = f"{key} {short(other)}, but {first} {short(value)}"
                self.notes.finding((*self.old, key), found, "one value for one thing")
        for key, _ in given:
            if key != name and not quiet:
                self.notes.notice((*self.old, key), f"older spelling of `{name}`", f"read as `{name}`")
        return value

    def needed(self, name: str, *older: str, otherwise: object) -> Any:
        """The same; where it is not there, the value that is assumed instead, with a notice."""
        value = self.get(name, *older)
        if value is None:
            self.notes.assume((*self.new, name), otherwise)
            return otherwise
        return value

    def texts(self, name: str, *older: str, otherwise: str | None = None) -> Any:
        """A list of texts; a single text is a list of one, and none at all is the text assumed."""
        value = self.get(name, *older)
        if isinstance(value, str):
            self.notes.notice(self.notes.origin((*self.new, name)), "one text", "read as a list of one")
            return [value]
        if value in (None, []) and otherwise is not None:
            found = "is missing" if value is None else "is empty"
            self.notes.assume((*self.new, name), otherwise, found)
            return [otherwise]
        return value

    def number(self, name: str, *older: str) -> Any:
        """A whole number, however it is written."""
        value = self.get(name, *older)
        return self.notes.whole(value, self.notes.origin((*self.new, name)))

    def at(self, name: str) -> Location:
        """Where a key of the outcome stood in the file."""
        return self.notes.origin((*self.new, name))

    def close(self, reasons: Mapping[str, str] | None = None) -> None:
        """Note every key that was not asked for, with the reason where there is one."""
        for key in self.value:
            if key not in self.seen:
                why = (reasons or {}).get(key)
                found = "unknown key" if why is None else why
                near = [] if why is not None else difflib.get_close_matches(key, sorted(self.seen), n=2)
                hint = f"; perhaps {' or '.join(near)} is meant" if near else ""
                self.notes.notice((*self.old, key), found, f"not read{hint}")


def kept(**values: object) -> dict[str, Any]:
    """The keys that have a value."""
    return {key: value for key, value in values.items() if value is not None}


def slug(text: str) -> str:
    """A text as a lower-case word or words joined by underscores or hyphens; empty where nothing is left."""
    made = re.sub(r"[^a-z0-9_-]+", "_", text.casefold())
    made = re.sub(r"[_-]{2,}", "_", made)
    return made[:80].strip("_-")


def kind_of(value: object) -> str:
    """What a value of JSON is called."""
    names = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return names.get(type(value), "a mapping" if isinstance(value, dict) else "null")


def short(value: object) -> str:
    """A value as a remark shows it."""
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def near(word: str, known: Collection[str], otherwise: str) -> str:
    """The words that a misspelt one may stand for."""
    close = difflib.get_close_matches(word, sorted(known), n=3)
    return f"perhaps {' or '.join(close)}" if close else otherwise


def as_text(value: object) -> str:
    """A value of JSON as words: lists joined, true and false as yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(map(as_text, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {as_text(item)}" for key, item in value.items())
    return str(value)


def listed(names: Iterable[str]) -> str:
    """Names in a row, as a cure gives them."""
    return ", ".join(sorted(names))
