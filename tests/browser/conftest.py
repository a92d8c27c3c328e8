"""The site of the sample release, served on this machine and opened in Chromium."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest
import yaml

from delivery.build.serving import server
from delivery.release.place import NOWHERE, Place
from delivery.sync_web_bench import build
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.site import SITE
from tests.delivery import sample
from tests.delivery.test_guides import FILE, loaded
from tests.delivery.test_open_logs import logs
from tests.once import once

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, Request

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
]
BELOW = Place("https://example.org/repo/")
"""A place below the root of its host, as on a page of a repository."""
PATIENCE = 30.0
"""Seconds that a test waits for a page, as playwright does by default. On a machine that does other work, a
first search takes more than 5."""
SITES = ("root", "below", "logs")
"""The sample at the root of a host, the same below `/repo/`, and the sample as open logs.

Beside them, "field" has six models, whose checks are a heatmap."""


@dataclass(frozen=True)
class Served:
    """A built site and its address on this machine."""

    folder: Path
    address: str


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


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Served]]:
    """Every site of SITES, and a larger field, built once for all modules and served."""
    folder = once(tmp_path_factory, "browser", _build)
    with ExitStack() as stack:
        root, below, open_logs, field = (
            stack.enter_context(served(folder / name)) for name in ("root", "host", "logs", "field")
        )
        yield {
            "root": Served(folder / "root", root),
            "below": Served(folder / "host" / "repo", f"{below}repo/"),
            "logs": Served(folder / "logs", open_logs),
            "field": Served(folder / "field", field),
        }


def _build(folder: Path) -> None:
    background = with_guide(sample.write_background(folder / "benchmark"))
    release = sample.write(folder / "release")
    of_logs = sample.write(folder / "release-of-logs", board=logs())
    host = folder / "host"
    host.mkdir()
    build(release, sample.benchmark(), folder / "root", background)
    build(release, sample.benchmark(), host / "repo", background, BELOW)
    shutil.copy(host / "repo" / "404.html", host)  # a host answers with this page below /repo/
    build(of_logs, sample.benchmark(), folder / "logs", background, NOWHERE)
    board, evidence = sample.many(6)
    of_field = sample.write(folder / "release-of-field", board=board, evidence=evidence)
    build(of_field, sample.benchmark(), folder / "field", background)


def with_guide(folder: Path) -> Path:
    """The benchmark folder of a sample, with the draft of a guide as if both roles had signed it."""
    guide = loaded("clinician", "caregiver")
    (folder / FILE).parent.mkdir()
    shutil.copy(benchmark_folder() / FILE, folder / FILE)
    told = yaml.safe_load((folder / SITE).read_text("utf-8"))
    told["guides"] = [guide.entry.model_dump(mode="json")]
    (folder / SITE).write_text(yaml.safe_dump(told), "utf-8")
    return folder


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, which is served in a thread."""
    with server(folder) as (httpd, at):
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield at
        httpd.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def sites(browser: Browser, request: pytest.FixtureRequest) -> dict[str, Served]:
    """Every site of SITES. They are built only if there is a browser."""
    found: dict[str, Served] = request.getfixturevalue("built")
    return found


@pytest.fixture(scope="module")
def address(sites: dict[str, Served]) -> str:
    """The address of the site at the root of its host."""
    return sites["root"].address


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    """A new page that records messages, errors, failed requests and requests to other hosts."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield watched(page, address)
    page.close()


def watched(page: Page, address: str) -> Visit:
    """A page that records messages, errors, dialogs, failed requests and requests to other hosts."""
    seen = Visit(page, address)
    note = seen.trouble.append
    page.on("console", lambda message: note(f"console: {message.text}"))
    page.on("pageerror", lambda error: note(f"error: {error}"))
    page.on("dialog", lambda dialog: _dismiss(dialog, seen))
    page.on("requestfailed", lambda failed: None if _left(failed) else note(f"failed: {failed.url}"))
    page.on("response", lambda got: None if got.status < 400 else note(f"{got.status}: {got.url}"))
    page.on("request", lambda sent: None if _local(sent.url, seen) else note(f"other host: {sent.url}"))
    return seen


def until(page: Page, wanted: str) -> None:
    """Wait until an expression is true. The policy of the site forbids what `wait_for_function` does."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(wanted):
        if time.monotonic() > end:
            pytest.fail(f"still not true: {wanted}")
        page.wait_for_timeout(20)


def _dismiss(dialog: Dialog, seen: Visit) -> None:
    seen.trouble.append(f"dialog: {dialog.message}")
    dialog.dismiss()


def _left(failed: Request) -> bool:
    """True if a request ended because the test opened the next page."""
    return failed.failure == "net::ERR_ABORTED"


def _local(url: str, seen: Visit) -> bool:
    return url.startswith((seen.address, f"blob:{seen.address}", "data:"))
