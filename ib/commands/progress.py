"""How commands show that work goes on: bars on a terminal, else a line on stderr every 30 seconds.

The pipeline reports numbers (`ib.pipeline.common.callbacks`); here they become words.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ib.commands.terminal import plain_json
from ib.errors import WorldError
from ib.pipeline.common.callbacks import Callbacks, CallProgress
from ib.pipeline.common.costing import lost_words, usd

if TYPE_CHECKING:
    from rich.console import Console

    from ib.models.scan.cost import CallEvent

EVERY = 30.0
"""Seconds between two lines."""
OFTEN = 10.0
"""The same for a command that is over in minutes, which somebody watches."""
LOOK = 1.0
"""Seconds between two looks at the clock while calls are made."""


def call_words(made: CallProgress, seconds: float) -> str:
    """Answers, dollars, rate, faults and retries of calls, `seconds` after the first of this session."""
    planned = None if made.usd_expected is None else f"{usd(made.usd)} of about {usd(made.usd_expected)}"
    lost = lost_words(made.lost, made.usd_lost_max) if made.lost else ""
    rate = made.called / max(seconds, 1.0)
    return (
        f"{made.answered:,} of about {made.expected:,} calls answered, {planned or 'cost unknown'}{lost}, "
        + (f"{rate:,.1f} a second" if rate >= 1 else f"{60 * rate:.1f} a minute")
        + f", faults: {made.faults:,}, retries: {made.retries:,}"
    )


def left_words(made: CallProgress, seconds: float) -> str:
    """The time left if the calls go on as fast as so far; empty if it is unknown."""
    if not made.called or made.expected <= made.answered:
        return ""
    left = (made.expected - made.answered) * seconds / made.called
    return f", about {left:.0f} s left" if left < 100 else f", about {left / 60:,.0f} min left"


@dataclass
class Lines:
    """Progress without a terminal: a line for every EVERY seconds of work, or for every `every` seconds."""

    say: Callable[[str], None]
    now: Callable[[], float] = time.monotonic
    every: float | None = None
    _words: str = ""
    _step: float | None = None
    """When the work that `_words` names began; None if it is counted."""
    _made: CallProgress | None = None
    """The calls as last reported; None if none are made."""
    _began: float = 0.0
    _said: float = field(init=False)
    _one: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)
    _clock: threading.Thread | None = None

    def __post_init__(self) -> None:
        self._said = self.now()

    def progress(self, what: str, done: int, total: int) -> None:
        """Work that is counted by items, such as transcripts."""
        with self._one:
            self._words, self._step = f"{done:,} of {total:,} {what}", None
        self.look()

    def step(self, what: str) -> None:
        """Work that is not counted. A clock looks until the next report."""
        with self._one:
            self._words, self._step = what, self.now()
        self._watched()
        self.look()

    def calls(self, progress: CallProgress) -> None:
        """Calls to models. They can hang, so that a clock looks while they are made."""
        if self._made is None:
            self._began = self.now()
        self._made = None if progress.ended else progress
        self._watched()
        self.look()

    def look(self) -> None:
        """Print a line if the last one was that long ago."""
        with self._one:
            now, made = self.now(), self._made
            if now - self._said < (EVERY if self.every is None else self.every):
                return
            words = self._words
            if self._step is not None:
                words = f"{words}, {now - self._step:.0f} s"
            if made is not None:
                words = call_words(made, now - self._began) + left_words(made, now - self._began)
            if words:
                self._said = now
                self.say(words)

    def close(self) -> None:
        """Stop the clock."""
        self._over.set()
        if self._clock is not None:
            self._clock.join()

    def _watched(self) -> None:
        """Start the clock."""
        if self._clock is None:
            self._clock = threading.Thread(target=self._watch, daemon=True)
            self._clock.start()

    def _watch(self) -> None:
        while not self._over.wait(LOOK):
            if self._made is not None or self._step is not None:
                self.look()


@contextlib.contextmanager
def bars(console: Console, say: Callable[[str], None]) -> Iterator[Callbacks]:
    """Progress on a terminal: a bar for each kind of work, with the time left, and a line about calls."""
    from rich.console import Group
    from rich.live import Live
    from rich.progress import Progress, TaskID
    from rich.text import Text

    bar, tasks = Progress(console=console), dict[str, TaskID]()
    made: list[tuple[CallProgress, float]] = []  # the calls as last reported, and when they began

    steps: list[TaskID] = []  # the work that is not counted and goes on

    def progress(what: str, done: int, total: int) -> None:
        ended()
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done, total=total)

    def step(what: str) -> None:
        ended()
        steps.append(bar.add_task(what, total=None))

    def ended() -> None:
        while steps:
            bar.update(steps.pop(), total=1, completed=1)

    def calls(found: CallProgress) -> None:
        made[:] = [(found, made[0][1] if made else time.monotonic())]
        progress("calls", found.answered, max(found.expected, found.answered))

    def shown() -> Group:
        words = (call_words(last, time.monotonic() - began) for last, began in made if not last.ended)
        return Group(bar, *map(Text, words))

    with Live(get_renderable=shown, console=console, transient=True):
        yield Callbacks(progress, say, calls, step=step)


class CallLog:
    """A file with a line of JSON for each attempt at a call and each retry, without keys and texts.

    It is opened before the first call. Raises WorldError if it cannot be opened. If it cannot be written
    later, this is said once and the work goes on: an answer that was paid for is worth more than its line.
    """

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        self.path, self.say = path, say
        self._file: IO[bytes] | None = None

    def __enter__(self) -> CallLog:
        try:
            self._file = self.path.open("ab", buffering=0)
        except OSError as error:
            raise WorldError(f"--log-file {self.path}: cannot be written: {error.strerror}") from error
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, event: CallEvent) -> None:
        """Append the line of one event."""
        if self._file is None:
            return
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "model": event.model,
            "kind": str(event.kind),
            "seconds": round(event.seconds, 3),
            "input_tokens": event.input_tokens,
            "output_tokens": event.output_tokens,
        }
        try:
            self._file.write(plain_json(json.dumps(line)).encode() + b"\n")
        except OSError as error:
            self._file.close()
            self._file = None
            self.say(f"{self.path}: cannot be written: {error.strerror}; the work goes on without this log")
