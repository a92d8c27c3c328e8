"""How the pipeline reports to its caller: progress and notices go to two functions.

Nothing in `ib.pipeline` prints. A caller who passes no functions hears nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


def _ignore(*_: object) -> None:
    """The function of a caller who does not listen."""


@dataclass(frozen=True)
class Callbacks:
    """The two functions that a caller may pass."""

    progress: Callable[[str, int, int], None] = _ignore
    """Called with what is counted ("transcripts"), how many are done, and how many there are."""
    notice: Callable[[str], None] = _ignore
    """Called with one sentence that a person should read."""

    def counted(self, items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
        """The same items; `progress` is called before the first and after each."""
        self.progress(what, 0, total)
        for done, item in enumerate(items, start=1):
            yield item
            self.progress(what, done, total)


SILENT = Callbacks()
"""Reports nothing."""
