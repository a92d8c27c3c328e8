"""How the pipeline reports progress and notices: it calls two functions of the caller.

Nothing in `ib.pipeline` prints. Without these functions the pipeline is silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


def _ignore(*_: object) -> None:
    """The default callback: does nothing."""


@dataclass(frozen=True)
class Callbacks:
    """The two functions that a caller may pass."""

    progress: Callable[[str, int, int], None] = _ignore
    """Called with what is counted ("transcripts"), how many are done, and how many there are."""
    notice: Callable[[str], None] = _ignore
    """Called with one sentence that a person should read."""

    def notices(self, said: Iterable[str]) -> None:
        """Call `notice` with each of several sentences."""
        for one in said:
            self.notice(one)

    def counted(self, items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
        """The same items; `progress` is called before the first and after each."""
        self.progress(what, 0, total)
        for done, item in enumerate(items, start=1):
            yield item
            self.progress(what, done, total)


SILENT = Callbacks()
"""Reports nothing."""
