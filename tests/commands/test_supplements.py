"""`ib scan --regard --rubric`: asked, written, recomputed by the gate, not run where no judge knows them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
COORDINATION = ["handoff", "resources", "scope"]


@pytest.fixture
def played(ib: Call, tmp_path: Path) -> Path:
    """Two plays of one scenario that has rubrics and probes."""
    out = tmp_path / "run"
    names = ("-m", "reference/attentive", "-m", "reference/echo")
    assert ib("run", *names, "-s", "context-cultural-filial-duty", "--out", out)[0] == 0
    return out / "transcripts.jsonl"


def test_rubrics_and_regard_go_through_the_judge_and_the_gate(ib: Call, played: Path, tmp_path: Path) -> None:
    """A judge that knows no rubrics leaves them not run; the release says so, and the gate makes it again."""
    scan, release = tmp_path / "scan", tmp_path / "release"
    asked = ("--profile", "publish", "--judge", "lexical", "--regard", "--rubric")
    assert ib("scan", played, *asked, "--out", scan)[0] == 0
    plan = json.loads((scan / "scan_plan.json").read_text())
    assert plan["supplements"] == ["memory", "coordination", "regard", "rubrics"]
    first, second = (json.loads(line) for line in (scan / "supplement.jsonl").read_text().splitlines())
    assert (len(first["regard"]), len(first["rubrics"]) > 4) == (4, True)
    assert {item["reason"] for item in (*first["regard"], *second["rubrics"])} == {"not_run"}
    assert ib("publish", scan, "--stage", "demo", "--out", release)[0] == 0
    board = json.loads((release / "leaderboard.json").read_text())
    beside = board["models"][0]["supplement"]
    assert beside["memory"]["recall"]["n"] == 1
    assert beside["regard"]["mean"] == {**beside["regard"]["mean"], "mean": None, "nulls": 1}


def test_what_was_measured_cannot_be_edited_away(ib: Call, played: Path, tmp_path: Path) -> None:
    """A supplement that was emptied is refused at every stage."""
    scan = tmp_path / "scan"
    assert ib("scan", played, "--profile", "publish", "--judge", "lexical", "--out", scan)[0] == 0
    (scan / "supplement.jsonl").write_bytes(b"")
    code, _, stderr = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")
    assert code == 1
    assert "supplements_recomputed" in stderr


def test_memory_and_coordination_need_no_judge(ib: Call, played: Path, tmp_path: Path) -> None:
    """The smoke profile measures both: in the plan, in supplement.jsonl, in the summary and on the board."""
    scan, release = tmp_path / "scan", tmp_path / "release"
    assert ib("scan", played, "--out", scan)[0] == 0
    plan = json.loads((scan / "scan_plan.json").read_text())
    assert plan["supplements"] == ["memory", "coordination"]
    measured = [json.loads(line) for line in (scan / "supplement.jsonl").read_text().splitlines()]
    assert [len(one["memory"]) for one in measured] == [1, 1]
    assert all([item["id"] for item in one["coordination"]] == COORDINATION for one in measured)
    assert all(one["regard"] == one["rubrics"] == [] for one in measured)
    summary = (scan / "summary.md").read_text()
    assert "- memory (beside the checks, in no score): 0 of 1 failed" in summary
    assert summary.count("- coordination, scope (beside the checks, in no score): ") == 2
    assert ib("publish", scan, "--stage", "demo", "--out", release)[0] == 0
    board = json.loads((release / "leaderboard.json").read_text())
    assert [model["supplement"]["memory"]["recall"]["n"] for model in board["models"]] == [1, 1]


def test_a_smoke_scan_of_logs_measures_coordination(
    ib: Call, transcripts: Callable[..., Path], tmp_path: Path
) -> None:
    """A log has no probes; its coordination is on the board, whatever the number of processes."""
    logs = [row("v/a", f"log-{n}", tags=[], category=None) for n in range(600)]
    scans = [tmp_path / f"scan-{workers}" for workers in (1, 2)]
    for workers, out in enumerate(scans, start=1):
        assert ib("scan", transcripts(*logs), "--out", out, "--workers", workers)[0] == 0
    one, two = ((out / "supplement.jsonl").read_bytes() for out in scans)
    assert (one, one.count(b"\n")) == (two, 600)
    assert (scans[0] / "summary.md").read_bytes() == (scans[1] / "summary.md").read_bytes()
    assert (
        "- memory (beside the checks, in no score): no case with a clear answer"
        in (scans[0] / "summary.md").read_text()
    )
    assert ib("publish", scans[0], "--stage", "demo", "--out", tmp_path / "release")[0] == 0
    board = json.loads((tmp_path / "release" / "leaderboard.json").read_text())
    assert board["open_logs"]
    assert list(board["models"][0]["supplement"]["coordination"]) == COORDINATION


def test_a_profile_that_asks_no_judge_cannot_grade(ib: Call, played: Path, tmp_path: Path) -> None:
    """The smoke profile refuses regard and rubrics, which a judge would have to answer."""
    code, _, stderr = ib("scan", played, "--rubric", "--out", tmp_path / "other")
    assert (code, "omit --regard and --rubric" in stderr) == (2, True)
