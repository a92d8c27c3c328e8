"""What the first screens hold, how many words home has, and how small letters may be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from delivery.sync_web_bench import build
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from tests.browser.conftest import served
from tests.browser.kinds import KINDS, examples
from tests.once import once

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.gate]

DEMONSTRATION = Path(__file__).resolve().parents[2] / "data" / "leaderboard"
DESKTOP, PHONE = (1440, 900), (390, 844)
SCREENS = {DESKTOP: 2, PHONE: 4}
WORDS = 450
"""The most words on home, with header and footer left out: every page has those."""
HEADLINE = 12
"""The most words of the headline of a finding."""
LEAST = 14
"""Pixels: no letter is smaller, in a drawing neither."""
COUNT = "one => one.innerText.split(/\\s+/).filter(word => /[\\p{L}\\p{N}]/u.test(word)).length"
SMALL = """least => {
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode, inside = text.parentElement, range = document.createRange();
    range.selectNodeContents(text);
    if (!text.textContent.trim() || !inside.checkVisibility({visibilityProperty: true})) continue;
    if (inside.closest(".ib-hidden, script, style") || range.getBoundingClientRect().width < 2) continue;
    const drawing = inside.closest("svg");
    const scale = drawing ? Math.min(drawing.getScreenCTM().a, drawing.getScreenCTM().d) : 1;
    const size = parseFloat(getComputedStyle(inside).fontSize) * scale;
    if (size < least - 0.01) found.add(`${size.toFixed(1)} ${inside.tagName} ${text.textContent.trim()}`);
  }
  return [...found].slice(0, 8);
}"""
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true })"


@pytest.fixture(scope="module")
def demonstration(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site of the demonstration."""
    folder = once(
        tmp_path_factory,
        "demonstration-site",
        lambda at: build(DEMONSTRATION, load_benchmark(), at / "site", benchmark_folder()),
    )
    with served(folder / "site") as at:
        yield at


@contextmanager
def opened(browser: Browser, address: str, size: tuple[int, int]) -> Iterator[Any]:
    """A page on a screen of this size, with its fonts."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(address, wait_until="networkidle")
    page.evaluate("document.fonts.ready.then(() => true)")
    yield page
    page.close()


def bottom(one: Any) -> float:
    """How many pixels below the top of the page an element ends."""
    box = one.bounding_box()
    return float(box["y"] + box["height"])


@pytest.mark.parametrize("size", SCREENS, ids=["desktop", "phone"])
def test_home_has_few_words_on_few_screens(
    browser: Browser, demonstration: str, size: tuple[int, int]
) -> None:
    """At most 450 words, two screens on a desktop and four on a phone."""
    with opened(browser, demonstration, size) as page:
        assert page.locator("main").evaluate(COUNT) <= WORDS
        assert page.evaluate("document.documentElement.scrollHeight") <= SCREENS[size] * size[1]


def test_the_first_screen_of_a_desktop_has_three_findings(browser: Browser, demonstration: str) -> None:
    """The heading, the example, the strip on trust and three whole cards; a headline has at most 12 words."""
    with opened(browser, demonstration, DESKTOP) as page:
        parts = [page.locator(one) for one in ("h1", ".ib-pair", ".ib-trust")]
        cards = page.locator(".ib-cards > li").all()
        assert len(cards) == 3
        assert max(map(bottom, (*parts, *cards))) <= DESKTOP[1]
        assert all(len(head.split()) <= HEADLINE for head in page.locator(".ib-cards h3").all_inner_texts())


def test_the_first_screen_of_a_phone_has_a_finding(browser: Browser, demonstration: str) -> None:
    """The heading, the example, the strip on trust and the headline of the first card."""
    with opened(browser, demonstration, PHONE) as page:
        parts = ("h1", ".ib-pair", ".ib-trust", ".ib-cards > li:first-child h3")
        assert max(bottom(page.locator(one)) for one in parts) <= PHONE[1]


FIELD = """count => {
  const body = document.querySelector(".ib-board tbody");
  const rows = [...body.rows];
  for (let at = rows.length; at < count; at++) {
    body.append(rows[at % rows.length].cloneNode(true));
    body.lastElementChild.cells[0].firstElementChild.textContent = `Company Large ${at}.5 Instruct`;
  }
  rows.slice(count).forEach(row => row.remove());
}"""
"""Makes a field of so many models from the rows of the leaderboard."""
GAPS = """() => [...document.querySelectorAll(".ib-figure")].map(figure => {
  figure.style.contentVisibility = "visible";
  const ends = [...figure.children].map(one => one.getBoundingClientRect().bottom);
  return figure.getBoundingClientRect().bottom - Math.max(...ends);
})"""
"""The empty pixels at the end of each figure."""
LINES = "row => new Set([...row.cells].map(cell => Math.round(cell.getBoundingClientRect().top / 8))).size"
CUT = """row => [...row.cells].filter(cell => cell.scrollWidth > cell.clientWidth + 1)
  .map(cell => cell.textContent)"""


@pytest.mark.parametrize("count", [2, 8, 20])
def test_a_field_is_on_one_screen(browser: Browser, demonstration: str, count: int) -> None:
    """Up to twenty models stand on the first screen of a desktop, with no column out of sight."""
    with opened(browser, f"{demonstration}leaderboard/", DESKTOP) as page:
        page.evaluate(FIELD, count)
        rows = page.locator(".ib-board tbody tr").all()
        assert len(rows) == count
        assert bottom(rows[-1]) <= DESKTOP[1]
        assert page.locator(".ib-scroll:has(.ib-board)").evaluate("one => one.scrollWidth <= one.clientWidth")


OLDER = """() => {
  for (const row of document.querySelectorAll(".ib-board tr")) {
    [...row.cells].slice(6).forEach(cell => cell.remove());
    if (row.closest("thead")) continue;
    for (const cell of [row.cells[1], row.cells[2]]) {
      cell.firstElementChild.textContent = "60 of 63 undecided";
      cell.insertAdjacentHTML("beforeend", ' <span class="ib-mark ib-older">older wording</span>');
    }
  }
}"""
"""Makes the leaderboard of a release without safe twins whose gates were judged by an older wording."""


def test_the_mark_of_an_older_wording_makes_no_page_wider(browser: Browser, demonstration: str) -> None:
    """On a tablet the mark stands below its figure, and the page does not scroll sideways."""
    with opened(browser, f"{demonstration}leaderboard/", (768, 900)) as page:
        page.evaluate(OLDER)
        assert page.locator(".ib-board .ib-older:visible").count() > 2
        assert page.evaluate("document.documentElement.scrollWidth") <= 768


def test_a_short_figure_leaves_no_gap(browser: Browser, demonstration: str) -> None:
    """On a desktop, a figure ends where its drawing or the note in its margin ends."""
    with opened(browser, f"{demonstration}contrast/", DESKTOP) as page:
        gaps = page.evaluate(GAPS)
        assert gaps
        assert max(gaps) <= 10


@pytest.mark.parametrize("count", [2, 8, 20])
def test_a_model_is_six_lines_on_a_phone(browser: Browser, demonstration: str, count: int) -> None:
    """The leaderboard is a list there: at most six lines a model, and no cell is cut."""
    with opened(browser, f"{demonstration}leaderboard/", PHONE) as page:
        page.evaluate(FIELD, count)
        rows = page.locator(".ib-board tbody tr").all()
        assert len(rows) == count
        for row in rows:
            assert row.evaluate(LINES) <= 6
            assert row.evaluate(CUT) == []
            assert row.bounding_box()["height"] < 6 * 30
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_every_figure_of_the_leaderboard_is_a_link(browser: Browser, demonstration: str) -> None:
    """One step from a cell stands what it rests on; the build has checked that each link has its target."""
    with opened(browser, f"{demonstration}leaderboard/", DESKTOP) as page:
        cells = page.locator(".ib-board tbody :is(th, td)")
        figures = [cell for cell in cells.all() if any(map(str.isdigit, cell.inner_text()))]
        assert len(figures) > 40
        assert all(cell.locator("a[href*='models/']").count() == 1 for cell in figures)


def test_the_leaderboard_is_sorted_and_filtered_with_the_keyboard(
    browser: Browser, demonstration: str
) -> None:
    """Both are kept in the address, which shows them again."""
    with opened(browser, f"{demonstration}leaderboard/", DESKTOP) as page:
        page.locator(".ib-board thead button").nth(1).press("Enter")
        page.locator(".ib-filter input").first.press_sequentially("n")
        names = page.locator(".ib-board tbody tr:visible th").all_inner_texts()
        assert names != sorted(names)
        assert 1 < len(names) < 8
        assert page.url.endswith("?t1=2&q1=n")
        page.reload(wait_until="networkidle")
        assert page.locator(".ib-board tbody tr:visible th").all_inner_texts() == names
        assert page.locator(".ib-board [aria-sort='ascending']").inner_text() == "Safety gate"


@pytest.mark.parametrize("kind", KINDS)
def test_no_letter_is_small(browser: Browser, sites: dict[str, Any], kind: str) -> None:
    """Every kind of page, with every part unfolded, on a desktop and on a phone."""
    paths = examples(sites["root"].folder, kind)
    if not paths:
        pytest.skip(f"the sample has no page of the kind {kind!r}")
    for size in SCREENS:
        with opened(browser, sites["root"].address + paths[-1], size) as page:
            page.evaluate(UNFOLD)
            assert page.evaluate(SMALL, LEAST) == [], size
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0], size
