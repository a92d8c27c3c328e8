"""Remove keys from messages: an error message of a provider can repeat the key."""

from __future__ import annotations

import html
import json
import os
import re
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from urllib.parse import quote, quote_plus

from ib.board.evidence.leaks import SHORTEST, secrets_of

MARK = "[key]"
GIVECARE_KEY = "GIVECARE_BENCH_KEY"
"""The variable with the key of a site of givecare/v2."""
_PERCENT = re.compile("%[0-9A-F]{2}")


def scrub(text: str) -> str:
    """A message without the values of the environment's keys."""
    return _without(text, secrets_of(os.environ, keys_in_use()))


def scrub_reply(text: str) -> str:
    """The words of a model without the keys that a server repeats. Short keys, such as `none`, are words."""
    return _without(text, (key for key in secrets_of(os.environ, keys_in_use()) if len(key) >= SHORTEST))


def _without(text: str, secrets: Iterable[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):  # one may be the beginning of another
        for form in _forms(secret):
            text = text.replace(form, MARK)
    return text


@cache
def _forms(secret: str) -> tuple[str, ...]:
    """A key in the forms in which servers repeat it: as it is, escaped, in a URL, and in base64.

    Of a short key, which may be a word, only the first.
    """
    if len(secret) < SHORTEST:
        return (secret,)
    data = os.fsencode(secret)
    in_url = (quote(data, safe=""), quote(data), quote_plus(data))
    in_base64 = [_base64(data, before) for before in range(3)]
    forms = [secret, html.escape(secret), json.dumps(secret)[1:-1], repr(secret)[1:-1], *in_url, *in_base64]
    forms += [_PERCENT.sub(lambda match: match[0].lower(), form) for form in in_url]
    forms += [form.replace("+", "-").replace("/", "_") for form in in_base64]
    return tuple(sorted(set(forms), key=len, reverse=True))


def _base64(data: bytes, before: int) -> str:
    """The characters of a text in base64 that stand for these bytes alone, after so many other bytes."""
    whole = b64encode(bytes(before) + data).decode()
    return whole[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]


def keys_in_use() -> list[str]:
    """The keys that calls read from the environment, however short or plain they are."""
    names = ("API_KEY", GIVECARE_KEY)
    return [value for name, value in os.environ.items() if name.upper().endswith(names)]
