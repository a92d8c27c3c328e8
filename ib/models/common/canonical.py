"""Canonical bytes: equal values give equal bytes, on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Set
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel

_SORTED = orjson.OPT_SORT_KEYS
_PRETTY = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, Path):
        return value.as_posix()
    raise TypeError(f"no canonical form for {type(value).__name__}")


def pretty(value: Any) -> bytes:
    """A document: sorted keys, two-space indent, one newline at the end."""
    return orjson.dumps(value, default=_plain, option=_PRETTY)


def compact(value: Any) -> bytes:
    """One line of a JSONL file, without its newline."""
    return orjson.dumps(value, default=_plain, option=_SORTED)


def by_row(value: Any, rows: Set[str]) -> bytes:
    """A JSON document with one row per line and sorted keys, so that diffs are readable.

    Each key of the document starts a line. The values of the keys in `rows`, at any depth, are lists or
    mappings of rows; each element has its own line. An element that holds rows itself is written the same
    way. All other values are on the line of their key.
    """
    return "".join(_document(orjson.loads(compact(value)), rows)).encode() + b"\n"


def _document(value: Any, rows: Set[str], indent: str = "") -> Iterator[str]:
    """The lines of a mapping, one for each key."""
    inner = {key: _value(key, value[key], rows, indent + " ") for key in sorted(value)}
    yield from _lines("{}", (chain([f"{_text(key)}:"], text) for key, text in inner.items()), indent)


def _value(key: str, value: Any, rows: Set[str], indent: str) -> Iterable[str]:
    """The value of a key: lines of rows, or one line."""
    if key in rows and isinstance(value, dict):
        return _document(value, rows, indent)
    if key in rows and isinstance(value, list):
        return _lines("[]", (_row(element, rows, indent + " ") for element in value), indent)
    return [_text(value)]


def _row(value: Any, rows: Set[str], indent: str) -> Iterable[str]:
    """An element of a list of rows: one line, or several if it holds rows itself."""
    inner = value if isinstance(value, dict) else {}
    holds = any(_has_rows(inner[key]) for key in rows & inner.keys())
    return _document(value, rows, indent) if holds else [_text(value)]


def _has_rows(value: Any) -> bool:
    """True if a value is a list of mappings."""
    return isinstance(value, list) and any(isinstance(element, dict) for element in value)


def _lines(ends: str, elements: Iterable[Iterable[str]], indent: str) -> Iterator[str]:
    """Elements between two brackets, each on a new line."""
    separator = f"{ends[0]}\n{indent} "
    for element in elements:
        yield separator
        yield from element
        separator = f",\n{indent} "
    yield ends if separator[0] == ends[0] else f"\n{indent}{ends[1]}"


def _text(value: Any) -> str:
    return orjson.dumps(value, option=_SORTED).decode()


def digest(value: Any) -> str:
    """The SHA-256 of the canonical bytes of a value, in hexadecimal."""
    return hashlib.sha256(compact(value)).hexdigest()
