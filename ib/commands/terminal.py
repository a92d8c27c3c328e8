"""Text for a terminal: control characters in file names and data must not reach the terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""Control characters except tabs and line ends, and characters that change the writing direction."""


def plain(text: str) -> str:
    r"""The text with control characters escaped (`\x1b`), so that they have no effect on a terminal."""
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


def plain_json(text: str) -> str:
    r"""JSON of the same value, with control characters that JSON allows unescaped written as `\u001b`."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
