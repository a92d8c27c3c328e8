"""Remove keys from messages: an error message of a provider can repeat the key."""

from __future__ import annotations

import os

from ib.board.leaks import secrets_of

MARK = "[key]"
GIVECARE_KEY = "GIVECARE_BENCH_KEY"
"""The variable with the key of a site of givecare/v2."""


def scrub(text: str) -> str:
    """A text without the values of the environment's keys."""
    for secret in secrets_of(os.environ, keys_in_use()):
        text = text.replace(os.fsdecode(secret), MARK)
    return text


def keys_in_use() -> list[str]:
    """The keys that calls read from the environment, however short or plain they are."""
    names = ("API_KEY", GIVECARE_KEY)
    return [value for name, value in os.environ.items() if name.upper().endswith(names)]
