"""The site by keyboard alone: no trap, everything in reach and in sight, search, pairs, schemes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import PATIENCE, Served, Visit, until, watched
from tests.browser.kinds import KINDS, examples

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

WATCH = """() => {
  const stops = 'a[href], button:not([disabled]), input, select, summary, [tabindex="0"]';
  const reachable = one => one.tabIndex >= 0 && one.checkVisibility({visibilityProperty: true});
  const name = one => `${one.tagName.toLowerCase()}.${one.className} ${one.ariaLabel || one.innerText}`;
  const all = [...document.querySelectorAll(stops)].filter(reachable);
  window.way = [];
  window.hidden = [];
  window.trap = {count: all.length, place: one => all.indexOf(one), name: at => name(all[at])};
  window.unmarked = [];
  addEventListener("keydown", event => {
    const one = document.activeElement;
    if (event.key !== "Tab" || one === document.body) return;
    way.push(all.indexOf(one));
    if (event.shiftKey) return;
    const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
    const seen = [...one.getClientRects()].some(({left, right, top, bottom}) => {
      const x = middle(left, right, innerWidth);
      const there = document.elementFromPoint(x, middle(top, bottom, innerHeight));
      return there && (one.contains(there) || there.contains(one));
    });
    if (!seen) hidden.push(name(one));
    const ring = getComputedStyle(one);
    if (ring.outlineStyle === "none" || parseFloat(ring.outlineWidth) < 2) unmarked.push(name(one));
  }, true);
}"""
"""Note, at each Tab, which element had the focus, whether it was in sight, and whether it had a ring."""

CLOSED = "!document.querySelector('.md-search__output')?.checkVisibility({opacityProperty: true})"
"""Whether the results of the search are out of sight."""


@pytest.fixture(scope="module")
def readers(browser: Browser, sites: dict[str, Served]) -> Iterator[dict[int, Visit]]:
    """A page at the width of a desk and one at that of a phone. Every test of a kind uses the same two."""
    contexts = {
        wide: browser.new_context(viewport={"width": wide, "height": 844}, reduced_motion="reduce")
        for wide in (1280, 390)
    }
    yield {wide: watched(one.new_page(), sites["root"].address) for wide, one in contexts.items()}
    for context in contexts.values():
        context.close()


@pytest.mark.parametrize("kind", KINDS)
def test_tab_walks_through_the_whole_page(
    readers: dict[int, Visit], sites: dict[str, Served], kind: str
) -> None:
    """Tab reaches every control in order, each in sight and with a ring, and leaves; Shift and Tab go back.

    The skip link leads into the content, and every part that unfolds does so by Enter and by Space.
    """
    paths = examples(sites["root"].folder, kind)
    if not paths:
        pytest.skip(f"the sample has no page of the kind {kind!r}")
    for reader in readers.values():
        page = reader.page
        page.goto(reader.address + paths[-1], wait_until="load")
        page.evaluate(WATCH)
        count = page.evaluate("trap.count")
        assert count > 10
        _press(page, "Tab", count + 1)
        forward = page.evaluate("way")
        assert forward[:count] == list(range(count)), page.evaluate(
            "[...Array(trap.count).keys()].filter(at => !way.includes(at)).map(trap.name)"
        )
        assert not page.evaluate("document.activeElement.closest('main, footer')")
        assert page.evaluate("hidden") == []
        assert page.evaluate("unmarked") == []
        page.evaluate("way.length = 0; document.querySelector('.ib-footer nav li:last-child a').focus()")
        page.keyboard.down("Shift")
        _press(page, "Tab", count)
        page.keyboard.up("Shift")
        assert page.evaluate("way")[:count] == list(range(count))[::-1]
        _skip_link(page)
        _unfold(page)
        assert reader.trouble == []


def _press(page: Page, key: str, times: int) -> None:
    for _ in range(times):
        page.keyboard.down(key)  # held down, which takes half the time of separate presses
    page.keyboard.up(key)


def _skip_link(page: Page) -> None:
    """The skip link puts the focus on the content, and the next Tab stays there."""
    page.locator(".ib-skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    main = page.locator("main")
    if main.locator("a:visible, button:visible, summary:visible").count():
        assert main.evaluate("one => one.contains(document.activeElement)")


def _unfold(page: Page) -> None:
    """The first part of each class that unfolds opens by Enter, and closes by Space."""
    folded: dict[str, Any] = {}
    for summary in page.locator("summary:visible").all():
        folded.setdefault(str(summary.evaluate("one => one.parentElement.className")), summary)
    for css, summary in folded.items():
        for key, opened in (("Enter", True), ("Space", False)):
            summary.focus()
            page.keyboard.press(key)
            assert summary.evaluate("one => one.parentElement.open") is opened, (css, key)


@pytest.mark.parametrize("wide", [1280, 390])
def test_the_search_takes_the_focus_and_gives_it_back(readers: dict[int, Visit], wide: int) -> None:
    """It opens by keyboard, arrows lead to results, Escape closes it, and the focus is where it was.

    It also closes when the focus leaves it, so that it never covers what has the focus.
    """
    reader = readers[wide]
    page = reader.page
    page.goto(f"{reader.address}about/", wait_until="load")
    before = _open_search(page)
    page.keyboard.press("Escape")  # before its script is there
    until(page, CLOSED)
    assert _focus(page) == before
    _open_search(page)
    page.keyboard.type("birch")
    page.locator(".md-search-result__link").first.wait_for()
    _to_a_result(page)
    page.keyboard.press("Escape")
    until(page, CLOSED)
    assert _focus(page) == before
    _open_search(page)
    assert not page.evaluate(CLOSED)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("Boolean(document.activeElement.closest('main'))"):
            break
    assert page.evaluate("Boolean(document.activeElement.closest('main'))")
    until(page, CLOSED)
    assert reader.trouble == []


def test_single_letters_are_no_shortcuts(visit: Visit) -> None:
    """After the search was used, no script takes a letter that is typed outside a field (WCAG 2.1.4)."""
    visit.open("about/")
    _open_search(visit.page)
    visit.page.keyboard.type("birch")
    visit.page.locator(".md-search-result__link").first.wait_for()
    visit.page.keyboard.press("Escape")
    visit.page.locator("main a").first.focus()
    visit.page.evaluate("window.keys = []; addEventListener('keydown', key => keys.push(key), true)")
    letters = ("s", "f", "/", "p", "n")
    for letter in letters:
        visit.page.keyboard.press(letter)
    taken = visit.page.evaluate("keys.map(key => [key.key, key.defaultPrevented])")
    assert taken == [[letter, False] for letter in letters]


def _open_search(page: Page) -> str:
    """Open the search by keyboard, and wait for its field. Returns what had the focus before."""
    page.locator(".ib-search-open").focus()
    before = _focus(page)
    page.keyboard.press("Enter")
    until(page, "document.activeElement.name === 'query'")
    return before


def _to_a_result(page: Page) -> None:
    """Press the arrow until a result has the focus.

    Each letter typed makes new results. If they come late, the focus goes with the old ones.
    """
    end = time.monotonic() + PATIENCE
    page.keyboard.press("ArrowDown")
    while _focus(page) != "md-search-result__link":
        assert time.monotonic() < end
        page.wait_for_timeout(200)
        page.keyboard.press("ArrowDown")


def _focus(page: Page) -> str:
    """The first class of what has the focus, or its tag."""
    return str(page.evaluate("(one => one.classList[0] || one.tagName)(document.activeElement)"))


@pytest.mark.parametrize("wide", [1280, 390])
def test_a_pair_is_chosen_by_keyboard(readers: dict[int, Visit], wide: int) -> None:
    """Letters choose in both lists, and Enter opens the page of the pair. A link in the table does so too."""
    reader = readers[wide]
    page = reader.page
    page.goto(f"{reader.address}compare/", wait_until="load")
    first, second = page.locator(".ib-pick select").all()
    for name in ("Compare", "with"):
        assert page.get_by_role("combobox", name=name, exact=True).count() == 1
    first.focus()
    page.keyboard.type("birch")
    page.keyboard.press("Tab")
    page.keyboard.type("alder")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Open"
    assert [select.evaluate("one => one.selectedOptions[0].text") for select in (first, second)] == [
        "Birch 2 (script)",
        "Alder 1",
    ]
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/alder--birch/")
    page.go_back()
    page.wait_for_url("**/compare/")
    page.locator(".ib-stack a[href*='alder--birch']").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/alder--birch/")
    assert reader.trouble == []


def test_without_scripts_the_table_of_pairs_is_the_way(browser: Browser, address: str) -> None:
    """Without JavaScript no empty control is shown, and Tab and Enter in the table lead to each pair."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}compare/")
    assert not page.locator(".ib-pick, .ib-search-open, .ib-scheme").locator("visible=true").count()
    pairs = {one.get_attribute("href") for one in page.locator(".ib-stack a[href*='--']").all()}
    assert len(pairs) == 3
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.locator(".ib-stack a[href*='--']:focus").count():
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/*--*/")
    context.close()


def test_the_scheme_button_says_what_it_does(browser: Browser, address: str) -> None:
    """Its name is what a press will do, a press is told, and the choice outlives the page."""
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(address)
    button = page.locator(".ib-scheme")
    button.focus()
    for key, told, name in (
        ("Space", "Dark colors", "Use light colors"),
        ("Enter", "Light colors", "Use dark colors"),
    ):
        page.keyboard.press(key)
        assert page.get_by_role("status").text_content() == told
        assert button.get_attribute("aria-label") == name
    page.keyboard.press("Enter")
    page.goto(f"{address}models/")
    assert page.evaluate("document.documentElement.dataset.ibScheme") == "dark"
    assert button.get_attribute("aria-label") == "Use light colors"
    context.close()
