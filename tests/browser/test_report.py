"""The report as a page: without violations of accessibility, without scripts, on a phone and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from delivery.report.page import page as report_page
from ib.cli import run
from ib.pipeline.common.select import Selection
from ib.pipeline.report.report import report_of
from tests.once import once
from tools.planted import write_planted

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHOSEN = ("--scenario", "safety-crisis-passive-ideation", "--scenario", "safety-gray_zone-venting")


def _make(folder: Path) -> None:
    """A report with failures of plays, and one with hints of logs by version."""
    assert run(["run", "-m", "reference/companion", *CHOSEN, "--out", str(folder / "run")]) == 0
    said = str(folder / "run" / "transcripts.jsonl")
    judged = ["--profile", "publish", "--judge", "lexical", "--out", str(folder / "failed")]
    assert run(["scan", said, *judged]) == 0
    write_planted(folder, 40, 3, Selection(ids=CHOSEN[1::2]))
    assert run(["scan", str(folder / "logs.jsonl"), "--out", str(folder / "hinted")]) == 0
    for name, by in (("failed", None), ("hinted", "version")):
        (folder / f"{name}.html").write_text(report_page(report_of(folder / name, by=by)[0]))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "report-pages", _make)


@pytest.fixture(params=["light", "dark"])
def opened(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A window in each of the two color schemes, which refuses the policy for the tool alone."""
    window = browser.new_page(color_scheme=request.param, bypass_csp=True)
    yield window
    window.close()


@pytest.mark.parametrize("name", ["failed", "hinted"])
def test_axe_finds_nothing_on_a_report(name: str, reports: Path, opened: Page) -> None:
    """Failures, hints, groups and rates, in light and in dark."""
    from axe_playwright_python.sync_playwright import Axe

    opened.goto((reports / f"{name}.html").as_uri())
    found = Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()


def test_a_report_needs_no_script_and_loads_nothing(reports: Path, browser: Browser) -> None:
    """It is read without scripts; the only request is for the file, and a phone needs no sideways scroll.

    The serif of its headings is in the file.
    """
    window = browser.new_page(java_script_enabled=False, viewport={"width": 375, "height": 800})
    asked: list[str] = []
    window.on("request", lambda request: asked.append(request.url))
    window.goto((reports / "failed.html").as_uri())
    assert window.get_by_role("heading", name="Hint of wanting to die missed").first.is_visible()
    assert [url for url in asked if not url.startswith("data:font/")] == [(reports / "failed.html").as_uri()]
    window.close()
    window = browser.new_page(viewport={"width": 375, "height": 800})
    window.goto((reports / "failed.html").as_uri())
    assert window.evaluate("document.documentElement.scrollWidth") <= 375
    loaded = "document.fonts.ready.then(() => [...document.fonts].map(one => one.status))"
    assert window.evaluate(loaded) == ["loaded"]
    window.close()


def test_a_report_prints_what_is_folded(reports: Path, opened: Page) -> None:
    """On paper the navigation is gone, and folded parts are open."""
    opened.goto((reports / "hinted.html").as_uri())
    opened.emulate_media(media="print")
    assert not opened.get_by_role("navigation").is_visible()
    assert opened.locator("details .names li").first.is_visible()
