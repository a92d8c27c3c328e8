"""Canonical bytes: the same value gives the same bytes, whatever wrote it."""

from __future__ import annotations

import hashlib
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


def digest(value: Any) -> str:
    """The SHA-256 of the canonical bytes of a value, in hexadecimal."""
    return hashlib.sha256(compact(value)).hexdigest()
