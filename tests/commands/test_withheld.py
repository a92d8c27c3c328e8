"""A key that stands where a name belongs reaches neither the terminal nor a summary."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.board.evidence.leaks import WITHHELD
from ib.store.folders import scans
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
KEY = "sk-" + "proj-" + "Zq7Kd0vLm2Xw9Rt4Yb6NZq7Kd0vLm2Xw9Rt4Yb6N"
PLANTED = "Kd0vLm2Xw9" + "Rt4Yb6NZq7"
"""A key without a known form, which the environment holds."""


def votes(folder: Path, *judges: str) -> Path:
    """Recorded votes by these judges, on two checks."""
    path = folder / "votes.jsonl"
    with path.open("w") as file:
        for judge, check in zip(judges, ("IB-B1", "IB-B4"), strict=True):
            record = {
                "model_id": "vendor/model-a", "scenario_id": "night-01", "check_id": check, "eligible": True,
                "verdict": "PASS", "votes": ["PASS"] * 3, "judge_model": judge,
            }  # fmt: skip
            file.write(json.dumps(record) + "\n")
    return path


@pytest.mark.parametrize("key", [KEY, PLANTED])
def test_a_key_as_the_name_of_a_judge_is_withheld(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """In messages, in the words of the plan, and in JSON on stdout, which stays JSON."""
    monkeypatch.setenv("OPENAI_API_KEY", PLANTED)
    path = votes(tmp_path, key, "vendor/judge")
    scan = ("scan", transcripts(row()), "--profile", "publish", "--judge", f"recorded:{path}")
    for more in (("--out", tmp_path / "scan"), ("--dry-run",), ("--dry-run", "--json")):
        code, out, err = ib(*scan, *more)
        assert code == 0, err
        assert key not in out + err
        assert WITHHELD in err
    json.loads(out)


def test_a_key_as_the_name_of_a_model_is_withheld(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """In the summary, and in what commands print about the scan, errors included."""
    code, out, err = ib("scan", transcripts(row(KEY)), "--out", tmp_path / "scan")
    assert code == 0, err
    summary = (tmp_path / "scan" / scans.SUMMARY).read_text()
    explained = ib("explain", tmp_path / "scan", "IB-B1", "night-01")
    wrong = ib("explain", tmp_path / "scan", "IB-B1", "elsewhere")
    named = ib("run", "-m", KEY, "--dry-run")
    typed = ib("run", "-m", "reference/attentive", "--temperature", KEY)
    for text in (out, err, *typed[1:], summary, *explained[1:], *wrong[1:], *named[1:]):
        assert KEY not in text
    assert WITHHELD in summary
