"""An HTTP server on the loopback address, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from typing import Self

from aiohttp import web

HOST = "127.0.0.1"


class ServerThread(ABC):
    """Serves an application while it is used as a context manager. Port 0 stands for any free port."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._failed: OSError | None = None
        self._thread = threading.Thread(target=self._serve, name="loopback", daemon=True)

    @abstractmethod
    def application(self) -> web.Application:
        """The routes of the server."""

    @property
    def address(self) -> str:
        """The address of the server, without a path."""
        return f"http://{HOST}:{self.port}"

    def __enter__(self) -> Self:
        """Start the server. Raises OSError if the port is taken."""
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            self._thread.join()
            self._loop.close()
            raise self._failed
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        runner = web.AppRunner(
            self.application(), access_log=None, handle_signals=False, shutdown_timeout=0.1
        )
        self._loop.run_until_complete(runner.setup())
        try:
            self._loop.run_until_complete(web.TCPSite(runner, HOST, self.port).start())
        except OSError as failed:
            self._failed = failed
        else:
            self.port = runner.addresses[0][1]
        self._ready.set()
        if self._failed is None:
            self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.run_until_complete(_cancel_the_rest())


async def _cancel_the_rest() -> None:
    """End the requests that are still under way, such as one that waits for a long latency."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
