"""Upgrading a scenario from an older form to the current form.

The upgrade follows the JSON Schema of the `Scenario` model: keys get their names of today, values the
types of today, and missing values are assumed. Nothing is validated here. The model does that. A notice
for everything that is read in another way than it is written comes from comparing the two forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

from ib.errors import Finding, Path
from ib.models.common.base import Slug
from ib.models.conversation.scenario import Scenario
from ib.scenario.aliases import ASSUMED, IGNORED, KEYS
from ib.scenario.moves import MOVES
from ib.scenario.nodes import Known, Node, Reading, as_text, member, short, slug, whole, with_places
from ib.scenario.surroundings import near

SLUG: str = get_args(Slug)[1].pattern
SIGNS = {"scenario_id", "turns", "sessions"}
"""A file without any of these keys is not a scenario."""
MISSING = object()
Change = tuple[Path, str, str]
"""A place of the file, what was found there, and how it is read."""


@dataclass(frozen=True)
class Upgraded:
    """A scenario in today's form, or None, and what was noted on the way."""

    given: object
    """The value of the file."""
    value: Node | None
    findings: tuple[Finding, ...] = ()
    """Notices and errors; their paths are those of the file."""

    def origin(self, path: Path) -> Path:
        """Where the file has what is at a path of the value."""
        return list(self._places(path))[-1]

    def is_assumed(self, path: Path) -> bool:
        """True if the file does not give the value at a path, or a value around it."""
        return any(
            _lookup(self.given, place) in (MISSING, None, [], {})
            for end, place in enumerate(self._places(path), start=1)
            if _lookup(self.value, path[:end]) is not MISSING
        )

    def _places(self, path: Path) -> Iterator[Path]:
        """Where the file has each value on the way to a path."""
        value: Any = self.value
        place: Path = ()
        for part in path:
            place = value.at(part) if isinstance(value, Node) and isinstance(part, str) else (*place, part)
            value = _lookup(value, (part,))
            place = value.place if isinstance(value, Node) and isinstance(part, int) else place
            yield place
        if not path:
            yield ()


def upgrade(given: object, known: Known) -> Upgraded:
    """Upgrade a parsed scenario file of any form; a file of today's form is left as it is. Never raises."""
    reading, node = Reading(known), with_places(given, ())
    if not isinstance(node, Node) or not SIGNS & node.keys():
        reading.error((), "not a scenario: no `scenario_id` and no `turns`", "the file of a scenario")
        return Upgraded(given, None, tuple(reading.findings))
    _read(reading, node, "Scenario")
    noted = {finding.place.path for finding in reading.findings}
    places: dict[Path, bool] = {}
    for place, whole_value in _read_places(given, node, ()):
        places[place] = whole_value or places.get(place, False)
    for place, found, read in (*_changes(given, node, (), (), ()), *_unread(given, (), places, noted)):
        reading.notice(place, found, read)
    return Upgraded(given, node, tuple(reading.findings))


@lru_cache
def _records() -> dict[str, dict[str, Any]]:
    """The JSON Schema of every record and enum that a scenario is made of, by name."""
    schema = Scenario.model_json_schema()
    return {**schema["$defs"], "Scenario": schema}


def _read(reading: Reading, node: Node, record: str) -> None:
    """Upgrade one record in place."""
    fields: Mapping[str, Any] = _records()[record]["properties"]
    reading.rename(node, record)
    for move in MOVES.get(record, ()):
        move(reading, node)
    for key, value in ASSUMED.get(record, {}).items():
        if node.get(key) in (None, [], ()):
            node[key] = with_places(value, node.at(key))
    for key in [key for key in node if key not in fields]:
        del node[key]
    for key, value in node.items():
        node[key] = _value(reading, value, fields[key])


def _value(reading: Reading, value: Any, schema: Mapping[str, Any]) -> Any:
    """Upgrade one value to what its schema asks for; a value that does not fit is left for the model."""
    name, schema = _resolved(schema)
    if isinstance(value, Node):
        return _mapping(reading, value, name, schema)
    if schema.get("type") == "array":
        return _items(reading, value, schema["items"])
    if "enum" in schema:
        return member(name, schema["enum"], value)
    if schema.get("type") == "integer":
        return whole(value)
    return slug(value) if schema.get("pattern") == SLUG else value


def _mapping(reading: Reading, value: Node, name: str, schema: Mapping[str, Any]) -> Node:
    """A record, or names with texts; two names that are the same word must have the same text."""
    if "properties" in schema:
        _read(reading, value, name)
    elif SLUG in schema.get("patternProperties", ()):
        given = [(key, item, value.at(key)) for key, item in value.items()]
        value.clear()
        for key, item, place in given:
            reading.give(value, slug(key), as_text(item), place)
    return value


def _items(reading: Reading, value: Any, schema: Mapping[str, Any]) -> Any:
    """A list with every item upgraded; one text stands for a list of one."""
    if isinstance(value, str) and _resolved(schema)[1].get("type") == "string":
        value = [value]
    return [_value(reading, item, schema) for item in value] if isinstance(value, list) else value


def _resolved(schema: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The name and the schema of a record or an enum; other schemas have no name."""
    option = next(option for option in schema.get("anyOf", (schema,)) if option.get("type") != "null")
    name = option.get("$ref", "").rpartition("/")[2]
    return name, _records()[name] if name else option


def _lookup(value: Any, path: Path) -> Any:
    """What is at a path of a value, or MISSING."""
    for part in path:
        if isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            value = value.get(part, MISSING) if isinstance(value, dict) else MISSING
    return value


def _children(value: Any, place: Path) -> Iterator[tuple[str | int, Any, Path]]:
    """The key, the value and the place of every member of an upgraded mapping or list."""
    if isinstance(value, Node):
        yield from ((key, item, value.at(key)) for key, item in value.items())
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield at, item, item.place if isinstance(item, Node) else (*place, at)


def _changes(given: object, value: Any, path: Path, place: Path, usual: Path) -> Iterator[Change]:
    """Every value that is read under another name, or as another value, than the file has."""
    raw = _lookup(given, place)
    same = _alike(raw, value)
    if raw in (MISSING, [], {}) and not same and not (isinstance(value, Node) and value.moved):
        yield place, "is missing" if raw is MISSING else "is empty", f"read as {short(value)}"
    elif raw is not MISSING and place != usual:
        name = "`" + ".".join(map(str, path)) + "`"
        yield place, "an older form", f"read as {name}" + ("" if same else f" {short(value)}")
    elif raw is not MISSING and not same:
        yield place, f"is {short(raw)}", f"read as {short(value)}"
    if same or (raw is MISSING and isinstance(value, Node) and value.moved):
        for key, item, own in _children(value, place):
            usual = (*(value.place if isinstance(value, Node) else place), key)
            if own[:-1] == place and isinstance(key, int):
                usual = own  # an item before it was left out
            yield from _changes(given, item, (*path, key), own, usual)


def _alike(raw: object, value: object) -> bool:
    """True if two values are equal, or both mappings, or both lists with anything in them."""
    if isinstance(raw, dict | list) and isinstance(value, type(raw)):
        return bool(raw) or not value
    return type(raw) is type(value) and raw == value


def _read_places(given: object, value: Any, place: Path) -> Iterator[tuple[Path, bool]]:
    """Every place of the file that is read, and whether its members are read with it."""
    yield from ((place[:end], False) for end in range(len(place)))
    yield place, not isinstance(value, dict | list) or not _alike(_lookup(given, place), value)
    for _, item, own in _children(value, place):
        yield from _read_places(given, item, own)


def _unread(raw: Any, place: Path, places: Mapping[Path, bool], noted: set[Path]) -> Iterator[Change]:
    """Everything in the file that is not read, except where something was noted already."""
    if raw is None or place in noted or places.get(place):
        return
    if place not in places:
        key = str(place[-1])
        yield place, "is not read", IGNORED.get(key) or _close_keys(key) or "no such key"
        return
    members = raw.items() if isinstance(raw, dict) else enumerate(raw if isinstance(raw, list) else ())
    for own, item in members:
        yield from _unread(item, (*place, own), places, noted)


@lru_cache(maxsize=1000)
def _close_keys(key: str) -> str:
    """The keys of today and the older keys that a misspelled key may stand for."""
    records = (*_records().values(), *({"properties": older} for older in KEYS.values()))
    every = {name for record in records for name in record.get("properties", ())}
    return near(key, every - {key}, "")
