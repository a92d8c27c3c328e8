"""Calls under way, which were paid for: they are waited for where the work itself has to stop."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio  # slow to import, and only calls to elsewhere need it

Result = TypeVar("Result")


@dataclass
class InFlight:
    """The calls of one event loop that have not come back yet."""

    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    async def run(self, call: Coroutine[Any, Any, Result]) -> Result:
        """The result of a call, which goes on if whoever waits for it is cancelled."""
        import asyncio

        task = asyncio.get_running_loop().create_task(call)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def drain(self) -> None:
        """Wait until every call has come back, with whatever result."""
        import asyncio

        await asyncio.gather(*self._tasks, return_exceptions=True)
