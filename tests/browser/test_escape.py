"""Punctuation that stays plain, read by a real browser."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from delivery.words import escape

pytestmark = pytest.mark.browser


def test_listed_punctuation_is_inert_in_a_browser(visit: Any) -> None:
    """Every sequence of three, alone or beside other characters, reads as it was written, in both places."""
    signs = [*escape.PLAIN, "\r", " ", "x", "&", "<", '"']
    said = ["".join(three) for three in product(signs, repeat=3)]
    page = "".join(f'<p title="{escape.entity(text)}">{escape.entity(text)}</p>' for text in said)
    found = visit.page.evaluate(
        "page => [...new DOMParser().parseFromString(page, 'text/html').body.childNodes]"
        ".map(one => [one.title, one.textContent, one.attributes.length])",
        f"<!doctype html><body>{page}",
    )
    assert found == [[text, text, 1] for text in said]
