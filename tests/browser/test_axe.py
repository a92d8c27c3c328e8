"""Every kind of page has no violation of accessibility that axe finds, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import Served
from tests.browser.kinds import KINDS, examples

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

UNFOLD = """document.querySelectorAll('details').forEach(one => { one.open = true });
document.styleSheets[0].insertRule('* { content-visibility: visible !important }')"""
"""Opens every fold, and lays out what is below the screen, as it is for a reader who comes there."""
EVERY = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AAA = {"color-contrast-enhanced": {"enabled": True}}
"""Text has the contrast of the highest level, 7 to 1."""
LOOKS = (("light", 1280), ("dark", 390))
"""Scheme and width: a phone has another frame, and its tables are lists."""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One page for all tests of this module."""
    opened = browser.new_page()
    yield opened
    opened.close()


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(page: Page, sites: dict[str, Served], kind: str) -> None:
    """The last example of a kind has no violation, with every part unfolded."""
    paths = examples(sites["root"].folder, kind)
    if not paths:
        pytest.skip(f"the sample has no page of the kind {kind!r}")
    found: dict[str, list[str]] = {}
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(sites["root"].address + paths[-1], wait_until="load")
        page.evaluate(UNFOLD)
        found |= {f"{paths[-1]} {scheme} {one}": where for one, where in violations(page).items()}
    assert found == {}


def violations(page: Page) -> dict[str, list[str]]:
    """The rules that a page breaks, with up to three places each."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"resultTypes": ["violations"], "runOnly": EVERY, "rules": AAA}
    found: list[dict[str, Any]] = Axe().run(page, options=options).response["violations"]
    return {one["id"]: [_where(node) for node in one["nodes"][:3]] for one in found}


def _where(node: dict[str, Any]) -> str:
    summary = " ".join(node["failureSummary"].split())
    return f"{node['html'][:160]}: {summary[:240]}"


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_axe_finds_nothing_in_the_open_search(
    page: Page, sites: dict[str, Served], scheme: str, width: int
) -> None:
    """With results, on a desktop and on a phone; nothing of the dialog is out of sight."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(sites["root"].address + "about/", wait_until="load")
    page.locator(".ib-search-open").click()
    page.locator("input.md-search__input").press_sequentially("birch")
    page.locator(".md-search-result__link").first.wait_for()
    assert violations(page) == {}
    box = page.locator(".md-search__inner").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
