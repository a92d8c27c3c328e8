"""Remove keys from messages: an error message of a provider can repeat the key."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ib.board.leaks import SHORTEST, secrets_of

MARK = "[key]"
GIVECARE_KEY = "GIVECARE_BENCH_KEY"
"""The variable with the key of a site of givecare/v2."""


def scrub(text: str) -> str:
    """A message without the values of the environment's keys."""
    return _without(text, secrets_of(os.environ, keys_in_use()))


def scrub_reply(text: str) -> str:
    """The words of a model without the keys that a server repeats. Short keys, such as `none`, are words."""
    return _without(text, (key for key in secrets_of(os.environ, keys_in_use()) if len(key) >= SHORTEST))


def _without(text: str, secrets: Iterable[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):  # one may be the beginning of another
        text = text.replace(os.fsdecode(secret), MARK)
    return text


def keys_in_use() -> list[str]:
    """The keys that calls read from the environment, however short or plain they are."""
    names = ("API_KEY", GIVECARE_KEY)
    return [value for name, value in os.environ.items() if name.upper().endswith(names)]
