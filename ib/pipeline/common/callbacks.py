"""How the pipeline reports progress and notices: it calls functions of the caller.

Nothing in `ib.pipeline` prints. Without these functions the pipeline is silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from ib.models.scan.cost import CallEvent
    from ib.store.folders.calls import CallList

Item = TypeVar("Item")


def _ignore(*_: object) -> None:
    """The default callback: does nothing."""


@dataclass(frozen=True, slots=True)
class CallProgress:
    """How far the calls of a run or scan to models at providers are, over all its sessions."""

    answered: int
    """The requests with an answer, from a call or from the cache."""
    called: int
    """The answers that calls of this session gave. Only they say how fast the work is."""
    expected: int
    """The expected calls."""
    usd: float
    """What the calls cost so far, in US dollars. A call of unknown cost counts with the most that it can
    cost; lost calls are not counted."""
    usd_expected: float | None
    """The expected cost; None if a price is unknown."""
    lost: int
    """The calls that were under way when an earlier session was killed."""
    usd_lost_max: float
    """The most that the lost calls can have cost, in US dollars."""
    faults: int
    """The attempts that got no answer, in all sessions."""
    retries: int
    """The attempts in this session that followed another one at the same request."""
    ended: bool = False
    """True in the last report of a session."""


@dataclass(frozen=True)
class Callbacks:
    """The functions that a caller may pass."""

    progress: Callable[[str, int, int], None] = _ignore
    """Called with what is counted ("transcripts"), how many are done, and how many there are."""
    notice: Callable[[str], None] = _ignore
    """Called with one sentence that a person should read."""
    calls: Callable[[CallProgress], None] = _ignore
    """Called before the first call to a model at a provider, and after each attempt and answer. Not called
    for batches, which tell their state as notices."""
    event: Callable[[CallEvent], None] = _ignore
    """Called when an attempt at a call has ended, and when another one will follow."""
    step: Callable[[str], None] = _ignore
    """Called with the name of work that is not counted, when it begins. It ends with the next report."""

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


@dataclass
class CallWatch:
    """Counts the answers of a run or scan, and reports how far its calls are. A context manager.

    Without an expected number of calls, events are passed on and nothing is reported.
    """

    calls: CallList
    callbacks: Callbacks
    expected: int | None
    usd_expected: float | None
    _answered: int = 0
    _called: int = 0
    _lost: int = 0
    _usd_lost_max: float = 0.0

    def __enter__(self) -> Self:
        self._lost, self._usd_lost_max = len(self.calls.lost), self.calls.usd_lost_max
        self.calls.heard = self._heard
        self._report()
        return self

    def __exit__(self, *_: object) -> None:
        self._report(ended=True)

    def count(self, called: bool) -> None:
        """Count one answer. `called` says if a call of this session gave it."""
        self._answered += 1
        self._called += called
        self._report()

    def _heard(self, event: CallEvent) -> None:
        self.callbacks.event(event)
        self._report()

    def _report(self, *, ended: bool = False) -> None:
        if self.expected is None:
            return
        self.callbacks.calls(
            CallProgress(
                answered=self._answered,
                called=self._called,
                expected=self.expected,
                usd=self.calls.usd_paid,
                usd_expected=self.usd_expected,
                lost=self._lost,
                usd_lost_max=self._usd_lost_max,
                faults=self.calls.faults,
                retries=self.calls.retries,
                ended=ended,
            )
        )
