"""What must never be published: keys, and the paths of a machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

_SECRET = re.compile(
    rb"\bsk-[A-Za-z0-9_-]{16,}|\bA(?:KIA|SIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}|\bgh[pousr]_[A-Za-z0-9]{30,}"
    rb"|\bgithub_pat_[A-Za-z0-9_]{30,}|\bhf_[A-Za-z0-9]{30,}|\bgsk_[A-Za-z0-9]{30,}|\bxox[abp]-[A-Za-z0-9-]{20,}"
    rb"|\bglpat-[A-Za-z0-9_-]{20,}|\beyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\."
    rb"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_HOST_PATH = re.compile(
    r"(?:(?<![\w./-])|file://)/(?:home|root|Users|tmp|work|var|mnt|opt|srv|private|data|etc|nfs|media)"
    r"(?:/[\w.-]+)+|\b[A-Za-z]:\\Users\\|(?<!\\)\\\\[\w-]+\\\w"
)


def holds_a_key(data: bytes, secrets: Sequence[bytes]) -> bool:
    """Whether a file holds one of these secrets, or something of the form of a well-known key."""
    return _SECRET.search(data) is not None or any(_holds(data, secret) for secret in secrets)


def names_a_machine(data: bytes) -> bool:
    """Whether a file names the path of a machine anywhere but in a quote."""
    return any(_HOST_PATH.search(text) for text in _said_by_us(_document(data)))


def _holds(data: bytes, secret: bytes) -> bool:
    """Whether a file holds a secret, as it is or as JSON writes it."""
    written = orjson.dumps(secret.decode("utf-8", "replace"))[1:-1]
    return secret in data or written in data


def _document(data: bytes) -> Any:
    """The value of a JSON document, or the text of anything else."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return data.decode("utf-8", "replace")


def _said_by_us(value: Any) -> Iterable[str]:
    """The strings of a document, without the quotes: a model may name any path it likes."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key != "quote":
                yield from _said_by_us(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _said_by_us(inner)
