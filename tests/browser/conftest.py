"""The site of the sample release, served on this machine and opened in Chromium."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from delivery.serving import server
from delivery.sync_web_bench import build
from tests.delivery import sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Visit:
    """A page of the site in a browser, with every error and every request to another host."""

    page: Page
    address: str
    trouble: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Open a page of the site and wait until its requests are finished."""
        self.page.goto(self.address + path, wait_until="networkidle")


# Module scope: the event loop of playwright must end before other tests start one.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. Without it the tests are skipped; with IB_REQUIRE_BROWSER=1 they fail."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        _missing("the Python package playwright is not installed")
    if not CHROMIUM.exists():
        _missing(f"there is no {CHROMIUM}")
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        except Error as error:
            _missing(f"{CHROMIUM} does not start: {error.message.splitlines()[0]}")
        yield chromium
        chromium.close()


def _missing(reason: str) -> NoReturn:
    """Skip the test and say why there is no browser; fail instead if a browser is required."""
    if os.environ.get("IB_REQUIRE_BROWSER") == "1":
        pytest.fail(f"a browser is required, but {reason}")
    pytest.skip(f"no browser: {reason}")


@pytest.fixture(scope="module")
def address(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site. The site is built only if there is a browser."""
    folder = tmp_path_factory.mktemp("browser")
    root = sample.write_background(folder / "benchmark")
    build(sample.write(folder / "release"), sample.benchmark(), folder / "site", root)
    with server(folder / "site") as (httpd, at):
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield at
        httpd.shutdown()
        thread.join()


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    """A new page that records messages, errors, failed requests and requests to other hosts."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    seen = Visit(page, address)
    note = seen.trouble.append
    page.on("console", lambda message: note(f"console: {message.text}"))
    page.on("pageerror", lambda error: note(f"error: {error}"))
    page.on("dialog", lambda dialog: _dismiss(dialog, seen))
    page.on("requestfailed", lambda failed: note(f"failed: {failed.url}"))
    page.on("response", lambda got: None if got.status < 400 else note(f"{got.status}: {got.url}"))
    page.on("request", lambda sent: None if _local(sent.url, address) else note(f"other host: {sent.url}"))
    yield seen
    page.close()


def _dismiss(dialog: Dialog, seen: Visit) -> None:
    seen.trouble.append(f"dialog: {dialog.message}")
    dialog.dismiss()


def _local(url: str, address: str) -> bool:
    return url.startswith((address, f"blob:{address}", "data:"))
