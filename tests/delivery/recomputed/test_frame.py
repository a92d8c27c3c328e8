"""The frame of every built page: what its head and its footer say of the release."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.delivery.reading import read
from tests.delivery.recomputed.conftest import Shown
from tests.delivery.recomputed.data import folder

RELEASE = ("Release", "Date", "Benchmark")


def test_the_frame_names_the_release(site: Path, release_folder: Path, root: Path) -> None:
    """Conversations, models and scripts are counted in the head; the footer has release, day, version."""
    board = json.loads((release_folder / "leaderboard.json").read_bytes())
    scripts = {f"reference/{one}" for one in folder(root / "reference", "id")}
    scripted = sum(one["model_id"] in scripts for one in board["models"])
    assert scripted, "the description says how many of the models are scripts"
    counts = [str(number) for number in (board["transcripts"], len(board["models"]), scripted)]
    version = board["benchmark_version"] or "no version"
    named = {"Release": board["results_hash"][:12], "Date": board["released"], "Benchmark": version}
    for path in ("index.html", "leaderboard/index.html", "models/alder/index.html", "404.html"):
        html = (site / path).read_text("utf-8")
        (described,) = re.findall(r'<meta name="description"[^>]* content="([^"]*)"', html)
        assert re.findall(r"\d+", described) == counts, path
        footer = read(html[html.index("<footer") : html.index("</footer>") + 9])
        pairs = zip(footer.all("dt"), footer.all("dd"), strict=True)
        told = {term.text: said.text.removeprefix("version ") for term, said in pairs}
        assert {name: told[name] for name in RELEASE} == named, path


def test_every_caption_names_the_release(whole: Shown, logs: Shown) -> None:
    """A picture of a table or a figure shows which release it is of, and that it is a demonstration."""
    for here in (*whole, *logs):
        board = here.board
        captions = [*here.root.all("caption"), *here.root.all("p", "ib-figure__foot")]
        for text in (one.text for one in captions):
            missing = [one for one in (board["results_hash"][:12], board["released"]) if one not in text]
            assert (missing, "demonstration" in text.lower()) == ([], True), f"{here.address}: {text}"
