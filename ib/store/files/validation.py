"""Validating files against models. A DataError lists every field that does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError

from ib.errors import DataError, Finding
from ib.models.common.phrase import KNOWN_SAFE
from ib.store.files.places import LineIn, keys_beside, lines_in
from ib.store.files.reading import decode, read_bytes
from ib.store.files.wording import UNKNOWN, Place, page, shown, words
from ib.store.files.yaml_json import HALF, TOO_DEEP, parse_shallow_json, parse_yaml

Model = TypeVar("Model", bound=BaseModel)
MOST_ERRORS = 10_000
"""A validation with more errors is reported as one finding, because each error takes about 1 KB."""


def load_yaml(
    model: type[Model], path: Path, *, name: str | None = None, patterns_known: bool = False
) -> Model:
    """Load a YAML file as a model. With `patterns_known`, its patterns are not parsed."""
    label = name or str(path)
    return cast("Model", _loaded(model, decode(read_bytes(path, label), label), label, patterns_known))


@lru_cache(maxsize=256)
def _loaded(model: type[BaseModel], text: str, label: str, patterns_known: bool) -> BaseModel:
    """A text as a model. Cached, because `ib demo` loads every file of the benchmark four times."""
    value = parse_yaml(text, label)
    if not isinstance(value, dict):
        found = f"the top level is {shown(value)}"
        raise DataError.one(label, 1, "", found, "a mapping of keys")
    return build(model, value, name=label, text=text, context=KNOWN_SAFE if patterns_known else None)


def load_json(model: type[Model], path: Path) -> Model:
    """Load a JSON file as a model. Raises DataError with all findings."""
    name = str(path)
    return model_of_json(model, decode(read_bytes(path, name), name), name)


def model_of_json(model: type[Model], text: str, name: str) -> Model:
    """The text of a JSON document as a model. Raises DataError with all findings."""
    parse_shallow_json(text, name)
    try:
        return model.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise DataError(findings_of(error, model, name, line_in=lines_in(text))) from error


def model_of_line(model: type[Model], line: bytes, name: str, number: int) -> Model | list[Finding]:
    """One line of a JSONL file as a model, or all findings about it."""
    value = None
    try:
        value = parse_shallow_json(decoded_line(line, name, number), name, number)
        return model.model_validate_json(line, strict=True)
    except ValidationError as error:
        return findings_of(error, model, name, line=number, origin=partial(_in_file, value))
    except DataError as error:
        return list(error.findings)


def _in_file(value: Any, place: Place) -> Place:
    """A place without the union tags of pydantic, which are not keys of the file."""
    kept: list[str | int] = []
    for part in place:
        if isinstance(value, dict) and part not in value and str(part) in map(str, value.values()):
            continue
        kept.append(part)
        is_item = isinstance(value, list) and isinstance(part, int) and part < len(value)
        value = value[part] if is_item else value.get(part) if isinstance(value, dict) else None
    return tuple(kept)


def decoded_line(line: bytes, name: str, number: int) -> str:
    """Decode one line of a file. Raises DataError with the column of the first byte that is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not UTF-8"
        raise DataError.one(name, number, "", found, "save the file as UTF-8") from error


def build(
    model: type[Model],
    value: Any,
    *,
    name: str,
    text: str | None = None,
    context: Mapping[str, str] | None = None,
) -> Model:
    """`value` as a model. Raises DataError with every field that does not fit and its line in `text`."""
    try:
        # Strict validation of JSON accepts a list for a tuple and a string for an enum; of Python, not.
        return model.model_validate_json(_as_json(value, name), strict=True, context=context)
    except ValidationError as error:
        line_in = None if text is None else lines_in(text)
        raise DataError(findings_of(error, model, name, line_in=line_in)) from error


def _as_json(value: Any, name: str) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except orjson.JSONEncodeError as error:
        found = "has a value that is not allowed in JSON, such as a set or bytes"
        raise DataError.one(name, None, "", found, "text, numbers, lists and mappings") from error


def findings_of(
    error: ValidationError,
    model: type[BaseModel],
    name: str,
    line: int | None = None,
    *,
    origin: Callable[[Place], Place] = lambda place: place,
    line_in: LineIn | None = None,
) -> list[Finding]:
    """One finding for each validation error.

    `origin` maps a place in the validated value to its place in the file; `line_in` gives its line.
    """
    if error.error_count() > MOST_ERRORS:
        found = f"{error.error_count():,} values are not allowed"
        return [Finding.at(name, line, "", found, f"{page(model.__module__)} describes the format")]
    findings = []
    for item in error.errors(include_url=False):
        details: dict[str, Any] = dict(item.get("ctx", {}))
        if item["type"] == "json_invalid":
            findings.append(_unread(name, line, details["error"]))
            continue
        location = origin(tuple(part for part in item["loc"] if not _is_type_tag(part)))
        if item["type"] == UNKNOWN:
            details["keys"] = keys_beside(model, location)
        at = line if line_in is None else line_in(location)
        key = ".".join(str(part) for part in location)
        said = words(item["type"], item.get("input"), details, location, page(model.__module__))
        findings.append(Finding.at(name, at, key, *said))
    return findings


def _unread(name: str, line: int | None, said: str) -> Finding:
    """The finding for valid JSON that pydantic cannot read: too deep, or half of a character."""
    at = re.search(r" at line (\d+) ", said)
    flaw = TOO_DEEP if said.startswith("recursion limit") else HALF
    return Finding.at(name, line if line is not None or at is None else int(at[1]), "", *flaw)


def _is_type_tag(part: Any) -> bool:
    """True for the name of a union member, which pydantic puts into the path of an error."""
    return isinstance(part, str) and ("[" in part or part.endswith("()"))
