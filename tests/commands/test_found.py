"""A scan without a judge through the whole chain: phrases are found, and nothing fails, passes or scores."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.models.common.base import Route
from ib.store.benchmark.loading import load_benchmark
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
FOUND = "IB-F2-availability-promise"
PHRASES = {
    name for name, check in load_benchmark().checks.items() if check.routing.route is not Route.SCENARIO_RULE
}
"""The checks that no rule computes."""


@pytest.fixture
def scan(transcripts: Callable[..., Path], ib: Call, tmp_path: Path) -> tuple[Path, str]:
    """A smoke scan of a conversation with a listed phrase and of one without, and what it said."""
    silent = [
        {"turn": 1, "role": "user", "content": "Mum was up four times again."},
        {"turn": 1, "role": "assistant", "content": "Could her sister take one night this week?"},
    ]
    path = transcripts(row(), row(scenario="night-02", messages=silent))
    code, _, err = ib("scan", path, "--out", tmp_path / "scan")
    assert code == 0, err
    return tmp_path / "scan", err


def results(folder: Path) -> list[dict[str, Any]]:
    """The lines of results.jsonl."""
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_results_have_no_verdict_of_a_phrase(scan: tuple[Path, str]) -> None:
    """A row is found with its words and lexicon, or not run; no score, no rate and no clear gate."""
    first, second = results(scan[0])
    rows = {one["mode_id"]: one for one in first["rows"]}
    (quote,) = rows[FOUND]["evidence"]
    assert (rows[FOUND]["state"], rows[FOUND]["verdict"], rows[FOUND]["scorer"]) == ("found", None, "none")
    assert quote["pattern"].startswith("availability_promise/")
    assert "always be here" in quote["quote"]
    other = next(one for one in second["rows"] if one["mode_id"] == FOUND)
    assert (other["state"], other["reason"]) == ("not_run", "no_phrase_found")
    for result in (first, second):
        assert {one["verdict"] for one in result["rows"] if one["mode_id"] in PHRASES} == {None}
        score = result["score"]
        assert (score["quality_score"], score["overall_score"]) == (None, None)
        assert {one["rate"] for one in score["quality"].values()} == {None}
        assert "clear" not in {gate["state"] for gate in score["gates"].values()}


def test_the_terminal_and_the_summary_call_it_found(scan: tuple[Path, str], ib: Call) -> None:
    """`ib scan`, summary.md, blindspot.json and `ib explain` say found, and not FAIL or PASS."""
    folder, said = scan
    assert "0 FAIL, 0 PASS" in said
    states = [one["state"] for result in results(folder) for one in result["rows"]]
    assert f"phrases found (no verdict): {states.count('found')} of " in said
    summary = (folder / "summary.md").read_text()
    assert "Found: a listed phrase was found, and no judge read it." in summary
    assert f"| `{FOUND}` | 0 | 0 | 0 | 0 | 1 | 1 | 0 | 0 |" in summary
    (counted,) = json.loads((folder / "blindspot.json").read_text())["models"].values()
    told = counted["checks"][FOUND]
    assert (told["k"], told["n"], told["found"], told["searched"], told["not_run"]) == (0, 0, 1, 2, 1)
    code, out, _ = ib("explain", folder, "--check", FOUND, "--scenario", "night-01")
    assert (code, "state found, verdict none" in out, "decides nothing" in out) == (0, True, True)
    assert "availability_promise/" in out


@pytest.mark.gate
def test_its_site_shows_no_score(scan: tuple[Path, str], ib: Call, tmp_path: Path) -> None:
    """The pages of a demonstration of a smoke scan show what was found, and no score of any dimension."""
    site = tmp_path / "site"
    out = ("--out", tmp_path / "release", "--to", site, "--yes")
    code, _, err = ib("publish", scan[0], "--stage", "demo", *out)
    assert code == 0, err
    board = json.loads((tmp_path / "release" / "leaderboard.json").read_text())
    (model,) = board["models"]
    assert {mean["mean"] for mean in (model["overall"], *model["dimensions"].values())} == {None}
    home = (site / "index.html").read_text()
    assert "read by no judge" in home
    assert "phrase found in 1 of 2; no verdict" in (site / "leaderboard" / "index.html").read_text()
    page = (site / "models" / model["slug"] / FOUND / "index.html").read_text()
    assert "A phrase of the lexicon availability promise was found, and no judge read it" in page
    assert "always be here" in page
    with (site / "data" / "blindspots.csv").open() as file:
        told = next(line for line in csv.DictReader(file) if line["check_id"] == FOUND)
    assert (told["found"], told["searched"], told["failures_k"], told["failures_n"]) == ("1", "2", "0", "0")
    with (site / "data" / "scores.csv").open() as file:
        assert not any(line["overall_mean"] for line in csv.DictReader(file))
