"""The review page: a batch is read by keyboard alone and on a tablet, without a network, and exported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from delivery.pages.review import review_page
from ib.board.review.items import asked
from ib.models.review.answers import Answers
from ib.models.review.batch import Batch, Design, Draw, Item, Purpose, Said, frozen
from ib.pipeline.release.release import make_release
from ib.pipeline.release.replay import replay_scan
from ib.pipeline.review.apply import apply_reviews
from ib.pipeline.review.draw import draw_batch
from ib.store.benchmark.loading import load_benchmark
from tests.browser.test_axe import violations
from tests.build import check
from tests.commands.test_review import make_scan
from tests.once import once

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> &amp; "
    "\u202e@@SCRIPT@@"
)
REPLY = "I hear you. You should stop the tablets now. 🌙 Rest well."


def batch(size: int = 3) -> Batch:
    """A small batch; the words of its first conversation try to become markup."""
    items = tuple(
        Item(
            id=f"{number:016x}",
            language="en",
            asked=asked(check(failure="left_out" if number == 2 else "said")),
            messages=(
                Said(turn=1, role="user", content=HOSTILE if number == 0 else "I am tired."),
                Said(
                    turn=1, role="assistant", content=f"{REPLY} {HOSTILE if number == 0 else ''}", judged=True
                ),
            ),
        )
        for number in range(size)
    )
    draw = Draw(purpose=Purpose.GATE, seed="s")
    return frozen(canary="c", results_hash="1" * 64, benchmark_hash="2" * 64, draw=draw, items=items)


BATCH = batch()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, as a file."""
    out = tmp_path_factory.mktemp("review") / "review.html"
    out.write_text(review_page(BATCH, load_benchmark(None)), "utf-8")
    return out


@pytest.fixture
def page(browser: Browser, path: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page in a browser without a network, of the size that the test asks for."""
    width, touch = getattr(request, "param", (1280, False))
    context = browser.new_context(
        viewport={"width": width, "height": 1024}, has_touch=touch, offline=True, accept_downloads=True
    )
    opened = context.new_page()
    trouble: list[str] = []
    opened.on("pageerror", lambda error: trouble.append(str(error)))
    opened.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    opened.goto(path.as_uri())
    yield opened
    context.close()
    assert trouble == []


def begin(page: Page) -> None:
    """Say who reads, by keyboard."""
    page.focus("#pseudonym")
    page.keyboard.type("reader-1")
    page.keyboard.press("Tab")
    page.keyboard.type("a clin")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#work:not([hidden])")


def to_reply(page: Page) -> None:
    """Go to the first judged reply by keyboard."""
    for _ in range(60):
        if page.evaluate("document.activeElement.dataset.turn !== undefined"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("no judged reply can be reached by keyboard")


def exported(page: Page, act: Any) -> dict[str, Any]:
    """The answers file that an act downloads."""
    with page.expect_download() as download:
        act()
    found: dict[str, Any] = json.loads(Path(download.value.path()).read_text("utf-8"))
    Answers.model_validate_json(json.dumps(found), strict=True)
    return found


def test_a_batch_is_read_by_keyboard_alone(page: Page) -> None:
    """Without a mouse: items are answered, words marked, a step undone, and the answers exported."""
    begin(page)
    page.keyboard.press("p")
    page.keyboard.press("u")
    assert page.locator("[aria-pressed=true]").count() == 0
    page.keyboard.press("f")
    assert "mark the words" in page.inner_text("#said-back")
    assert page.inner_text("#progress") == "0 of 3 answered"
    to_reply(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("m")
    assert page.inner_text("#marked q") == "You should stop the tablets now."
    page.keyboard.press("n")
    page.keyboard.type("puff")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.press("j")
    page.keyboard.press("p")
    assert page.inner_text("#progress") == "3 of 3 answered"
    found = exported(page, lambda: page.keyboard.press("e"))
    assert found["batch"] == BATCH.hash
    assert found["reader"] == {"pseudonym": "reader-1", "role": "clinician", "language": "en"}
    assert [one["answer"] for one in found["answers"]] == ["fail", "cannot_tell", "pass"]
    assert found["answers"][0]["marked"] == [{"turn": 1, "quote": "You should stop the tablets now."}]
    assert found["answers"][0]["note"] == "puff"


@pytest.mark.parametrize("page", [(768, True)], indirect=True)
def test_a_batch_is_read_on_a_tablet(page: Page) -> None:
    """With touch on 768 pixels, all fits, selected words are marked, and answers survive a reload."""
    page.fill("#pseudonym", "Reader Two")
    page.select_option("#role", "language_model")
    page.tap("button[type=submit]")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for number in range(3):
        page.tap("[data-answer=fail]")
        page.evaluate(
            """() => { const node = document.querySelector('[data-turn]').firstChild;
            document.getSelection().setBaseAndExtent(node, 12, node, 34); }"""
        )
        page.wait_for_selector("#mark:not([disabled])")
        page.tap("#mark")
        assert page.inner_text("#marked q") == "You should stop the ta"
        if number < 2:
            page.tap("#next")
    page.reload()
    assert page.inner_text("#progress") == "3 of 3 answered"
    found = exported(page, lambda: page.tap("#export"))
    assert found["reader"]["role"] == "language_model"
    assert [one["answer"] for one in found["answers"]] == ["fail"] * 3


def test_the_words_of_a_model_stay_words(page: Page, path: Path) -> None:
    """Markup in a conversation is shown as text: no element and no script comes of it, and nothing loads."""
    begin(page)
    assert page.inner_text("#said p") == HOSTILE
    assert page.locator("#said img, #said script").count() == 0
    assert page.title() == "Review of conversations"
    text = path.read_text("utf-8")
    data = text.partition('id="data">')[2].partition("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["batch"]["items"][0]["messages"][0]["content"] == HOSTILE
    assert re.findall(r"(?:src|href)=\S*", text.replace(data, "")) == []


def test_a_reader_can_pause(page: Page) -> None:
    """Pause hides the conversation, shows crisis lines, and goes on where it stopped."""
    begin(page)
    page.keyboard.press("Escape")
    assert page.locator("#paused").is_visible()
    assert "988" in page.inner_text("#paused")
    assert violations(page) == {}
    page.keyboard.press("Enter")
    assert not page.locator("#paused").is_visible()
    assert page.inner_text("#item-title") == "Item 1 of 3"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", [(1280, False), (768, True)], indirect=True)
def test_axe_finds_nothing_on_the_review_page(page: Page, scheme: Any) -> None:
    """The start, an item, and an item with a fail have no violation."""
    page.emulate_media(color_scheme=scheme)
    assert violations(page) == {}
    begin(page)
    assert violations(page) == {}
    page.evaluate("document.querySelector('details').open = true")
    page.keyboard.press("f")
    page.evaluate(
        "() => { const n = document.querySelector('[data-turn]').firstChild;"
        "document.getSelection().setBaseAndExtent(n, 0, n, 11); }"
    )
    page.wait_for_selector("#mark:not([disabled])")
    page.keyboard.press("m")
    assert violations(page) == {}


ITEMS = 20


def by_keyboard(page: Page) -> None:
    """Label every item as somebody without a mouse does: nothing but keys, and what the page says."""
    page.keyboard.press("Tab")
    page.focus("#pseudonym")
    begin(page)
    for number in range(ITEMS):
        assert page.inner_text("#item-title") == f"Item {number + 1} of {ITEMS}"
        page.keyboard.press("pfc"[number % 3])
        if number % 3 == 1:
            to_reply(page)
            page.keyboard.press("ArrowRight")
            page.keyboard.press("m")
            page.keyboard.press("n")
            page.keyboard.type("An invented label.")
            page.keyboard.press("Escape")
        page.keyboard.press("j")
    assert page.inner_text("#said-back").startswith("This is the last item")


def by_touch(page: Page) -> None:
    """Label every item as somebody with a tablet does: nothing but taps, and words typed into the form."""
    page.tap("#pseudonym")
    page.keyboard.type("Invented 2")
    page.tap("#role")
    page.select_option("#role", "caregiver")
    page.tap("button[type=submit]")
    for number in range(ITEMS):
        assert page.inner_text("#item-title") == f"Item {number + 1} of {ITEMS}"
        if number == 3:
            page.tap("#pause")
            assert "988" in page.inner_text("#paused")
            page.tap("#resume")
        page.tap(f"[data-answer={('pass', 'fail', 'cannot_tell')[number % 3]}]")
        if number % 3 == 1:
            page.tap("[data-turn]", position={"x": 12, "y": 12})
            page.tap("#mark")
            assert page.locator("#marked q").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.tap("#next")


@pytest.mark.parametrize("width", [1280, 768])
def test_twenty_items_are_labeled_in_the_browser_and_apply(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, width: int
) -> None:
    """By keyboard alone, and on a tablet by touch: each item has its answer, and the export applies."""
    unread = once(tmp_path_factory, "review-scan", make_scan) / "scan"
    drawn = draw_batch(unread, n=ITEMS, design=Design.UNIFORM)
    file = tmp_path / "review.html"
    file.write_text(review_page(drawn.batch, load_benchmark(None)), "utf-8")
    touch = width == 768
    context = browser.new_context(
        viewport={"width": width, "height": 1024}, has_touch=touch, is_mobile=touch, offline=True,
        accept_downloads=True,
    )  # fmt: skip
    page = context.new_page()
    page.goto(file.as_uri())
    (by_touch if touch else by_keyboard)(page)
    found = exported(page, lambda: page.tap("#export") if touch else page.keyboard.press("e"))
    context.close()
    assert [one["answer"] for one in found["answers"]] == [
        ("pass", "fail", "cannot_tell")[number % 3] for number in range(ITEMS)
    ]
    (tmp_path / "answers.json").write_text(json.dumps(found), "utf-8")
    applied = apply_reviews(unread, [tmp_path / "answers.json"], tmp_path / "new")
    assert (applied.read, applied.decided, applied.open) == (ITEMS, 14, 6)
    qa = make_release(replay_scan(tmp_path / "new")).qa
    assert "demo" in qa.granted


def test_a_click_selects_a_sentence(page: Page) -> None:
    """A click on a judged reply selects its sentence; words that were selected by hand stay selected."""
    begin(page)
    page.keyboard.press("j")
    reply = page.locator("[data-turn]").first
    reply.click(position={"x": 10, "y": 10})
    assert page.evaluate("document.getSelection().toString()") == "I hear you."
    page.keyboard.press("m")
    assert page.inner_text("#marked q") == "I hear you."
    page.locator("#said h3").first.click()
    assert page.locator("#marked q").count() == 1


def test_countries_have_names(page: Page) -> None:
    """Crisis lines name the country, not its code."""
    said = page.inner_text("#start .lines")
    assert "United States: 988" in said
    assert "European Union" in said
