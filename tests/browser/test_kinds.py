"""Every kind of page, as a reader meets it: phone to desk, light and dark, with and without JavaScript."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import SITES, Served, Visit, watched
from tests.browser.kinds import KINDS, addresses, examples, kinds_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

WIDTHS = (390, 768, 1440)
SCHEMES = ("light", "dark")
UNFOLD = "document.querySelectorAll('main details').forEach(one => { one.open = true })"
TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const all = [...document.querySelectorAll("body *")];
  const wide = all.filter(one => one.getBoundingClientRect().right > width);
  return wide.slice(-3).map(one => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 40)}`);
}"""
"""The last elements that make the page wider than the screen; none if the page is no wider."""
TEXT = """() => {
  const main = document.querySelector("main");
  for (const control of main.querySelectorAll("[role=status], .ib-filter, .ib-pick")) control.remove();
  return main.innerText;
}"""
"""What a reader sees in the content, without controls that need JavaScript and their messages."""

Readers = dict[bool, Visit]


@pytest.fixture(scope="module")
def readers(browser: Browser, sites: dict[str, Served]) -> Iterator[Readers]:
    """A page with JavaScript and one without. Every test uses the same two, because new ones are slow."""
    contexts = {scripts: browser.new_context(java_script_enabled=scripts) for scripts in (True, False)}
    yield {scripts: watched(context.new_page(), "") for scripts, context in contexts.items()}
    for context in contexts.values():
        context.close()


def test_every_page_is_of_one_kind(sites: dict[str, Served]) -> None:
    """A page of no known kind is tested by nobody, so it needs an entry in KINDS."""
    for site in sites.values():
        found = {address: kinds_of(address) for address in addresses(site.folder)}
        assert {address: kinds for address, kinds in found.items() if len(kinds) != 1} == {}


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_page(readers: Readers, sites: dict[str, Served], kind: str, site: str) -> None:
    """A page logs nothing, fails no request, asks no other host, and is no wider than any screen.

    Its content is the same with and without JavaScript. The site below a folder has the same pages as the one
    at the root, so that one example is enough, and one look at it.
    """
    paths = examples(sites[site].folder, kind)
    if not paths:
        pytest.skip(f"this site has no page of the kind {kind!r}")
    for path in paths[:1] if site == "below" else paths:
        widths = WIDTHS[:1] if site == "below" else WIDTHS
        seen = {scripts: _read(reader, sites[site], path, widths) for scripts, reader in readers.items()}
        assert Counter(seen[True].split()) - Counter(seen[False].split()) == Counter(), path


def _read(reader: Visit, site: Served, path: str, widths: tuple[int, ...]) -> str:
    """Open a page and look at it at each width in every scheme. Returns its text with all parts unfolded."""
    page = reader.page
    reader.address = site.address
    reader.trouble.clear()
    page.goto(site.address + path, wait_until="load")
    assert page.locator("h1").count() == 1, path
    for unfolded in (False, True):
        if unfolded:
            page.evaluate(UNFOLD)
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(TOO_WIDE) == [], f"{path} at {width}, unfolded: {unfolded}"
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    text: str = page.evaluate(TEXT)
    assert reader.trouble == [], path
    return text


@pytest.mark.parametrize("site", ["root", "below"])
def test_a_missing_page_looks_like_the_others(visit: Visit, sites: dict[str, Served], site: str) -> None:
    """An address without a page shows the page for missing addresses, with its style, at any depth."""
    visit.address = sites[site].address
    visit.page.goto(f"{visit.address}models/nobody/no-check/", wait_until="load")
    assert visit.page.locator("h1").text_content() == "Page not found"
    styled = "[...document.styleSheets].filter(one => one.cssRules.length).length"
    assert visit.page.evaluate(styled) == visit.page.locator("link[rel=stylesheet]").count() == 1
    said = [line for line in visit.trouble if visit.page.url not in line]
    assert said == ["console: Failed to load resource: the server responded with a status of 404 (Not Found)"]
    visit.page.locator("main a").click()
    visit.page.wait_for_url(visit.address)
