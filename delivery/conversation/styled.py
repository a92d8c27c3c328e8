"""Bold words and lists of a reply, shown as such. No other markup of a reply is.

Assistants write Markdown. The runs of a part are its text, letter for letter: characters that only mark bold
words, a heading or a bullet stay in the page and are not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise

from delivery.conversation.lists import BULLET, NUMBER
from delivery.conversation.moments import Piece
from delivery.words.filters import template_filter

_BOLD = re.compile(r"(\*\*|__)(?=\S)([^\n]+?)(?<=\S)\1")
_HEADING = re.compile(r"#{1,6}[ \t]+(?=\S)")


@dataclass(frozen=True)
class Run:
    """A stretch of text of one kind."""

    text: str
    quoted: bool
    """True if a verdict rests on it."""
    bold: bool = False
    hidden: bool = False
    """True for characters that only mark what follows."""


@dataclass(frozen=True)
class Line:
    """An item of a list with its end of line, or all lines up to the next item."""

    runs: tuple[Run, ...]
    item: str = ""
    """`bullet` or `number` if the line is an item of a list."""


@template_filter
def styled(pieces: Iterable[Piece]) -> tuple[Line, ...]:
    """The pieces of a reply as lines of runs. The runs together are the text of the pieces."""
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        for text in piece.text.splitlines(keepends=True):
            lines[-1].append(Piece(text, piece.quoted))
            if text.endswith("\n"):
                lines.append([])
    return tuple(_joined(_line(line) for line in lines if line))


def _joined(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines that are no items as one, with runs of one kind as one."""
    for item, group in groupby(lines, key=lambda line: line.item):
        if item:
            yield from group
            continue
        runs = chain.from_iterable(line.runs for line in group)
        same = groupby(runs, key=lambda run: (run.quoted, run.bold, run.hidden))
        yield Line(tuple(Run("".join(run.text for run in found), *kind) for kind, found in same))


def _line(pieces: Sequence[Piece]) -> Line:
    """One line, cut where its kind changes."""
    text = "".join(piece.text for piece in pieces)
    hidden, bold = list[range](), list[range]()
    bullet, heading = BULLET.match(text), _HEADING.match(text)
    if bullet:
        hidden.append(range(bullet.start(2), bullet.end(2)))
    elif heading:
        hidden.append(range(heading.end()))
        bold.append(range(heading.end(), len(text)))
    for found in _BOLD.finditer(text):
        bold.append(range(*found.span(2)))
        hidden += [range(found.start(), found.start(2)), range(found.end(2), found.end())]
    runs = tuple(
        Run(text[first:last], quoted, _inside(first, bold), _inside(first, hidden))
        for first, last, quoted in _cut(pieces, [*hidden, *bold])
    )
    return Line(runs, "bullet" if bullet else "number" if NUMBER.match(text) else "")


def _cut(pieces: Sequence[Piece], ranges: Iterable[range]) -> Iterator[tuple[int, int, bool]]:
    """The stretches between all edges, each with whether it is quoted."""
    edges = {edge for one in ranges for edge in (one.start, one.stop)}
    at = 0
    for piece in pieces:
        end = at + len(piece.text)
        inner = sorted({at, end, *(edge for edge in edges if at < edge < end)})
        yield from ((first, last, piece.quoted) for first, last in pairwise(inner))
        at = end


def _inside(place: int, ranges: Iterable[range]) -> bool:
    return any(place in one for one in ranges)
