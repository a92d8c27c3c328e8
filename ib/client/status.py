"""What the status and the headers of a failed response mean, and how long a model has not answered."""

from __future__ import annotations

import math
import socket
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ib.models.scan.judge import Fault, FaultKind

WORDS = 200
"""Maximum characters kept of a server's message."""
SILENT = 10.0
"""Seconds without an answer after which it is said."""
AGAIN = 30.0
"""Minimum seconds before it is said again."""
_CONNECTION: Mapping[type[OSError], str] = {
    ConnectionRefusedError: "connection refused",
    socket.gaierror: "the name of the server cannot be resolved",
    ConnectionResetError: "the server closed the connection",
}
"""What errors of the system mean."""


@dataclass
class Silence:
    """The failed attempts at a model since its last answer."""

    _heard_at: float = -math.inf
    _since: float | None = None
    """When the first of these attempts began."""
    _said_at: float = -math.inf
    _ends: Counter[str] = field(default_factory=Counter)
    """What the attempts ended in."""

    def end(self, now: float) -> None:
        """Note an answer."""
        self._heard_at, self._since = now, None
        self._ends.clear()

    def add(self, fault: Fault, began: float) -> None:
        """Note an attempt that began at this time and failed."""
        if self._since is None:
            self._since = max(began, self._heard_at)
        self._ends[_reason(fault)] += 1

    def pause(self, seconds: float) -> None:
        """Leave out a time in which nothing was sent."""
        if self._since is not None:
            self._since += max(0.0, seconds)

    def words(self, now: float, wait: float) -> str | None:
        """What to say before the next attempt, in `wait` seconds. None if it is too early to say anything.

        It is not too early if the silence will last SILENT seconds before that attempt.
        """
        if self._since is None or now + wait - self._since < SILENT or now - self._said_at < AGAIN:
            return None
        self._said_at = now
        number = self._ends.total()
        ends = ", ".join(f"{count} of {number} attempts: {end}" for end, count in self._ends.most_common())
        return f"no answer for {now - self._since:.0f} s; {ends}; the next attempt is in {wait:.0f} s"


def _reason(fault: Fault) -> str:
    """A fault in a few words."""
    if fault.kind is FaultKind.RATE_LIMIT:
        return "too many requests (429)"
    return fault.detail.partition(": ")[0]


def connection_words(error: BaseException) -> str | None:
    """What kept an attempt from a server, if the system said so in the error or in one that caused it."""
    cause: BaseException | None = error
    while cause is not None:
        for kind, words in _CONNECTION.items():
            if isinstance(cause, kind):
                return words
        cause = cause.__cause__ or cause.__context__
    return None


def kind_of_status(status: int) -> FaultKind:
    """The kind of fault that a status means. Only 408, 409, 429 and 5xx are temporary."""
    if status == 429:
        return FaultKind.RATE_LIMIT
    return FaultKind.TRANSIENT if status in (408, 409) or status >= 500 else FaultKind.DETERMINISTIC


def retry_after(headers: Mapping[str, str] | None) -> float | None:
    """The seconds in the header Retry-After; None if there is none, or if it is not a number of seconds."""
    values = (value for name, value in dict(headers or {}).items() if name.lower() == "retry-after")
    try:
        seconds = float(next(values))
    except (StopIteration, ValueError):
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
