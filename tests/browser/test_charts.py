"""Charts in a real browser: squares that a finger can hit, and the page of two models within six screens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from delivery.sync_web_bench import build
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from tests.browser.conftest import served
from tests.once import once

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
SCREEN, SCREENS = 900, 6
FINGER = 24
WIDTHS = (390, 768, 1440)
BOXES = (
    "all => all.map(one => { const b = one.getBoundingClientRect(); return [b.x, b.y, b.width, b.height] })"
)


@pytest.fixture(scope="module")
def demonstration(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The site of the demonstration: its folder and its address."""
    folder = once(
        tmp_path_factory,
        "charts",
        lambda out: build(ROOT / "data" / "leaderboard", load_benchmark(), out / "site", benchmark_folder()),
    )
    with served(folder / "site") as address:
        yield folder / "site", address


def test_a_pair_is_six_screens(visit: Any, demonstration: tuple[Path, str]) -> None:
    """The verdict and the picture are on the first screen; the page ends within the sixth, at 1440 x 900."""
    folder, address = demonstration
    visit.page.set_viewport_size({"width": 1440, "height": SCREEN})
    pairs = sorted(path.parent.name for path in (folder / "compare").glob("*/index.html"))
    assert len(pairs) == 28
    for pair in pairs[::3]:
        visit.page.goto(f"{address}compare/{pair}/")
        assert visit.page.evaluate("document.documentElement.scrollHeight") <= SCREENS * SCREEN, pair
        for part in (".ib-answer-line", "#both tbody tr:nth-child(3)"):
            box = visit.page.locator(part).bounding_box()
            assert box["y"] + box["height"] <= SCREEN, pair


def test_a_square_is_large_enough_for_a_finger(visit: Any, demonstration: tuple[Path, str]) -> None:
    """At every width the squares are 24 pixels, lie side by side, and are no wider than the screen."""
    visit.page.goto(f"{demonstration[1]}models/reference-cheerleader/")
    for width in WIDTHS:
        visit.page.set_viewport_size({"width": width, "height": SCREEN})
        boxes = visit.page.locator(".ib-units a").evaluate_all(BOXES)
        assert len(boxes) == 39 + 63
        assert all(wide >= FINGER and high >= FINGER for _, _, wide, high in boxes)
        assert all(x >= 0 and x + wide <= width for x, _, wide, _ in boxes)
        corners = {(round(x), round(y)) for x, y, _, _ in boxes}
        assert len(corners) == len(boxes)


def test_the_bracket_is_as_wide_as_the_squares(visit: Any, demonstration: tuple[Path, str]) -> None:
    """Otherwise the bracket would stand below other squares than its numbers say."""
    visit.page.goto(f"{demonstration[1]}models/reference-cheerleader/")
    for width in WIDTHS:
        visit.page.set_viewport_size({"width": width, "height": SCREEN})
        for units in visit.page.locator(".ib-units").all():
            (last,) = units.locator("a").evaluate_all(
                "all => [Math.max(...all.map(one => one.getBoundingClientRect().right))]"
            )
            (first,) = units.locator("a").first.evaluate_all(BOXES)
            (drawn,) = units.locator(".ib-bracket").evaluate_all(BOXES)
            assert abs(drawn[0] - first[0]) <= 1
            assert abs(drawn[0] + drawn[2] - last) <= 1


def test_the_squares_are_reached_by_keyboard_as_a_list(visit: Any, demonstration: tuple[Path, str]) -> None:
    """No square takes the focus; the list behind them has a link with a name for each."""
    visit.page.goto(f"{demonstration[1]}models/reference-cheerleader/")
    assert visit.page.locator(".ib-units a:not([tabindex='-1'])").count() == 0
    visit.page.locator("#card summary").first.click()
    listed = visit.page.locator("#card .ib-ways a")
    assert listed.count() == visit.page.locator(".ib-units a").count()
    assert listed.first.is_visible()
    assert all(text.strip() for text in listed.all_inner_texts())


def test_failed_and_clear_squares_differ_without_color(visit: Any, demonstration: tuple[Path, str]) -> None:
    """In gray, the filled squares are far darker (or, in the dark, lighter) than the clear ones."""
    visit.page.goto(f"{demonstration[1]}models/reference-cheerleader/")
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        looks = "one => getComputedStyle(one).backgroundColor.match(/[0-9.]+/g).map(Number)"
        failed, clear = (
            sum(visit.page.locator(f".ib-units a.{kind}").first.evaluate(looks)[:3]) / 3
            for kind in ("failed", "clear")
        )
        assert abs(failed - clear) > 80, scheme
