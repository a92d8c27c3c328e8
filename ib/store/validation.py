"""Making a model of what a file holds: the model, or a DataError with every field that does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError

from ib.errors import DataError, Finding
from ib.models.lexicon import KNOWN_SAFE
from ib.store.places import LineIn, lines_in
from ib.store.reading import decode, read_bytes
from ib.store.wording import Place, page, shown, words
from ib.store.yaml_json import HALF, TOO_DEEP, parse_shallow_json, parse_yaml

Model = TypeVar("Model", bound=BaseModel)
MOST_ERRORS = 10_000
"""So many errors of one validation are told one by one; each takes a thousand bytes until it is told."""


def load_yaml(
    model: type[Model], path: Path, *, name: str | None = None, patterns_known: bool = False
) -> Model:
    """A YAML file as a model; with `patterns_known` its patterns are not parsed."""
    label = name or str(path)
    return cast("Model", _loaded(model, decode(read_bytes(path, label), label), label, patterns_known))


@lru_cache(maxsize=256)
def _loaded(model: type[BaseModel], text: str, label: str, patterns_known: bool) -> BaseModel:
    """A text as a model; `ib demo` reads every file of the benchmark four times."""
    value = parse_yaml(text, label)
    if not isinstance(value, dict):
        found = f"top level is {shown(value)}"
        raise DataError.one(label, 1, "", found, "a mapping of keys")
    return build(model, value, name=label, text=text, context=KNOWN_SAFE if patterns_known else None)


def load_json(model: type[Model], path: Path) -> Model:
    """A JSON document as a model."""
    name = str(path)
    return model_of_json(model, decode(read_bytes(path, name), name), name)


def model_of_json(model: type[Model], text: str, name: str) -> Model:
    """The text of a JSON document as a model."""
    parse_shallow_json(text, name)
    try:
        return model.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise DataError(findings_of(error, model, name, line_in=lines_in(text))) from error


def model_of_line(model: type[Model], line: bytes, name: str, number: int) -> Model | list[Finding]:
    """One line of a JSONL file as a model, or everything that is wrong with it."""
    value = None
    try:
        value = parse_shallow_json(decoded_line(line, name, number), name, number)
        return model.model_validate_json(line, strict=True)
    except ValidationError as error:
        return findings_of(error, model, name, line=number, origin=partial(_in_file, value))
    except DataError as error:
        return list(error.findings)


def _in_file(value: Any, place: Place) -> Place:
    """A place without the tags of unions, which are in no file: a tag is the value of another key."""
    kept: list[str | int] = []
    for part in place:
        if isinstance(value, dict) and part not in value and str(part) in map(str, value.values()):
            continue
        kept.append(part)
        is_item = isinstance(value, list) and isinstance(part, int) and part < len(value)
        value = value[part] if is_item else value.get(part) if isinstance(value, dict) else None
    return tuple(kept)


def decoded_line(line: bytes, name: str, number: int) -> str:
    """The text of one line of a file; DataError with the column of the first byte that is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not UTF-8"
        raise DataError.one(name, number, "", found, "text must be UTF-8") from error


def build(
    model: type[Model],
    value: Any,
    *,
    name: str,
    text: str | None = None,
    context: Mapping[str, str] | None = None,
) -> Model:
    """`value` as a model; DataError lists every field that does not fit, with its line in `text`."""
    try:
        # By way of JSON, where strictness still lets a list be a tuple and a word an enum member.
        return model.model_validate_json(_as_json(value, name), strict=True, context=context)
    except ValidationError as error:
        line_in = None if text is None else lines_in(text)
        raise DataError(findings_of(error, model, name, line_in=line_in)) from error


def _as_json(value: Any, name: str) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except orjson.JSONEncodeError as error:
        found = "holds a value that JSON cannot hold, such as a set or bytes"
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
    """One finding for each error of a validation.

    `origin` says where a place of what was validated stood in the file, `line_in` on which line.
    """
    if error.error_count() > MOST_ERRORS:
        found = f"{error.error_count():,} values that do not fit"
        return [Finding.at(name, line, "", found, f"what {page(model.__module__)} describes")]
    findings = []
    for item in error.errors(include_url=False):
        details: dict[str, Any] = dict(item.get("ctx", {}))
        if item["type"] == "json_invalid":
            findings.append(_unread(name, line, details["error"]))
            continue
        location = origin(tuple(part for part in item["loc"] if not _is_type_tag(part)))
        at = line if line_in is None else line_in(location)
        key = ".".join(str(part) for part in location)
        said = words(item["type"], item.get("input"), details, location, page(model.__module__))
        findings.append(Finding.at(name, at, key, *said))
    return findings


def _unread(name: str, line: int | None, said: str) -> Finding:
    """What the reader of a model refuses in JSON that is otherwise sound: depth, and half characters."""
    at = re.search(r" at line (\d+) ", said)
    flaw = TOO_DEEP if said.startswith("recursion limit") else HALF
    return Finding.at(name, line if line is not None or at is None else int(at[1]), "", *flaw)


def _is_type_tag(part: Any) -> bool:
    """pydantic puts the name of a union's member into the path; readers do not know it."""
    return isinstance(part, str) and ("[" in part or part.endswith("()"))
