"""The pages of a release of open logs: each model by itself, and why no model is compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from delivery.sync_web_bench import build, project
from ib.models.release.leaderboard import Leaderboard
from tests.delivery import sample
from tests.delivery.reading import Element, body, read

NAMES = ("Alder 1", "Birch 2")
WHY = "Different people asked different things."


def logs() -> Leaderboard:
    """The sample as a release of open logs."""
    board, _ = sample.release()
    return board.model_copy(update={"open_logs": True, "notes": (WHY,)})


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The files of the build folder for open logs."""
    return project(logs(), sample.release()[1], sample.benchmark(), sample.background())


def shown(pages: dict[str, str], path: str) -> Element:
    """The tree of a page."""
    return read(body(pages[path]))


def tables_of_several(pages: dict[str, str]) -> set[str]:
    """The pages with a table in which two models have a row or a column."""
    found = set()
    for path in (path for path in pages if path.endswith(".md")):
        for table in shown(pages, path).all("table"):
            heads = [head.text for head in table.all("th")]
            if all(any(name in head for head in heads) for name in NAMES):
                found.add(path)
    return found


def test_no_table_of_rates_has_two_models(pages: dict[str, str], projected: dict[str, str]) -> None:
    """Only the lists of models and of their files name both, without a rate. The test sees other tables."""
    assert tables_of_several(pages) == {"models/index.md", "data.md"}
    assert {"leaderboard.md"} <= tables_of_several(projected)
    heads = [head.text for head in shown(pages, "models/index.md").all("th")][:3]
    assert heads == ["Assistant", "Conversations", "Replies cut off"]
    for path in ("models/index.md", "data.md"):
        assert " of " not in shown(pages, path).all("tbody")[0].text


def test_no_page_has_a_rate_of_all_models(pages: dict[str, str], projected: dict[str, str]) -> None:
    """The conversations of two models have nothing in common that a rate could be of."""
    assert any("All assistants together" in text for text in projected.values())
    assert not any("All assistants together" in text for text in pages.values())


def test_the_first_page_says_why_and_has_each_model(pages: dict[str, str]) -> None:
    """The note of the release comes before the first figure, and every model has its own section."""
    home = shown(pages, "index.md")
    assert home.text.index(WHY) < home.text.index("ard fail by one AI judge in")
    sections = [section.text for section in home.all("section", "ib-model")]
    assert [sum(name in section for section in sections) for name in NAMES] == [1, 1]
    assert "Leaderboard" not in pages["index.md"]
    assert "Models can be compared if" in shown(pages, "methodology.md").text


def test_every_conversation_has_a_page_and_no_scenario_has(pages: dict[str, str]) -> None:
    """Scenarios of the benchmark, which no model of a log met, are left out."""
    slugs = {entry.slug for entry in logs().scenarios}
    found = {path for path in pages if path.startswith("scenarios/")}
    assert found == {"scenarios/index.md", *(f"scenarios/{slug}.md" for slug in slugs)}
    rows = json.loads(pages["data/scenarios.json"])["rows"]
    assert {row["scenario_id"] for row in rows} == {entry.scenario_id for entry in logs().scenarios}
    assert "Conversation night-shift-001" in shown(pages, "scenarios/night-shift-001.md").text


def test_people_of_a_log_are_not_called_invented(pages: dict[str, str], tmp_path: Path) -> None:
    """The built site has no broken link, and neither its frame nor its pages say that people are invented."""
    folder = sample.write(tmp_path / "release", board=logs())
    build(folder, sample.benchmark(), tmp_path / "site", None)
    home = (tmp_path / "site" / "index.html").read_text()
    assert "invented" not in home
    assert "Leaderboard" not in home
    assert "Conversations" in home
    assert "invented" not in pages["about.md"]


def test_asked_checks_are_those_with_a_verdict(pages: dict[str, str], projected: dict[str, str]) -> None:
    """The sample lists one check as not evaluated; the first page counts the others."""
    known = len(sample.benchmark().checks)
    assert f"{known - 1} of {known} checks were asked" in shown(pages, "index.md").text
    assert "on average 563.5 questions about each, 511.0 answered," in shown(projected, "index.md").text
