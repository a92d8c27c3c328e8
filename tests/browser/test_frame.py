"""The frame of every page in a real browser: height, menu, search on demand, schemes, skip link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

KINDS = ("", "models/alder/", "checks/IB-A2/", "scenarios/night-shift-001/", "methodology/", "404.html")


@pytest.mark.parametrize("path", KINDS)
def test_the_frame_leaves_the_first_screen_to_the_page(visit: Any, path: str) -> None:
    """On a phone, the content of a page begins within 170 pixels."""
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.open(path)
    assert visit.page.locator("article > .ib").bounding_box()["y"] <= 170


def test_the_search_is_loaded_when_somebody_opens_it(visit: Any) -> None:
    """Before that, a page loads its sheets, one script and its icon, and no index."""
    seen: list[str] = []
    visit.page.on("request", lambda sent: seen.append(sent.url.rsplit("/", 1)[-1]))
    visit.open("models/")
    before = list(seen)
    assert [name for name in before if name.endswith(".js")] == ["site.js"]
    assert not [name for name in before if name.startswith("search_index")]
    visit.page.get_by_role("button", name="Search").click()
    visit.page.locator("input.md-search__input").press_sequentially("alder")
    visit.page.locator(".md-search-result__link").first.wait_for()
    assert "search_index.json" in seen
    assert visit.trouble == []


def test_letters_typed_before_the_field_comes_are_kept(visit: Any) -> None:
    """A reader types before the search is there: nothing is lost, and results come."""
    visit.open("about/")
    visit.page.route("**/search.js", lambda route: (visit.page.keyboard.type("ald"), route.continue_()))
    visit.page.get_by_role("button", name="Search").click()
    field = visit.page.locator("input.md-search__input")
    until(visit.page, "document.querySelector('.md-search__input')?.value === 'ald'")
    visit.page.keyboard.type("er")
    assert field.input_value() == "alder"
    visit.page.locator(".md-search-result__link").first.wait_for(timeout=5000)
    assert visit.trouble == []


def test_the_search_opens_on_a_phone(visit: Any) -> None:
    """The button opens the field; a result leads to its page."""
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.open("about/")
    visit.page.locator(".ib-search-open").click()
    visit.page.locator("input.md-search__input").press_sequentially("birch")
    visit.page.locator("a.md-search-result__link[href*='models/birch/']").first.click()
    visit.page.wait_for_url("**/models/birch/**")
    assert visit.trouble == []


def test_the_reader_chooses_the_scheme(browser: Browser, address: str) -> None:
    """The system decides at first; a choice is kept over pages; the choice of the system is no choice."""
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    color = "getComputedStyle(document.body).getPropertyValue('background-color')"
    page.goto(address)
    dark = page.evaluate(color)
    page.get_by_role("button", name="Use light colors").click()
    page.goto(f"{address}about/")
    light = page.evaluate(color)
    assert light != dark
    page.get_by_role("button", name="Use dark colors").click()
    assert page.evaluate(color) == dark
    assert page.evaluate("localStorage.length") == 0
    context.close()


def test_the_scheme_of_the_system_needs_no_script(browser: Browser, address: str) -> None:
    """Without JavaScript, a page is dark where the system is dark."""
    found = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, java_script_enabled=False)
        page = context.new_page()
        page.goto(address)
        page.screenshot()
        found.append(page.locator("body").evaluate("one => getComputedStyle(one).backgroundColor"))
        context.close()
    assert len(set(found)) == 2


def test_the_skip_link_comes_first(visit: Any) -> None:
    """The first Tab shows a link that leads to the content."""
    visit.open("")
    visit.page.keyboard.press("Tab")
    link = visit.page.locator(".ib-skip")
    assert link.bounding_box()["x"] >= 0
    visit.page.keyboard.press("Enter")
    assert visit.page.evaluate("document.activeElement.id") == "main"


def test_the_search_gives_the_focus_back(visit: Any) -> None:
    """Escape closes it and leads back to its button, which opens it again; leaving it closes it."""
    visit.open("models/")
    opener = visit.page.locator(".ib-search-open")
    field = "document.activeElement.name === 'query'"
    opener.press("Enter")
    until(visit.page, field)
    visit.page.keyboard.press("Escape")
    assert visit.page.evaluate("document.activeElement.className").startswith("ib-search-open")
    opener.press("Enter")
    assert visit.page.evaluate(field)
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.ariaLabel") == "Search results"
    visit.page.keyboard.press("Shift+Tab")
    visit.page.keyboard.press("Shift+Tab")
    visit.page.locator(".md-search").wait_for(state="hidden")
    assert visit.page.evaluate("document.activeElement.className").startswith(("ib-scheme", "ib-search-open"))
    assert visit.trouble == []


def test_the_menu_needs_no_script(browser: Browser, address: str) -> None:
    """On a phone without JavaScript, the menu opens below its button and leads to every part of the site."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page: Any = context.new_page()
    page.goto(address)
    menu = page.locator(".ib-nav")
    assert not menu.is_visible()
    button = page.get_by_role("button", name="Menu")
    button.click()
    assert menu.bounding_box()["y"] >= button.bounding_box()["y"] + button.bounding_box()["height"]
    menu.get_by_role("link", name="Models", exact=True).click()
    page.wait_for_url("**/models/")
    assert page.locator(".ib-nav a[aria-current='page']").text_content() == "Models"
    context.close()


def test_the_navigation_is_in_place_on_a_desktop(browser: Browser, address: str) -> None:
    """Without JavaScript, every entry is visible in the header, and the button of the menu is not."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    page: Any = context.new_page()
    page.goto(address)
    assert all(link.is_visible() for link in page.locator(".ib-nav a").all())
    assert page.locator(".ib-nav").bounding_box()["y"] < page.locator("main").bounding_box()["y"]
    assert not page.get_by_role("button", name="Menu").is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_has_a_style_of_its_own(browser: Browser, address: str, scheme: Any) -> None:
    """The policy forbids style attributes; no page makes the browser report one."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    for path in KINDS:
        page.goto(address + path, wait_until="networkidle")
        assert page.locator("[style]").count() == 0, path
    assert said == []
    context.close()
