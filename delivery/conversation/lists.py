"""The lists of a reply: which lines are items, and the whole list that a quote is a part of."""

from __future__ import annotations

import re
from itertools import accumulate

BULLET = re.compile(r"([ \t]{0,8})([-*•][ \t]+)(?=\S)")
"""A line that is an item, with the characters that only mark it."""
NUMBER = re.compile(r"[ \t]{0,8}\d{1,2}[.)][ \t]+(?=\S)")


def whole_list(text: str, first: int, last: int) -> tuple[int, int]:
    """The stretch with the list that a quote is in, or leads up to; the quote itself if there is no list.

    A verdict about a list often quotes its first item, or the line before it. Lines between two items belong
    to the list if they are empty or indented.
    """
    lines = text.splitlines(keepends=True)
    ends = list(accumulate(len(line) for line in lines))
    low = next((at for at, end in enumerate(ends) if end > first), 0)
    high = next((at for at, end in enumerate(ends) if end >= last), len(lines) - 1)
    touched = [at for at in range(low, _next(lines, high) + 1) if _is_item(lines[at])]
    if not touched:
        return first, last
    top, bottom = _edge(lines, touched[0], -1), _edge(lines, touched[-1], 1)
    return min(first, ends[top] - len(lines[top])), max(last, ends[bottom])


def _is_item(line: str) -> bool:
    return bool(BULLET.match(line) or NUMBER.match(line))


def _next(lines: list[str], at: int) -> int:
    """The first item after a line, if at most one line with words is between; else the line itself."""
    after = [one for one in range(at + 1, len(lines)) if lines[one].strip()][:2]
    return next((one for one in after if _is_item(lines[one])), at)


def _edge(lines: list[str], at: int, step: int) -> int:
    """The last item of the list in one direction."""
    found = at
    while 0 <= at < len(lines) and (_is_item(lines[at]) or not lines[at].strip() or lines[at][0] in " \t"):
        found = at if lines[at].strip() else found
        at += step
    return found
