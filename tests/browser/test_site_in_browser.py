"""The site in a real browser: no errors, no foreign requests, quotes as they were said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import until
from tests.delivery import sample
from tests.delivery.test_escape import shown

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

CHECK = "IB-A2"
MORE_MODELS = """one => {
  for (const row of one.querySelectorAll("tr")) {
    for (let n = 0; n < 20; n++) row.append(row.lastElementChild.cloneNode(true));
  }
}"""


def test_quotes_read_as_they_were_said(visit: Any) -> None:
    """The browser shows the text of a quote as the model wrote it; invisible characters are marked."""
    for item in sample.release()[1]["hostile"].items[::5]:
        visit.open(f"models/hostile/{item.check_id}/")
        found = visit.page.locator("mark").evaluate_all("all => all.map(one => one.textContent)")
        assert {shown(span.quote) for span in item.quotes if span.role == "assistant"} <= set(found)
    assert visit.trouble == []


def test_the_search_shows_a_hostile_name_as_text(visit: Any) -> None:
    """The search finds a model with markup in its name and shows the markup as text."""
    visit.open("")
    visit.page.get_by_role("button", name="Search").click()
    visit.page.locator("input.md-search__input").press_sequentially("script alert")
    results = visit.page.locator(".md-search-result__list")
    results.locator("a[href*='models/hostile/']").first.wait_for()
    assert "<script>alert(2)</script>" in results.text_content()
    assert results.locator("script, img, iframe").count() == 0
    assert visit.trouble == []


def test_turns_are_a_list_with_commas(visit: Any) -> None:
    """Each comma is right behind its number, on the screen and on paper, although the links are wide."""
    visit.open("transcripts/hostile/two-errands-002/")
    commas = "all => all.map(one => getComputedStyle(one, '::after').content)"
    for media in ("screen", "print"):
        visit.page.emulate_media(media=media)
        several = visit.page.locator(".ib-turns:has(a + a)").first.locator("a")
        *before, last = several.evaluate_all(commas)
        assert last == "none"
        assert {one[:3] for one in before} == {'","'}
    visit.page.emulate_media(media="screen")
    assert several.first.bounding_box()["width"] >= 24


def test_tables_scroll_by_keyboard(visit: Any) -> None:
    """A table that is wider than the screen takes the focus and scrolls with the arrow keys."""
    visit.page.set_viewport_size({"width": 800, "height": 900})
    visit.open("checks/")
    region = visit.page.locator(".ib-scroll").first
    # The table of the sample fits; more cells in each row stand for those of a larger field.
    region.evaluate(MORE_MODELS)
    region.scroll_into_view_if_needed()  # what is far from the screen has no size yet
    until(visit.page, "document.querySelector('.ib-scroll').scrollWidth > innerWidth + 40")
    region.focus()
    visit.page.keyboard.press("ArrowRight")
    until(visit.page, "document.querySelector('.ib-scroll').scrollLeft > 0")


def test_everything_can_be_read_without_scripts(browser: Browser, address: str) -> None:
    """Without JavaScript the tables are complete, and a covered quote opens by a click."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}models/alder/")
    assert page.locator("table tbody tr").count() >= len(sample.benchmark().checks)
    page.goto(f"{address}models/hostile/{CHECK}/")
    quote = page.locator("blockquote").first
    assert not quote.is_visible()
    page.locator(".ib summary").first.click()
    assert quote.is_visible()
    context.close()


def test_a_scenario_reads_as_it_is_written(visit: Any) -> None:
    """The browser shows a message as the scenario has it; invisible characters are marked."""
    visit.open("scenarios/night-shift-001/")
    found = visit.page.locator("blockquote").evaluate_all("all => all.map(one => one.textContent)")
    for turn in sample.background().scenarios["night-shift-001"].all_turns():
        assert shown(turn.user_message) in found
    assert visit.trouble == []


def test_expected_behaviors_open_without_scripts(browser: Browser, address: str) -> None:
    """The expected behaviors of a turn are folded away and open without JavaScript."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}scenarios/withheld-004/")
    wanted = page.locator("#turn-1 details")
    assert not wanted.locator("dl").is_visible()
    wanted.locator("summary").click()
    assert wanted.locator("dl").is_visible()
    context.close()
