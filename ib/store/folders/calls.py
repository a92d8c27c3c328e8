"""The calls of a run or scan, as its folder lists them over all sessions.

`calls.jsonl` has a line for each call, written when it is answered. `attempts.jsonl` has a line for each
attempt, written before it begins, and one for each that ended without an answer. What began and is in no
other line was lost when a session was killed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from math import fsum
from pathlib import Path
from typing import IO, Generic, Self, TypeVar

from ib.errors import DataError
from ib.models.common.canonical import compact
from ib.models.scan.cost import RETRY, Attempt, CallEvent, PaidCall, Spending
from ib.store.files.validation import model_of_line
from ib.store.files.writing import disk

CALLS = "calls.jsonl"
ATTEMPTS = "attempts.jsonl"
Line = TypeVar("Line", Attempt, PaidCall)


@dataclass
class _Sum:
    """The sums over the calls to one model."""

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float = 0.0
    calls_of_unknown_cost: int = 0

    def add(self, call: PaidCall) -> None:
        self.calls += 1
        self.input_tokens += call.input_tokens or 0
        self.cached_tokens += call.cached_tokens or 0
        self.output_tokens += call.output_tokens or 0
        self.reasoning_tokens += call.reasoning_tokens or 0
        self.usd += call.usd or 0.0
        self.calls_of_unknown_cost += call.usd is None


@dataclass
class _Lines(Generic[Line]):
    """A file of lines that is appended to. Without a line, there is no file."""

    path: Path
    kind: type[Line]
    _file: IO[bytes] | None = None

    def earlier(self, opened: ExitStack) -> Iterator[Line]:
        """The lines of earlier sessions. Drops an incomplete last line."""
        if not self.path.is_file():
            return
        with disk(self.path):
            data = self.path.read_bytes()
            kept = data.rfind(b"\n") + 1
            for number, raw in enumerate(data[:kept].splitlines(), start=1):
                line = model_of_line(self.kind, raw, str(self.path), number)
                if isinstance(line, list):
                    raise DataError(line)
                yield line
            self._file = opened.enter_context(self.path.open("r+b", buffering=0))
            self._file.truncate(kept)
            self._file.seek(kept)

    def append(self, line: Line, opened: ExitStack) -> None:
        """Append a line, which survives a kill of this process."""
        with disk(self.path):
            if self._file is None:
                self._file = opened.enter_context(self.path.open("xb", buffering=0))
            left = memoryview(compact(line) + b"\n")
            while left:
                left = left[self._file.write(left) :]


class CallList:
    """Appends calls and attempts to their files in a folder, and sums the calls up.

    As a context manager, it reads the calls of earlier sessions, and closes the files at the end. An
    incomplete last line is dropped. Raises DataError if another line is not a call or an attempt, and
    WorldError if a file cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.keys: set[str] = set()
        """The keys of the requests that were called for."""
        self.usd_paid = 0.0
        """What the calls cost in US dollars; calls of unknown cost count with the most that they can cost."""
        self.faults = 0
        """The attempts that got no answer, in all sessions."""
        self.retries = 0
        """The attempts in this session that followed another one at the same request."""
        self.heard: Callable[[CallEvent], None] = lambda _: None
        """Called with each event of this session, after it was counted."""
        self._calls = _Lines(folder / CALLS, PaidCall)
        self._attempts = _Lines(folder / ATTEMPTS, Attempt)
        self._sums: defaultdict[str, _Sum] = defaultdict(_Sum)
        self._again: Counter[str] = Counter()
        """How many calls had an earlier one for the same request, by model."""
        self._under_way: defaultdict[str, list[Attempt]] = defaultdict(list)
        """The attempts that have not ended, by request: at the start, those that a kill ended."""
        self._batched: dict[str, Attempt] = {}
        """Of the attempts that have not ended, those that stand in a batch of an earlier session."""
        self._open = ExitStack()

    def __enter__(self) -> Self:
        for attempt in self._attempts.earlier(self._open):
            self.faults += attempt.unanswered
            self._note(attempt)
        for call in self._calls.earlier(self._open):
            self._count(call)
        self.look_back()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def look_back(self) -> None:
        """Take the attempts that stand in batches as those of an earlier session, to go on with."""
        self._batched = {one.key: one for one in self.lost if one.batched}

    def begin(self, attempt: Attempt) -> None:
        """Write down an attempt before it begins."""
        self._attempts.append(attempt, self._open)
        self._note(attempt)

    def end_unanswered(self, attempt: Attempt, *, timed_out: bool = False) -> None:
        """Write down that an attempt ended without an answer."""
        ended = Attempt(key=attempt.key, model=attempt.model, unanswered=True, timed_out=timed_out)
        self._attempts.append(ended, self._open)
        self._note(ended)

    def adopt(self, key: str) -> Attempt | None:
        """The attempt at a request in a batch of an earlier session, to go on with; None if there is none."""
        return self._batched.pop(key, None)

    def write(self, call: PaidCall) -> None:
        """Append one call. Its line survives a kill of this process."""
        self._calls.append(call, self._open)
        self._count(call)

    def note(self, event: CallEvent) -> None:
        """Count a fault or a retry, and report the event."""
        self.faults += event.failed
        self.retries += event.kind == RETRY
        self.heard(event)

    def _note(self, attempt: Attempt) -> None:
        if not attempt.unanswered:
            self._under_way[attempt.key].append(attempt)
        elif not attempt.timed_out:  # one that took too long may still be charged: it stays
            self._end(attempt.key)

    def _end(self, key: str) -> Attempt | None:
        """Forget the last attempt at a request, if it is listed."""
        attempts = self._under_way.get(key)
        return attempts.pop() if attempts else None

    def _count(self, call: PaidCall) -> None:
        attempt = self._end(call.key)
        reserved = None if attempt is None else attempt.usd_max
        self.usd_paid += (reserved or 0.0) if call.usd is None else call.usd
        self._again[call.model] += call.key in self.keys
        self.keys.add(call.key)
        self._sums[call.model].add(call)

    @property
    def lost(self) -> tuple[Attempt, ...]:
        """The attempts that have not ended. Before and after the work of a session, these are lost."""
        return tuple(one for attempts in self._under_way.values() for one in attempts)

    @property
    def made(self) -> int:
        """The calls so far, with those that were lost in a kill."""
        return sum(one.calls for one in self._sums.values()) + len(self.lost)

    @property
    def usd_max(self) -> float:
        """The most US dollars that all these calls can have cost."""
        return self.usd_paid + self.usd_lost_max

    @property
    def usd_lost_max(self) -> float:
        """The most US dollars that the lost calls can have cost."""
        return _most(self.lost)

    @property
    def spending(self) -> tuple[Spending, ...]:
        """What the calls cost so far, by model."""
        lost: defaultdict[str, list[Attempt]] = defaultdict(list)
        for one in self.lost:
            lost[one.model].append(one)
        return tuple(self._spending(model, lost[model]) for model in sorted({*self._sums, *lost}))

    def _spending(self, model: str, lost: list[Attempt]) -> Spending:
        """What the calls to one model cost, with its lost attempts."""
        first = len({one.key for one in lost} - self.keys)
        return Spending(
            model=model,
            **asdict(self._sums[model]),
            calls_lost=len(lost),
            usd_lost_max=_most(lost),
            calls_again=self._again[model] + len(lost) - first,
        )


def _most(attempts: Iterable[Attempt]) -> float:
    """The most US dollars that attempts can have cost. Those of unknown price add nothing."""
    return fsum(one.usd_max or 0.0 for one in attempts)
