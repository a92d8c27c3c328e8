"""Find the JSON objects in a judge's reply: strict on what they say, tolerant of how they are written.

Tolerated are prose and code fences around an object, a trailing comma, a raw newline inside a string, and
what else JSON5 allows. An object that is cut off is never completed, and a key that occurs twice is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

LONGEST = 200_000
"""The longest reply that is read, in characters. A verdict has a few hundred."""
LONGEST_JSON5 = 10_000
"""The most characters of a reply that are read as JSON5, which takes 20 to 200 ms per 1,000 characters."""
_OBJECT = re.compile(r"""\{\s*["'}]""")
_STRUCTURE = re.compile(r"""[{}]|"(?:[^"\\]|\\.)*"?""", re.DOTALL)


def objects(text: str) -> tuple[dict[str, Any], ...]:
    """The JSON objects at the top level of a text, in order. Empty if the last one is malformed, or if the
    text is longer than LONGEST.

    A judge may write other objects before or after its answer, as quotes or while it reasons. Of those
    before the last one, malformed ones are left out. An object inside another object, valid or malformed,
    is never taken by itself.
    """
    if len(text) > LONGEST:
        return ()
    found: list[dict[str, Any]] = []
    left = LONGEST_JSON5
    for written in reversed(_written(text)):
        value = _json(written)
        if value is None and len(written) <= left:
            left -= len(written)
            value = _json5(written)
        if value is not None:
            found.append(value)
        elif not found:
            return ()
    return tuple(reversed(found))


def _written(text: str) -> list[str]:
    """The texts of the objects at the top level; empty if the last one is never closed."""
    found = []
    at = _next_object(text, 0)
    while at is not None:
        end = _close(text, at)
        if end is None:
            return []
        found.append(text[at:end])
        at = _next_object(text, end)
    return found


def _json(text: str) -> dict[str, Any] | None:
    """The object of a text; None if it is not JSON."""
    try:
        return _object(json.loads(text, object_pairs_hook=_no_twice, strict=False))
    except (ValueError, RecursionError):
        return None


def _json5(text: str) -> dict[str, Any] | None:
    """The object of a text that is not JSON; None if it is not JSON5 either."""
    import json5  # imported here: few replies need it

    try:
        return _object(json5.loads(text, object_pairs_hook=_no_twice, strict=False))
    except (ValueError, RecursionError):
        return None


def _object(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _next_object(text: str, at: int) -> int | None:
    """The start of the next text that looks like a JSON object; a brace in prose does not."""
    match = _OBJECT.search(text, at)
    return None if match is None else match.start()


def _close(text: str, at: int) -> int | None:
    """The end of an object; None if it is never closed. Braces in strings are ignored."""
    depth = 0
    for match in _STRUCTURE.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return None


def _no_twice(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    listed = list(pairs)
    value = dict(listed)
    if len(value) != len(listed):
        raise ValueError("a key occurs twice")
    return value
