"""Read the tags of finished HTML in one fast pass.

Pages are well-formed HTML, so one regular expression explains almost every page to its last character. A page
that it does not explain is read by `html.parser`, which is slower and forgives more.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from functools import lru_cache
from html.parser import HTMLParser

Tag = tuple[str, Mapping[str, str]]
"""The name of a start tag in lower case, and its attributes with their text."""

_ATTRIBUTE = r"""\s+([^\s"'<>/=]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?"""
_PLAIN_ATTRIBUTE = re.sub(r"\((?!\?)", "(?:", _ATTRIBUTE)
_BETWEEN = r"[^<]*+(?:<(?:/[a-zA-Z][a-zA-Z0-9-]*+\s*+|(?i:!doctype html))>[^<]*+)*+"
_REST = re.compile(_BETWEEN)
"""Text, end tags and the doctype."""
_START = re.compile(rf"{_BETWEEN}<([a-zA-Z][a-zA-Z0-9-]*+)((?:{_PLAIN_ATTRIBUTE})*+)\s*+/?>")
"""The next start tag, with what stands before it."""
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_RAW = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style")}
"""The elements whose content is no HTML, with their end."""


def tags(text: str) -> tuple[list[Tag], str | None]:
    """The start tags of a page, and why the reading stopped before its end (None if it did not)."""
    found = _fast(text)
    return _slow(text) if found is None else (found, None)


def _fast(text: str) -> list[Tag] | None:
    """The start tags. Returns None if any character of the page belongs to no known form."""
    found: list[Tag] = []
    at = 0
    while (start := _START.match(text, at)) is not None:
        at = start.end()
        name = start[1].lower()
        found.append((name, _attributes(start[2])))
        if name in _RAW:
            end = _RAW[name].search(text, at)
            if end is None:
                return None
            at = end.end()
    return found if _REST.fullmatch(text, at) else None


@lru_cache(maxsize=4096)  # most tags of a site have the attributes of a tag before, such as `class="n"`
def _attributes(text: str) -> Mapping[str, str]:
    """Names and values; as in a browser, the first attribute of a name counts."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTES.findall(text):
        value = double or single or bare
        found.setdefault(name.lower(), html.unescape(value) if "&" in value else value)
    return found


class _Parser(HTMLParser):
    """Collects start tags and ignores text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.tags: list[Tag] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {key: value or "" for key, value in reversed(attrs)}))


def _slow(text: str) -> tuple[list[Tag], str | None]:
    parser = _Parser()
    try:
        parser.feed(text)
        parser.close()
    except AssertionError:  # how the parser refuses a marked section such as `<![foo[`
        line = parser.getpos()[0]
        return parser.tags, f"line {line} has a marked section `<![...`, which is not valid HTML"
    return parser.tags, None
