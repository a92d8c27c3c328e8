"""The hard limits of a run or scan: how many calls it may make, and what they may cost.

A call is an attempt that the provider answered. An attempt begins only if the calls so far and the highest
costs of all attempts under way leave something of the limit. So the number of calls is exact, and the limit
of dollars is exceeded by one call at most: the last one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ib.errors import WorldError
from ib.models.scan.cost import Account


@dataclass
class Budget:
    """The limits, over all models. Call `enter` before an attempt, and `leave` after it."""

    calls: int | None = None
    """None for no limit."""
    usd: float | None = None
    """US dollars; None for no limit."""
    made: int = 0
    """The calls so far, in all sessions of the run or scan."""
    spent: float = 0.0
    """What they cost, in US dollars; calls of unknown cost count with what was reserved for them."""
    lost: float = 0.0
    """The part of `spent` that calls which a kill ended can have cost at most."""
    _under_way: int = 0
    _reserved: float = 0.0
    _of_loop: tuple[asyncio.AbstractEventLoop, asyncio.Condition] | None = None

    @property
    def _settled(self) -> asyncio.Condition:
        """The condition of the running event loop: two judges of a scan use one budget, one after the other,
        each in a loop of its own."""
        loop = asyncio.get_running_loop()
        if self._of_loop is None or self._of_loop[0] is not loop:
            self._of_loop = (loop, asyncio.Condition())
        return self._of_loop[1]

    def go_on_from(self, account: Account) -> None:
        """Begin with the calls of earlier sessions, and the most that they can have cost."""
        self.made, self.spent, self.lost = account.made, account.usd_max, account.usd_lost_max

    def take_back(self, usd: float) -> None:
        """A call that counted as lost is asked for again: `enter` counts it from now on."""
        self.made -= 1
        self.spent -= usd
        self.lost -= usd

    async def enter(self, reserve: float = 0.0) -> None:
        """Reserve one call and its highest cost in US dollars.

        Waits while only attempts under way are in the way, because they may cost less than was reserved.
        Raises WorldError if the limits leave no room for the attempt.
        """
        async with self._settled:
            while (limit := self._reached()) is not None:
                if not self._under_way:
                    raise WorldError(f"stopped at {limit}; answers are kept, go on with --resume")
                await self._settled.wait()
            self._under_way += 1
            self._reserved += reserve

    async def leave(self, reserve: float = 0.0, *, answered: bool, usd: float = 0.0) -> None:
        """Release what was reserved. `answered` says if the attempt was a call, and `usd` what it cost."""
        async with self._settled:
            self._under_way -= 1
            self._reserved = self._reserved - reserve if self._under_way else 0.0  # no rounding is left over
            self.made += answered
            self.spent += usd
            self._settled.notify_all()

    def _reached(self) -> str | None:
        """The limit that the calls so far and those under way can reach, in words; None if there is room."""
        if self.calls is not None and self.made + self._under_way >= self.calls:
            return f"the limit of {self.calls:,} calls (--max-calls)"
        if self.usd is not None and self.spent + self._reserved >= self.usd:
            lost = f", {_dollars(self.lost)} of it at most on calls that a kill ended" if self.lost else ""
            return f"the limit of {_dollars(self.usd)} (--max-cost-usd): {_dollars(self.spent)} spent{lost}"
        return None


def _dollars(usd: float) -> str:
    """An amount with at least two decimals, and with four below one dollar."""
    return f"${usd:,.2f}" if usd >= 1 else f"${usd:.4f}"
