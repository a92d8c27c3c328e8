"""Text for a terminal or a pipe, without control characters and without keys.

File names and data can hold both, for example a key as the name of a model.
"""

from __future__ import annotations

import json
import os
import re

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""Control characters except tabs and line ends, and characters that change the writing direction."""


_JSON_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


def plain(text: str) -> str:
    r"""The text without keys, with control characters escaped (`\x1b`), so that they do nothing."""
    text = _without_keys(text)
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


def plain_json(text: str) -> str:
    r"""JSON of the same value without keys. Control characters that JSON allows are written as `\u001b`."""
    text = _JSON_TEXT.sub(lambda match: _json_without_keys(match[0]), text)
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _without_keys(text: str) -> str:
    # Imported only when there is something to say, so that `ib --help` answers at once.
    from ib.board.evidence.leaks import secrets_of
    from ib.store.files.leaks import without_keys

    return without_keys(text, secrets_of(os.environ))


def _json_without_keys(written: str) -> str:
    """One text of JSON, written in the same way if there is no key in it."""
    said = json.loads(written)
    shown = _without_keys(said)
    return written if shown == said else json.dumps(shown, ensure_ascii=False)
