"""How many calls to one model are under way at once: as many as it takes, found by trying.

Start at 20; double while everything succeeds and most of the limit is used, then grow by a
twentieth a clean round; cut to 0.8 on a 429, and then not again for 15 seconds. A fault of the server
pauses growth without shrinking. An explicit limit turns all of this off.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

START, FLOOR, CEILING = 20, 10, 100
USED = 0.8
"""The share of the limit that must be in use before it grows."""
CUT = 0.8
GROWTH = 1.05
QUIET = 15.0
"""Seconds after a cut in which there is no further one."""


@dataclass
class Pace:
    """The limit of one model. `enter` before a call; `leave` after it, with what came of it."""

    fixed: int | None = None
    """The limit where one was given."""
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    limit: float = field(init=False)
    under_way: int = 0
    _clean: int = 0
    _doubling: bool = True
    _cut_at: float = -math.inf
    _held_until: float = -math.inf
    _room: asyncio.Condition = field(default_factory=asyncio.Condition)

    def __post_init__(self) -> None:
        self.limit = float(self.fixed or START)

    async def enter(self) -> None:
        """Wait until there is room for one more call."""
        async with self._room:
            while self.under_way >= int(self.limit):
                await self._room.wait()
            self.under_way += 1
        held = self._held_until - self.now()
        if held > 0:
            await self.sleep(held)

    async def leave(
        self, *, limited: bool = False, faulty: bool = False, retry_after: float | None = None
    ) -> None:
        """Say what came of a call: a 429 (`limited`), a fault of the server (`faulty`), or success."""
        async with self._room:
            used = self.under_way >= USED * int(self.limit)
            self.under_way -= 1
            if self.fixed is None:
                self._adapt(used=used, limited=limited, faulty=faulty)
            if retry_after is not None:
                self._held_until = max(self._held_until, self.now() + retry_after)
            self._room.notify_all()

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
            self.limit = min(CEILING, self.limit * (2 if self._doubling else GROWTH) + (not self._doubling))
