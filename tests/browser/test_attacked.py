"""Over 300 payloads in every text of a release, in a real browser: nothing runs, and quotes read as said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Visit, served, watched
from tests.browser.kinds import addresses
from tests.delivery import attacked, sample
from tests.delivery.test_attacked import seen

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

QUOTES = "all => all.map(one => one.textContent)"


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Visit, list[str]]]:
    """The site in a page of the browser, and the addresses of its pages."""
    folder = tmp_path_factory.mktemp("attacked")
    built = attacked.write(folder, attacked.HOSTILE)
    with served(built) as at:
        page = browser.new_page()
        # The page for missing addresses has the address of its host, and shows no text of a release.
        yield watched(page, at), [path for path in addresses(built) if path != "404.html"]
        page.close()


def test_nothing_runs_and_every_text_reads_as_it_was_said(site: tuple[Visit, list[str]]) -> None:
    """No page opens a dialog, logs a message or asks another host. No payload is lost or changed."""
    visit, paths = site
    found: set[str] = set()
    for path in paths:
        visit.page.goto(visit.address + path, wait_until="load")
        visit.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        if path.startswith(("models/hostile/", "transcripts/", "scenarios/")):
            found.update(visit.page.locator("blockquote, mark").evaluate_all(QUOTES))
    assert len(paths) > 50
    assert visit.trouble == []
    marked = {seen(text) for text in attacked.HOSTILE.texts}
    assert marked - found == set()
    said = {seen(f"{sample.BEFORE}words of the caregiver. {text}") for text in attacked.HOSTILE.texts}
    assert said - found == set()
