"""The data files show the numbers of leaderboard.json."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from tests.delivery.recomputed import recount

Board = dict[str, Any]


def test_the_data_files_have_the_figures(board: Board, files: dict[str, str]) -> None:
    """The long form of the heatmap and the table of pairs, with the stage on each row and the canary once."""
    heat = list(csv.DictReader(io.StringIO(files["data/heatmap.csv"], newline="")))
    assert len(heat) == len(board["models"]) * len(board["checks"])
    found = {model["model_id"]: recount.letters(board, model) for model in board["models"]}
    for row in heat:
        k, n = recount.failed(found[row["model_id"]][row["check_id"]])
        assert (row["failures_k"], row["failures_n"]) == (str(k), str(n))
        assert row["stage"] == board["stage"]
    assert heat[0]["canary"] == board["canary"]
    pairs = json.loads(files["data/comparisons.json"])["rows"]
    assert len(pairs) == 3 * len(board["comparisons"])
    stored_pairs = {(one["first"], one["second"]): one for one in board["comparisons"]}
    for row in pairs:
        one = stored_pairs[row["first"], row["second"]]
        stored = one["all_checks"] if row["measure"] == "all_checks" else one["gates"][row["measure"][-1]]
        assert {name: row[name] for name in stored} == stored
