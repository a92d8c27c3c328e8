"""A local web server for a built site, for previews and browser tests."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ib.errors import WorldError


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without a request log."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is inherited
        """Write nothing, so that stderr only shows messages for the user."""


@contextmanager
def server(folder: Path, port: int = 0) -> Iterator[tuple[ThreadingHTTPServer, str]]:
    """A server for a folder on 127.0.0.1, and its address. Raises WorldError if the port is not available."""
    handler = functools.partial(_Quiet, directory=str(folder))
    try:
        httpd = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise WorldError(f"port {port}: {error.strerror}; choose another --port") from error
    with httpd:
        yield httpd, f"http://127.0.0.1:{httpd.server_port}/"
