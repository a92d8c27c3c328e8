"""Apply edits to a text, and map positions in the edited text back to the original."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from ib.text.shown import Edit


@dataclass(frozen=True, slots=True)
class Layer:
    """One pass of edits over a text, stored as the positions of the edits in the new and the old text."""

    new_starts: tuple[int, ...]
    new_ends: tuple[int, ...]
    old_starts: tuple[int, ...]
    old_ends: tuple[int, ...]

    def start(self, position: int) -> int:
        """The index in the old text of the character at `position`."""
        i = bisect_right(self.new_starts, position) - 1
        if i < 0:
            return position
        if position < self.new_ends[i]:
            return self.old_starts[i]
        return position - self.new_ends[i] + self.old_ends[i]

    def end(self, position: int) -> int:
        """The index in the old text after the character that ends at `position`."""
        last = position - 1
        i = bisect_right(self.new_starts, last) - 1
        if i < 0:
            return position
        if last < self.new_ends[i]:
            return self.old_ends[i]
        return last - self.new_ends[i] + self.old_ends[i] + 1


def apply_edits(text: str, edits: Iterable[Edit]) -> tuple[str, Layer | None]:
    """The edited text, and the map back; None if nothing was edited."""
    pieces: list[str] = []
    rows: list[tuple[int, int, int, int]] = []
    at = length = 0
    for start, end, new in edits:
        pieces += (text[at:start], new)
        begin = length + start - at
        length = begin + len(new)
        rows.append((begin, length, start, end))
        at = end
    if not rows:
        return text, None
    pieces.append(text[at:])
    return "".join(pieces), Layer(*zip(*rows, strict=True))
