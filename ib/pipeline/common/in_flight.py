"""Calls under way. They are paid for, so the pipeline waits for them even if it has to stop."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio  # slow to import, and only remote calls need it

Result = TypeVar("Result")


@dataclass
class InFlight:
    """The unfinished calls of one event loop."""

    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    async def run(self, call: Coroutine[Any, Any, Result]) -> Result:
        """The result of a call. The call goes on if its caller is cancelled."""
        import asyncio

        task = asyncio.get_running_loop().create_task(call)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def drain(self) -> None:
        """Wait until every call has ended, with a result or an error."""
        import asyncio

        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        """Forget a call. Its error is read, because asyncio reports one that nobody reads when work stops."""
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()
