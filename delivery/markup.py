"""Read the tags of finished HTML in one fast pass.

Pages are well-formed HTML, so one regular expression explains almost every page to its last character. A page
that it does not explain is read by `html.parser`, which is slower and forgives more.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser

Tag = tuple[str, dict[str, str]]
"""The name of a start tag in lower case, and its attributes with their text."""

_ATTRIBUTE = r"""\s+([^\s"'<>/=]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?"""
_PLAIN_ATTRIBUTE = re.sub(r"\((?!\?)", "(?:", _ATTRIBUTE)
_START = re.compile(rf"<([a-zA-Z][a-zA-Z0-9-]*+)((?:{_PLAIN_ATTRIBUTE})*+)\s*+/?>")
_BETWEEN = re.compile(r"[^<]*+(?:<(?:/[a-zA-Z][a-zA-Z0-9-]*+\s*+|!doctype html)>[^<]*+)*+", re.IGNORECASE)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_RAW = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style")}
"""The elements whose content is no HTML, with their end."""


def tags(text: str) -> tuple[list[Tag], str | None]:
    """The start tags of a page, and why the reading stopped before its end (None if it did not)."""
    found = _fast(text)
    return _slow(text) if found is None else (found, None)


def _fast(text: str) -> list[Tag] | None:
    """The start tags. Returns None if any character of the page belongs to no known form."""
    found = []
    at = 0
    while (at := _end(_BETWEEN, text, at)) < len(text):
        start = _START.match(text, at)
        if start is None:
            return None
        at = start.end()
        name = start[1].lower()
        found.append((name, dict(_attributes(start[2])) if start[2] else {}))
        if name in _RAW:
            end = _RAW[name].search(text, at)
            if end is None:
                return None
            at = end.end()
    return found


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where the match of a pattern that matches everywhere ends."""
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    """Names and values; as in a browser, the first attribute of a name counts."""
    seen = set()
    for name, double, single, bare in _ATTRIBUTES.findall(text):
        key = name.lower()
        if key not in seen:
            seen.add(key)
            value = double or single or bare
            yield key, html.unescape(value) if "&" in value else value


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
