"""A local web server for a built site, for previews and browser tests."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ib.errors import WorldError


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without a request log."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is inherited
        """Write nothing, so that stderr only shows messages for the user."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a missing address with the site's own page for it, as hosts of static sites do."""
        page = Path(self.directory, "404.html")
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


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
