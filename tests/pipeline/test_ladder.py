"""Stories told at three levels: at which level a model stops noticing, computed within each story."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from ib.board.figures.contrasts import noticed_words
from ib.cli import run
from ib.commands.board_words import table
from ib.models.release.comparisons import Level
from ib.models.release.leaderboard import Leaderboard
from ib.pipeline.common.select import Selection
from ib.pipeline.run.play import play
from ib.pipeline.scan.scan import scan
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import Scenarios
from tests.once import once
from tests.pipeline.verifying import edit, reseal, verified

SENTENCE = "noticed 6 of 6 when said, 0 of 6 when hinted, 0 of 6 when buried"
PLAIN, CAREFUL = "vendor/plain", "vendor/careful"
"""One that notices a danger only when it is said, and one that always does but in one buried story."""
STORIES = (
    *("safety-crisis-door-alert", "safety-crisis-foam-or-wax", "safety-crisis-monthly-cuts"),
    *("safety-crisis-shower-valve", "safety-boundaries-van-days", "safety-boundaries-more-data"),
)
MISSED_BY_CAREFUL = f"{STORIES[0]}--buried"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of both models on the set `ladder`, with votes as planted."""

    def make(folder: Path) -> None:
        ids = tuple(f"{story}{level}" for story in STORIES for level in ("", "--said", "--buried"))
        played = play(("reference/companion",), scenarios=Selection(ids=ids), out=folder / "run")
        rows = [json.loads(line) for line in played.transcripts.read_text("utf-8").splitlines()]
        every = [{**row, "model_id": m, "model": m.split("/")[1]} for m in (CAREFUL, PLAIN) for row in rows]
        plays, votes = folder / "plays.jsonl", folder / "votes.jsonl"
        plays.write_text("".join(json.dumps(one) + "\n" for one in every), "utf-8")
        votes.write_text("".join(json.dumps(one) + "\n" for row in every for one in _votes(row)), "utf-8")
        scan(plays, profile="publish", judge=f"recorded:{votes}", out=folder / "scan")
        assert (
            run(["publish", str(folder / "scan"), "--stage", "demo", "--out", str(folder / "release")]) == 0
        )

    return once(tmp_path_factory, "ladder", make) / "release"


def _votes(row: dict[str, Any]) -> list[dict[str, Any]]:
    """A PASS on every safety check that is due, or a FAIL on those of the cue."""
    scenario = Scenarios(benchmark_folder())[row["scenario_id"]]
    cued = {check for anchor in scenario.anchors for check in anchor.checks}
    said = scenario.contrast is not None and scenario.contrast.variable == "said"
    misses = (not said) if row["model_id"] == PLAIN else row["scenario_id"] == MISSED_BY_CAREFUL
    quote = {"role": "assistant", "turn": 1, "quote": row["messages"][1]["content"].split("\n")[0]}
    return [
        {
            "model_id": row["model_id"], "scenario_id": row["scenario_id"], "check_id": check.id,
            "eligible": True, "verdict": verdict, "votes": [verdict] * 3, "evidence": [quote],
            "judge_model": "vendor/judge",
        }
        for check in load_benchmark().checks.values()
        if check.gate == "A"
        for verdict in ["FAIL" if misses and check.id in cued else "PASS"]
    ]  # fmt: skip


@pytest.mark.gate
def test_the_levels_of_each_model_are_in_the_release(release: Path) -> None:
    """A step compares the same stories; the terminal says the same; the release is computed again."""
    board = Leaderboard.model_validate_json((release / "leaderboard.json").read_bytes())
    found = {one.model_id: one for one in board.ladders}
    counts = {m: [(one.noticed.k, one.noticed.n) for one in found[m].levels] for m in found}
    assert counts == {PLAIN: [(6, 6), (0, 6), (0, 6)], CAREFUL: [(6, 6), (6, 6), (5, 6)]}
    assert noticed_words(found[PLAIN]) == SENTENCE
    assert f"{PLAIN}: {SENTENCE}; missed more when hinted than when said: +1.000" in table(board)
    first = {step.first: step.missed for step in found[PLAIN].steps}[Level.BURIED]
    assert (first.only_first, first.difference, first.p) == (6, 1.0, 0.03125)
    once = {step.first: step.missed for step in found[CAREFUL].steps}[Level.BURIED]
    assert (once.only_first, once.only_second, once.neither) == (1, 0, 5)
    assert (once.low or 0) < 0
    assert verified(release).differences == ()


@pytest.mark.gate
def test_an_edited_level_is_found(release: Path, tmp_path: Path) -> None:
    """The figures of a ladder are computed again like all others."""
    copy = tmp_path / "release"
    shutil.copytree(release, copy)

    def more(board: dict[str, Any]) -> None:
        board["ladders"][1]["levels"][2]["noticed"]["k"] = 5

    edit(copy, "leaderboard.json", more)
    reseal(copy)
    assert "ladders" in " ".join(one.words for one in verified(copy).differences)


@pytest.mark.gate
def test_the_site_shows_each_level(release: Path, tmp_path: Path) -> None:
    """A sentence, a square for each conversation, a table and its data."""
    out = tmp_path / "site"
    assert run(["site", "build", "--release", str(release), "--out", str(out)]) == 0
    page = (out / "contrast" / "index.html").read_text("utf-8")
    assert SENTENCE in page
    rows = orjson.loads((out / "data" / "ladders.json").read_bytes())["rows"]
    levels = [(row["level"], row["noticed_k"]) for row in rows if row["model_id"] == PLAIN]
    assert levels == [("said", 6), ("hinted", 0), ("buried", 0)]
