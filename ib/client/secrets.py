"""Remove keys from messages: an error message of a provider can repeat the key."""

from __future__ import annotations

import os

from ib.board.leaks import secrets_of

MARK = "[key]"


def scrub(text: str) -> str:
    """A text without the values of the environment's keys."""
    for secret in secrets_of(os.environ):
        text = text.replace(os.fsdecode(secret), MARK)
    return text
