"""An event loop of one's own, which also works where a loop is running already, as in every notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Any, TypeVar

Result = TypeVar("Result")
SECONDS = 0.2
"""How long one wait for the other thread may last. See `_awaited`."""


class Loop:
    """Runs coroutines to their end, one after the other. A context manager.

    If a loop is running in this thread, the own loop runs in a thread of its own while this thread waits.
    Between two runs the own loop stands still, so that this thread may create and cancel its tasks.
    """

    def __enter__(self) -> Loop:
        self._thread = ThreadPoolExecutor(1, "ib") if _running() else None
        if self._thread is not None:
            # Starts the thread. If an interruption came while a run starts it, the pool would not know of it,
            # and start another, which waits for no work of the first.
            self._thread.submit(_nothing).result()
        # With a factory, a Runner does not become the loop that this thread had before.
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is None:
            self._runner.close()
            return
        with self._thread:
            self._thread.submit(self._runner.close).result()

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """The event loop, which stands still."""
        return self._runner.get_loop()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of a coroutine. An interruption of this thread cancels the coroutine first."""
        if self._thread is None:
            return self._runner.run(work)
        task = self.get_loop().create_task(work)
        try:  # an interruption can come as soon as the work has begun, before its future is here
            return _awaited(self._thread.submit(self._runner.run, _result(task)))
        finally:
            if not task.done():
                self.get_loop().call_soon_threadsafe(task.cancel)
                self._thread.submit(_nothing).result()  # ends after the work before it


def _awaited(future: Future[Result]) -> Result:
    """The result of a future.

    Python lets an interruption end a wait for a lock only if it comes during the wait. One that comes just
    before the wait begins is seen when the wait is over, so that no wait may be long.
    """
    while not wait([future], SECONDS).done:
        pass
    return future.result()


def _nothing() -> None:
    pass


async def _result(task: asyncio.Task[Result]) -> Result:
    return await task


def _running() -> bool:
    """True if this thread is inside a running loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
