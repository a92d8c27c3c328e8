"""From home to the words of a failure on a phone: at most three taps, over the checks and over the gates.

The first tap is the leaderboard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Visit, watched
from tests.delivery import sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser

CELLS = "#by-check > table tr:has(a[href*='IB-A']) td a"
"""Every line of the safety checks that has evidence, but those that are folded."""
CASE = ".ib-case:has(.ib-reply mark)"
"""A case whose reply is on the page, with the words of the verdict marked."""


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Visit]:
    """A phone with a touch screen and without scripts."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, java_script_enabled=False
    )
    yield watched(context.new_page(), address)
    context.close()


def test_a_line_of_a_check_leads_to_the_words(phone: Visit) -> None:
    """Tap a line of the leaderboard, unfold the case: the caregiver's and the failing words show."""
    phone.open("leaderboard/")
    cells = [path for path in _paths(phone.page.locator(CELLS)) if "#" not in path]
    failed = [path for path in cells if _fails(phone, path)]
    shown = [path for slug in sample.IDS for path in [one for one in failed if f"/{slug}/" in one][:3]]
    assert {path.split("/")[-3] for path in shown} == set(sample.IDS)
    assert len({path.split("/")[-2] for path in shown}) >= 3
    for path in shown:
        taps = _to_leaderboard(phone)
        taps += _tap(phone, phone.page.locator(f'#by-check a[href="{path}"]'), path) + _unfold(phone)
        _said(phone)
        assert taps <= 3, path
    assert phone.trouble == []


@pytest.mark.parametrize("model", sample.IDS)
def test_the_gates_lead_to_the_words(phone: Visit, model: str) -> None:
    """Tap the safety gate of a model on the leaderboard, unfold the case: three taps."""
    taps = _to_leaderboard(phone)
    case = phone.page.locator(f'.ib-board a[href*="models/{model}/IB-A"]').first
    taps += _tap(phone, case, str(case.get_attribute("href"))) + _unfold(phone)
    _said(phone)
    assert taps <= 3
    assert phone.trouble == []


def _to_leaderboard(phone: Visit) -> int:
    """Open home and tap the way to the leaderboard. Returns the number of taps."""
    phone.open("")
    return _tap(phone, phone.page.locator(".ib-doors a[href$='leaderboard/']"), "leaderboard/")


def _paths(links: Locator) -> list[str]:
    return [str(one.get_attribute("href")) for one in links.all()]


def _fails(phone: Visit, path: str) -> bool:
    """Whether the page of a line has a case with marked words."""
    phone.open(path.removeprefix("../"))
    return phone.page.locator(CASE).count() > 0


def _tap(phone: Visit, link: Locator, path: str) -> int:
    """Tap a link and wait for its page. Returns the number of taps."""
    link.tap()
    phone.page.wait_for_url(f"**/{path.lstrip('./')}")
    return 1


def _unfold(phone: Visit) -> int:
    """Tap the fold of the first case with marked words, if it has one. Returns the number of taps."""
    fold = phone.page.locator(CASE).first.locator("details.ib-veil > summary")
    if not fold.count():
        return 0
    fold.first.tap()
    return 1


def _said(phone: Visit) -> None:
    """The caregiver's words and the marked words of the reply are in sight of the first case."""
    case = phone.page.locator(CASE).first
    asked = case.locator(".ib-moment > blockquote:not(.ib-reply)")
    for words in (asked.first, case.locator(".ib-reply mark").first):
        assert words.is_visible()
        assert words.inner_text().strip()
