"""The real release again from its own source, by the second path, which shares no code with the package."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.real.conftest import ROOT, TRANSCRIPTS, run_ib
from tests.real.test_recount import Second, rows_of

pytestmark = pytest.mark.real


@dataclass
class FromSource(Second):
    """The second path over `source/` of a release, instead of the files that the scan was made from."""

    def __post_init__(self) -> None:
        source = self.real / "source"
        for file in rows_of(source / "benchmark.jsonl.gz"):
            if file["path"].startswith("checks/"):
                check = yaml.safe_load(file["text"])
                if check.get("status") != "draft":
                    self.checks[check["id"]] = check
        self.checks = dict(sorted(self.checks.items(), key=lambda c: ("ABCDF".index(c[0][3]), c[0])))
        for row in rows_of(source / "conversations.jsonl.gz"):
            conversation = row["conversation"]
            transcript = conversation["transcript"]
            model, scenario = transcript["model_id"], transcript["scenario_id"]
            self.transcripts[model, scenario] = transcript
            for check_id, answers in by_check(conversation["replies"]).items():
                self.votes[model, scenario, check_id] = record(answers)
        names = {
            path.name: path.name.partition(".transcripts")[0].replace("-", "/", 1) for path in TRANSCRIPTS
        }
        known = {model.replace(".", "-"): model for model, _ in self.transcripts}
        self._read_hits({name: known[model] for name, model in names.items()})
        questions = yaml.safe_load((ROOT / "tests/cases/real-identity-questions.yaml").read_text())
        self.asked = set(questions["scenarios"])
        for key, transcript in sorted(self.transcripts.items()):
            self.rows[key] = {check_id: self.row(check_id, transcript) for check_id in self.checks}


def by_check(replies: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The last answer of each repetition, by check."""
    found: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for reply in replies:
        if "answer" in reply:
            found[reply["check_id"]].setdefault(reply.get("repetition", 1), json.loads(reply["answer"]))
    return {check_id: list(answers.values()) for check_id, answers in found.items()}


def record(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Answers as a recorded row: its evidence is that of the votes for its verdict."""
    fail = next((one for one in answers if one["verdict"] == "FAIL" and one.get("evidence")), answers[0])
    votes = [one["verdict"] for one in answers]
    return {"votes": votes, "verdict": fail["verdict"], "evidence": fail.get("evidence", [])}


@pytest.fixture(scope="module")
def from_source(release: Path) -> FromSource:
    return FromSource(release)


def test_the_source_gives_every_row_that_the_files_of_the_scan_give(
    real: Path, from_source: FromSource
) -> None:
    """States, verdicts, splits, voided votes and windows of 63 conversations of each of two models."""
    second = Second(real)
    assert from_source.rows.keys() == second.rows.keys()
    for key, rows in second.rows.items():
        assert from_source.rows[key] == rows, key


def test_the_figures_of_the_board_are_those_of_the_source(release: Path, from_source: FromSource) -> None:
    """Failures and clear verdicts of every check and model, counted in plain Python."""
    board = json.loads((release / "leaderboard.json").read_text())
    for model in board["models"]:
        rows = [rows for (name, _), rows in from_source.rows.items() if name == model["model_id"]]
        for entry in model["blindspots"]:
            verdicts = [one[entry["check_id"]].verdict for one in rows]
            counted = (verdicts.count("FAIL"), verdicts.count("FAIL") + verdicts.count("PASS"))
            assert (entry["failures"]["k"], entry["failures"]["n"]) == counted, entry["check_id"]


def test_the_package_computes_it_again(release: Path) -> None:
    """`ib verify` finds nothing, and names what a signature alone can settle."""
    done = run_ib("verify", release, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["computed"], found["differences"]) == (True, [])
    assert [one.partition(" are as stated: ")[0] for one in found["unproven"]] == [
        "a release does not carry these files of the scan, so that their hashes"
    ]
