"""`ib scan --regard --rubric`: asked, written, recomputed by the gate, not run where no judge knows them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Call = Callable[..., tuple[int, str, str]]


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


def test_a_profile_that_asks_no_judge_measures_none(ib: Call, played: Path, tmp_path: Path) -> None:
    """The smoke profile leaves them out, and refuses to be asked for them."""
    assert ib("scan", played, "--out", tmp_path / "scan")[0] == 0
    assert (tmp_path / "scan" / "supplement.jsonl").read_bytes() == b""
    code, _, stderr = ib("scan", played, "--rubric", "--out", tmp_path / "other")
    assert (code, "omit --regard and --rubric" in stderr) == (2, True)
