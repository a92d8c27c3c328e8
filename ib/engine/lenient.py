"""Find the JSON object in a judge's reply: strict on what it says, tolerant of how it is written.

Tolerated are prose and code fences around the object, a trailing comma, a raw newline inside a string, and
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
"""The longest object that is read as JSON5, which takes 20 to 200 ms per 1,000 characters."""
_OBJECT = re.compile(r"""\{\s*["'}]""")
_STRUCTURE = re.compile(r"""[{}]|"(?:[^"\\]|\\.)*"?""", re.DOTALL)


def last_object(text: str) -> dict[str, Any] | None:
    """The last JSON object at the top level of a text; None if the last one is malformed, or if the text is
    longer than LONGEST.

    A judge may write other objects before its answer, as quotes or while it reasons; the last one is
    its answer. An object inside another object, valid or malformed, is never taken as the answer.
    """
    if len(text) > LONGEST:
        return None
    last: str | None = None
    at = _next_object(text, 0)
    while at is not None:
        end = _close(text, at)
        if end is None:
            return None
        last, at = text[at:end], _next_object(text, end)
    return None if last is None else _decoded(last)


def _decoded(text: str) -> dict[str, Any] | None:
    """An object, read as JSON or else as JSON5; None if it is neither."""
    try:
        value = json.loads(text, object_pairs_hook=_no_twice, strict=False)
    except (ValueError, RecursionError):
        value = _json5(text)
    return value if isinstance(value, dict) else None


def _json5(text: str) -> object:
    """The value of a text that is not JSON; None if it is too long or not JSON5 either."""
    if len(text) > LONGEST_JSON5:
        return None
    import json5  # imported here: few replies need it

    try:
        return json5.loads(text, object_pairs_hook=_no_twice, strict=False)
    except (ValueError, RecursionError):
        return None


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
