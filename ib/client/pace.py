"""The limit on concurrent calls to one model, which adapts to the server.

The limit starts at 20 and stays between 10 and 100. It doubles after each round without a fault, if most of
the limit was in use. A 429 cuts the limit to 0.8 of its value, at most once in 15 seconds; from then on, a
round without a fault adds only a twentieth. A server fault makes the round start again, and does not cut the
limit. A fixed limit never adapts.

A Retry-After holds back only the call that was told to wait (see `ib.client.client`). The others go on: they
find out by themselves what the server takes.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

START, FLOOR, CEILING = 20, 10, 100
USED = 0.8
"""The share of the limit that must be in use before it grows."""
CUT = 0.8
GROWTH = 1.05
QUIET = 15.0
"""Minimum seconds between two cuts."""


@dataclass
class Pace:
    """The limit of one model. Call `enter` before a call, and `leave` after it with its outcome."""

    fixed: int | None = None
    """The fixed limit, or None for a limit that adapts."""
    now: Callable[[], float] = time.monotonic
    limit: float = field(init=False)
    under_way: int = 0
    _clean: int = 0
    _doubling: bool = True
    _cut_at: float = -math.inf
    _room: asyncio.Condition = field(default_factory=asyncio.Condition)

    def __post_init__(self) -> None:
        self.limit = float(self.fixed or START)

    @property
    def most(self) -> int:
        """The highest value that the limit can reach."""
        return self.fixed or CEILING

    async def enter(self) -> None:
        """Wait until there is room for one more call."""
        async with self._room:
            while self.under_way >= int(self.limit):
                await self._room.wait()
            self.under_way += 1

    async def leave(self, *, limited: bool = False, faulty: bool = False) -> None:
        """Report the outcome of a call: a 429 (`limited`), a server fault (`faulty`), or success."""
        async with self._room:
            used = self.under_way >= USED * int(self.limit)
            self.under_way -= 1
            if self.fixed is None:
                self._adapt(used=used, limited=limited, faulty=faulty)
            # Not all: thousands of calls may wait, and to wake them all after each call takes seconds.
            self._room.notify(max(0, int(self.limit) - self.under_way))

    def _adapt(self, *, used: bool, limited: bool, faulty: bool) -> None:
        if limited:
            self._doubling, self._clean = False, 0
            if self.now() - self._cut_at >= QUIET:
                self.limit, self._cut_at = max(FLOOR, self.limit * CUT), self.now()
            return
        if faulty:
            self._clean = 0
            return
        self._clean += used
        if self._clean >= int(self.limit):  # a round without a fault
            self._clean = 0
            self.limit = min(CEILING, self.limit * (2 if self._doubling else GROWTH))
