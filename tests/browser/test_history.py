"""The pages of the history in a browser: axe finds nothing, and the address of a verdict opens it."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from delivery.build.serving import server
from delivery.release.history import History
from delivery.sync_web_bench import build
from tests.browser.conftest import Served
from tests.browser.test_axe import LOOKS, UNFOLD, violations
from tests.delivery import sample
from tests.delivery.test_history_pages import IDS, history

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["history"]
pytestmark = pytest.mark.browser
PAGES = ("releases/", "corrections/", f"r/{IDS[0]}/", f"r/{IDS[1]}/", f"r/{IDS[0]}/models/hostile/")


@pytest.fixture(scope="module")
def kept(history: History, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The sample site without the hostile model, which left in the second of two releases."""
    folder = tmp_path_factory.mktemp("kept")
    root = sample.write_background(folder / "root")
    board, evidence = sample.release()
    stayed = tuple(model for model in board.models if model.slug != "hostile")
    board = board.model_copy(update={"models": stayed, "comparisons": (), "findings": ()})
    found = {model.slug: evidence[model.slug] for model in stayed}
    written = sample.write(folder / "release", board=board, evidence=found)
    build(written, sample.benchmark(), folder / "site", root, history=history)
    with server(folder / "site", 0) as (httpd, address):
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield Served(folder / "site", address)
        httpd.shutdown()


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_on_pages_of_the_history(browser: Browser, kept: Served, path: str) -> None:
    """In light and dark, on a screen and a phone, with every part unfolded."""
    page = browser.new_page()
    found: dict[str, list[str]] = {}
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(kept.address + path, wait_until="load")
        page.evaluate(UNFOLD)
        found |= {f"{scheme} {one}": where for one, where in violations(page).items()}
    page.close()
    assert found == {}


def test_the_address_of_a_verdict_opens_it(browser: Browser, kept: Served) -> None:
    """A fold that holds the verdict of an address is open, so that a reader sees the verdict."""
    path = f"r/{IDS[0]}/models/hostile/"
    html = (kept.folder / path / "index.html").read_text("utf-8")
    place = re.findall(r'<li id="([^"]+)"', html)[-1]
    page = browser.new_page()
    page.goto(f"{kept.address}{path}#{place}", wait_until="load")
    page.wait_for_selector(f"#{re.escape(place)}", state="visible", timeout=10_000)
    page.close()
