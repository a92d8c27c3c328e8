"""What is shown on a terminal: the names and texts of files must not steer it."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""All control characters but tabs and the ends of lines, and those that turn the direction of writing."""


def plain(text: str) -> str:
    r"""A text with its control characters to be seen, as `\x1b`: none of them moves, colours or answers."""
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


def plain_json(text: str) -> str:
    r"""JSON of the same value, with those written as `\u001b` that JSON allows to stand as they are."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
