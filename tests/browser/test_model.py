"""The page of a model on a phone and on paper: what a reader needs first, and no more than a reader needs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.delivery import sample

pytestmark = pytest.mark.browser

MOST_PIXELS, MOST_SHEETS = 15_000, 8


@pytest.mark.parametrize("model", sample.IDS)
def test_a_model_is_read_on_a_phone(visit: Any, model: str) -> None:
    """The first screen has both gates and the gravest failure; the page is not endless."""
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    visit.open(f"models/{model}/")
    rows = [row.bounding_box() for row in page.locator("#card tbody tr").all()]
    assert len(rows) > 3
    assert rows[2]["y"] + rows[2]["height"] < 844
    assert page.evaluate("document.documentElement.scrollHeight") < MOST_PIXELS


@pytest.mark.parametrize("model", sample.IDS)
def test_a_model_is_read_on_paper(visit: Any, model: str) -> None:
    """At most eight sheets, with the tables of all checks, although they are folded on the screen."""
    visit.open(f"models/{model}/")
    sheets = visit.page.pdf(format="A4", margin={side: "1cm" for side in ("top", "right", "bottom", "left")})
    assert len(re.findall(rb"/Type /Page\b", sheets)) <= MOST_SHEETS
    visit.page.emulate_media(media="print")
    for table in visit.page.locator(".ib-on-paper .ib-table").all():
        assert table.bounding_box()["height"] > 50


def test_folds_are_open_on_paper_without_help_of_a_style_sheet(visit: Any) -> None:
    """A browser that cannot unfold by style opens the tables before it prints, and closes them again."""
    visit.open("models/alder/")
    folds = visit.page.locator(".ib-on-paper")
    folds.first.evaluate("one => { one.open = true }")
    opened = "all => all.map(one => one.open)"
    count = folds.count()
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert folds.evaluate_all(opened) == [True] * count
    visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert folds.evaluate_all(opened) == [True] + [False] * (count - 1)


def test_a_fold_is_open_if_the_address_sorts_its_table(visit: Any) -> None:
    """The state of a table in the address would be unseen in a closed fold."""
    visit.open("models/alder/")
    folds = visit.page.locator("details:has(.ib-table)")
    assert not folds.first.evaluate("one => one.open")
    folds.first.locator("summary").click()
    folds.first.locator("thead button").first.click()
    visit.page.reload()
    assert [fold.evaluate("one => one.open") for fold in folds.all()[:2]] == [True, False]
