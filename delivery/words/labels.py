"""Tables that can be read on a narrow screen: each cell carries the name of its column.

On a phone and in print the rows of a table become lists, and a cell shows its name before its content.
"""

from __future__ import annotations

import re

from markupsafe import Markup

from delivery.words.filters import template_filter

_HEAD = re.compile(r"<thead>(.*?)</thead>", re.DOTALL)
_NAME = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_CELL = re.compile(r"<(tr|td|th)\b(?![^>]*\bdata-label=)|<(td)\b")
_SPAN = re.compile(r"\b(?:col|row)span=")
LONG = 12
"""A table with at least this many rows can be filtered."""


@template_filter
def labeled(table: Markup) -> Markup:
    """The table with the name of its column on each cell, and the class `ib-stack`.

    `table` is the finished HTML of one table. A table with several rows of names, or with cells that span
    rows or columns, is returned as it is, because a cell there has no single name. A cell that the template
    named keeps its name.
    """
    text = str(table)
    head = _HEAD.search(text)
    if head is None or head[1].count("<tr") != 1 or _SPAN.search(text):
        return table
    names = [" ".join(_TAG.sub(" ", name).split()).replace('"', "&#34;") for name in _NAME.findall(head[1])]
    at = 0

    def with_name(found: re.Match[str]) -> str:
        nonlocal at
        if found[1] == "tr":
            at = -1
            return found[0]
        at += 1
        named = found[1] == "td" and at < len(names) and names[at]
        return f'<td data-label="{names[at]}"' if named else found[0]

    body = _CELL.sub(with_name, text[head.end() :])
    start = text[: head.end()]
    if "ib-stack" not in start:
        start = start.replace('class="ib-table', 'class="ib-table ib-stack', 1)
    return Markup(start + body)  # noqa: S704 - the parts were escaped before


@template_filter
def is_long(table: Markup) -> bool:
    """True if a table has so many rows that a filter helps."""
    return table.count("<tr") > LONG
