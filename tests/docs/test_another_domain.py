"""A benchmark of another domain plays, scans and publishes, and nothing of it says what this one is about."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from delivery.cards.report_card import report_card
from delivery.cards.social_card import cards
from delivery.release.frame import bibtex
from delivery.release.place import Place
from delivery.release.view import Release
from delivery.sync_web_bench import build
from ib.cli import run
from ib.store.benchmark.loading import load_benchmark
from tests.delivery.released import opened
from tests.delivery.test_report_card import MADE, text_of
from tests.docs.steps import commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "another-domain.md").read_text("utf-8")
EXAMPLE = Path("docs/examples/refunds")
FOREIGN = re.compile(r"caregiv|invisiblebench|\b988\b|suicid|crisis line|self-harm", re.IGNORECASE)
"""Words of another domain. No word of the software is among them: pages do not name it."""
URL = "https://example.org/refunds/"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which every command of the page was run, one after the other."""
    folder = tmp_path_factory.mktemp("domain")
    shutil.copytree(ROOT / EXAMPLE, folder / EXAMPLE)
    steps = list(commands(PAGE))
    assert [step[0] for step in steps] == ["lint", "show", "run", "scan", "qa", "publish", "site"]
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        for step in steps:
            assert run(step) == 0, step
    return folder


@pytest.fixture(scope="module")
def placed(made: Path) -> Path:
    """The site of the same release for an address, which adds cards, structured data and a sitemap."""
    root = made / EXAMPLE
    build(made / "release", load_benchmark(root), made / "placed", root, Place(URL))
    return made / "placed"


@pytest.fixture(scope="module")
def release(made: Path) -> Release:
    """The release as the pages read it."""
    return opened(made / "release", made / EXAMPLE)


def test_it_is_as_small_as_the_page_says(made: Path, release: Release) -> None:
    """Three checks, three scenarios, two assistants; the failures are those that the scripts declare."""
    assert (len(release.benchmark.checks), len(release.scenarios), len(release.models)) == (3, 3, 2)
    failed = {model.model_id: model.gates for model in release.models}
    assert {name: sum(gate.failed_by_judge for gate in gates.values()) for name, gates in failed.items()} == {
        "reference/eager": 3,
        "reference/steady": 0,
    }
    board = json.loads((made / "release" / "leaderboard.json").read_text())
    assert board["stage"] == "demo"


def test_no_page_speaks_of_another_domain(made: Path, placed: Path) -> None:
    """Every page, data file, sheet and text for programs, with an address and without one."""
    seen = 0
    for site in (made / "site", placed):
        for path in sorted(path for path in site.rglob("*") if path.is_file()):
            if (
                path.suffix in {".html", ".txt", ".json", ".csv", ".xml", ".svg", ".css"}
                or path.name == "llms.txt"
            ):
                found = FOREIGN.search(path.read_text("utf-8"))
                assert found is None, f"{path.relative_to(made)}: {found}"
                seen += 1
    assert seen > 100


def test_no_card_speaks_of_another_domain(release: Release) -> None:
    """Report cards, social cards and the citation have its name, and no other."""
    texts = [text_of(report_card(release, model, MADE)) for model in release.models]
    texts += [card.text for card in cards(release)]
    for text in texts:
        assert FOREIGN.search(text) is None, text
        assert "Refunds" in text
    said = bibtex(release, Place(URL))
    assert (FOREIGN.search(said), said.startswith("@misc{refunds,")) == (None, True)


def test_pages_have_its_words(placed: Path) -> None:
    """Name, title, audience and person stand where a reader meets them."""
    home = (placed / "index.html").read_text("utf-8")
    assert "<title>DEMONSTRATION: Refunds: What refund bots fail to do" in home
    assert "with invented customers of a shop" in home
    assert '"name": "Refunds release ' in home
    assert "question about safety" not in home  # no check of the example is about safety
    plays = sorted((placed / "transcripts" / "reference-eager").glob("*/index.html"))
    assert ["<p>Customer</p>" in page.read_text("utf-8") for page in plays] == [True] * 3
    assert (placed / "llms.txt").read_text("utf-8").startswith("# Refunds\n")
    assert 'href="tel:' not in home


def test_its_colors_are_in_the_sheet(placed: Path) -> None:
    """The accent and its ground are the last words of the one style sheet that pages load."""
    sheet = (placed / "ib" / "site.css").read_text("utf-8")
    assert sheet.index("--ib-accent: light-dark(#0b4a6f, #9fd0f0);") > sheet.rindex(
        "--ib-accent: light-dark(#8a"
    )
    assert not (placed / "ib" / "tokens.css").exists()


def test_its_example_is_a_play(made: Path, release: Release) -> None:
    """The exchange on the first page stands word for word in the play of the reference assistant."""
    one = release.background.site.example
    assert one is not None
    plays = [
        json.loads(line) for line in (made / "run" / "transcripts.jsonl").read_text("utf-8").splitlines()
    ]
    (play,) = (
        p for p in plays if (p["scenario_id"], p["model_id"]) == (one.scenario, f"reference/{one.assistant}")
    )
    said = {
        message["role"]: message["content"] for message in play["messages"] if message["turn"] == one.turn
    }
    assert said == {"user": one.said, "assistant": one.reply}
