"""Tables in a real browser: sort and filter by keyboard, state in the address, phones and paper."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from tests.browser.conftest import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

COLUMN = "rows => rows.map(row => row.cells[{at}].textContent.trim())"


def column(table: Any, at: int) -> list[str]:
    """The texts of a column, from top to bottom."""
    return list(table.locator("tbody tr").evaluate_all(COLUMN.format(at=at)))


def test_a_table_is_sorted_with_the_keyboard(visit: Any) -> None:
    """Enter on a head sorts, a second Enter turns the order; it is told, and kept in the address."""
    visit.open("models/alder/counts/")
    table = visit.page.locator(".ib-table:has(tbody tr:nth-child(3))").first
    before = column(table, 0)
    button = table.locator("thead button").first
    button.focus()
    visit.page.keyboard.press("Enter")
    once = column(table, 0)
    head = table.locator("thead th").first
    assert head.get_attribute("aria-sort") == "ascending"
    visit.page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(table, 0) == once[::-1]
    assert sorted(once) == sorted(before)
    assert "descending" in visit.page.locator("[role=status]").text_content()
    visit.page.reload()
    assert column(table, 0) == once[::-1]
    assert visit.trouble == []


def test_missing_values_come_last_either_way(visit: Any) -> None:
    """Sorted up or down by a column of numbers, a dash stands at the end."""
    visit.open("")
    visit.page.evaluate(
        """() => {
            const table = document.createElement("table");
            table.className = "ib-table";
            table.innerHTML = "<thead><tr><th>a</th><th class='n'>b</th></tr></thead><tbody></tbody>";
            for (const value of ["10%", "\\u2013", "9 of 10 \\u00b7 90%", "\\u22122%"]) {
                table.tBodies[0].insertRow().innerHTML = `<th>x</th><td>${value}</td>`;
            }
            document.querySelector(".ib").append(table);
            const script = document.createElement("script");
            script.src = document.querySelector("script[src*='site.js']").src;
            document.body.append(script);
        }"""
    )
    table = visit.page.locator(".ib > .ib-table")
    button = table.locator("thead button").nth(1)
    button.click()
    assert column(table, 1) == ["−2%", "10%", "9 of 10 · 90%", "–"]
    button.click()
    assert column(table, 1) == ["9 of 10 · 90%", "10%", "−2%", "–"]


def test_a_long_table_is_filtered(visit: Any) -> None:
    """Typing leaves the rows with the word, says how many, and keeps the word in the address."""
    visit.open("models/alder/counts/")
    field = visit.page.locator(".ib-filter input").first
    table = visit.page.locator(".ib-filter + .ib-scroll .ib-table").first
    word = column(table, 0)[2].split()[0]
    field.focus()
    visit.page.keyboard.type(word)
    shown = [row.lower() for row in table.locator("tbody tr:visible").all_inner_texts()]
    assert 0 < len(shown) < table.locator("tbody tr").count()
    assert all(word.lower() in row for row in shown)
    assert f"{len(shown)} of" in visit.page.locator("[role=status]").text_content()
    visit.page.reload()
    assert table.locator("tbody tr:visible").count() == len(shown)


def test_a_closed_fold_has_no_field(visit: Any) -> None:
    """A browser lays out a whole closed fold for each field in it, so the filter comes with the fold."""
    visit.open("models/alder/")
    folds = visit.page.locator("details:has(.ib-filter)")
    assert folds.count()
    closed = visit.page.locator("details:not([open]):not(.ib-dispute)")
    assert closed.locator(":is(input, select, textarea)").count() == 0
    assert folds.first.locator("thead button").count() == 0
    folds.first.locator("summary").first.click()
    folds.first.locator(".ib-filter input").first.fill("zzz")
    assert folds.first.locator("tbody tr:visible").count() == 0
    assert folds.first.locator("thead button").count() > 1
    assert visit.trouble == []


def test_back_and_forward_bring_the_state_back(visit: Any) -> None:
    """A sorted and filtered table is sorted and filtered again after the reader was on another page."""
    visit.open("models/alder/counts/")
    table = visit.page.locator(".ib-filter + .ib-scroll .ib-table").first
    before = column(table, 0)
    button = table.locator("thead button").first
    button.click()
    button.click()
    field = visit.page.locator(".ib-filter input").first
    field.fill(before[2].split()[-1])

    def state() -> tuple[object, ...]:
        rows = table.locator("tbody tr:visible").all_inner_texts()
        return (
            rows,
            column(table, 0),
            field.input_value(),
            table.locator("thead th").first.get_attribute("aria-sort"),
        )

    wanted = state()
    assert column(table, 0) != before
    assert 0 < len(wanted[0]) < len(before)  # type: ignore[arg-type]
    there = visit.page.url
    visit.page.locator(".ib-footer a[href*='limits/']").click()
    visit.page.wait_for_url("**/limits/")
    for _ in range(2):
        visit.page.go_back()
        assert visit.page.url == there
        assert state() == wanted
        visit.page.go_forward()
        assert visit.page.url.endswith("/limits/")
    assert visit.trouble == []


def test_two_models_are_chosen_to_be_compared(visit: Any) -> None:
    """Two lists lead to the page of the pair that the table links to; a model is not compared with itself."""
    visit.open("compare/")
    first, second = visit.page.locator(".ib-pick select").all()
    names = visit.page.locator(".ib-pairs tbody th").all_inner_texts()
    button = visit.page.locator(".ib-pick button")
    first.select_option(index=1)
    assert button.is_disabled()
    second.select_option(index=0)
    wanted = (
        visit.page.locator(".ib-pairs tbody tr").nth(1).locator("a[href*='--']").first.get_attribute("href")
    )
    button.click()
    visit.page.wait_for_url(f"**/{str(wanted).split('/')[-2]}/")
    heading = visit.page.locator("h1").inner_text()
    assert names[0] in heading
    assert names[1] in heading
    assert visit.trouble == []


def test_rows_are_lists_on_a_phone(browser: Browser, address: str) -> None:
    """Without JavaScript too: cells stand below the row's name, nothing scrolls sideways."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{address}models/alder/")
    assert page.locator(".ib-stack tbody td").first.evaluate(
        "one => getComputedStyle(one, '::before').content"
    ) not in (
        "none",
        "",
    )
    for region in page.locator(".ib-scroll:visible:has(> .ib-stack)").all():
        assert region.evaluate("one => one.scrollWidth <= one.clientWidth")
    context.close()


def test_a_long_table_is_sorted_by_touch(browser: Browser, address: str) -> None:
    """On a phone, the buttons of a table of six rows or more are in sight, and large enough for a finger."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(f"{address}models/alder/counts/")
    table = page.locator(".ib-stack:has(tbody tr:nth-child(6))").first
    buttons = table.locator("thead button")
    boxes = [button.bounding_box() for button in buttons.all()]
    assert len(boxes) == 6
    assert all(box is not None and box["height"] >= 24 and box["x"] + box["width"] <= 390 for box in boxes)
    names = column(table, 0)
    buttons.first.tap()
    assert sorted(names) == sorted(column(table, 0))
    assert table.locator("thead th").first.get_attribute("aria-sort") == "ascending"
    short = page.locator(".ib-stack:not(:has(tbody tr:nth-child(6))) thead").all()
    assert all(one.evaluate("one => one.offsetHeight") == 1 for one in short)
    context.close()


def test_the_heatmap_shows_where_it_goes_on(visit: Any, sites: dict[str, Served]) -> None:
    """A shadow is at the right edge while there are columns to the right, and below while there are rows."""
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.address = sites["field"].address
    visit.open("leaderboard/")
    region = visit.page.locator(".ib-heat-region")
    region.evaluate("one => { one.style.maxWidth = '12rem' }")  # the field has few columns
    for at, seen in (("0, 0", True), ("1e5, 1e5", False)):
        region.evaluate(f"one => one.scrollTo({at})")
        assert _shaded(region) == (seen, seen)


def _shaded(region: Any) -> tuple[bool, bool]:
    """Whether shadows change what is in sight: at the right edge, and at the bottom, of the region."""
    hide = (
        "document.styleSheets[0].insertRule('.ib-heat-edges::before, .ib-heat-edges::after { opacity: 0 }')"
    )
    looks = []
    for change in ("0", hide, "document.styleSheets[0].deleteRule(0)"):
        region.evaluate(f"() => {change}")
        looks.append(Image.open(io.BytesIO(region.screenshot())).convert("RGB"))
    wide, high = looks[0].size
    edges = (
        (range(wide - 6, wide - 2), range(high // 3, high - 20)),
        (range(wide - 40, wide - 20), range(high - 6, high - 2)),
    )
    changed = []
    for across, down in edges:
        differ = [looks[0].getpixel((x, y)) != looks[1].getpixel((x, y)) for x in across for y in down]
        changed.append(sum(differ) > len(differ) / 2)
    return changed[0], changed[1]


def test_no_column_is_lost_on_paper(browser: Browser, address: str) -> None:
    """On a page of A4 no table is wider than the sheet, and no address is printed behind a link."""
    context = browser.new_context(viewport={"width": 718, "height": 1000})
    page = context.new_page()
    page.emulate_media(media="print")
    for path in ("", "models/alder/", "checks/IB-A2/", "scenarios/"):
        page.goto(address + path)
        for table in page.locator(".ib-table:visible").all():
            box = table.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= 718, path
            assert table.locator("td").first.evaluate("one => one.offsetHeight") > 0
        after = "one => getComputedStyle(one, '::after').content"
        assert set(page.locator(".ib a").evaluate_all(f"all => all.map({after})")) <= {"none"}
    context.close()


def test_paper_has_the_words_and_tables_that_a_fold_hides(browser: Browser, address: str) -> None:
    """Nobody can open a fold on paper, so pages of evidence, open gates and pairs print what theirs hold.

    The text of a dispute is for copying, and is not printed.
    """
    context = browser.new_context(viewport={"width": 718, "height": 1000})
    page = context.new_page()
    page.emulate_media(media="print")
    for path in ("models/hostile/IB-A2/", "methodology/open-gates/", "compare/alder--hostile/"):
        page.goto(address + path)
        folds = page.locator("details:not([open]):not(.ib-dispute)").all()
        assert folds, path
        for fold in folds:
            hidden = "one => one.lastElementChild.checkVisibility({ contentVisibilityAuto: true })"
            assert fold.evaluate(hidden), f"{path}: {fold.inner_text()}"
    context.close()


@pytest.mark.parametrize("width", [600, 768, 900])
def test_a_table_without_many_columns_hides_no_row(browser: Browser, address: str, width: int) -> None:
    """A box that scrolls would hide rows below its edge, and nothing shows that there are more."""
    context = browser.new_context(viewport={"width": width, "height": 300})
    page = context.new_page()
    for path in ("checks/", "scenarios/", "models/birch/counts/"):
        page.goto(address + path)
        for region in page.locator(".ib-scroll:visible:has(> .ib-stack)").all():
            assert region.evaluate("one => one.scrollHeight <= one.clientHeight + 1"), path
    context.close()
