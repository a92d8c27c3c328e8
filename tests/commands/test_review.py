"""`ib review`: from a scan to a batch that says neither model nor verdict."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import row
from tests.once import once

Call = Callable[..., tuple[int, str, str]]


def _scan(folder: Path) -> None:
    from ib.cli import run

    rows = [row(model, scenario) for model in ("v/hidden-a", "v/hidden-b") for scenario in ("one", "two")]
    (folder / "t.jsonl").write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in rows))
    out = str(folder / "scan")
    assert (
        run(["scan", str(folder / "t.jsonl"), "--profile", "publish", "--judge", "lexical", "--out", out])
        == 0
    )


@pytest.fixture
def scan(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy of a scan of two models by the lexical judge."""
    shutil.copytree(once(tmp_path_factory, "review-scan", _scan) / "scan", tmp_path / "scan")
    return tmp_path / "scan"


def test_a_batch_is_blind_and_can_be_drawn_again(ib: Call, scan: Path, tmp_path: Path) -> None:
    """A batch names no model, check id, scenario or verdict, and the same draw gives the same bytes."""
    out = tmp_path / "batch.json"
    code, shown, _ = ib("review", "draw", scan, "--n", 20, "--json", "--out", out)
    assert code == 0, shown
    text = out.read_text()
    telling = ("hidden", "IB-", '"FAIL"', '"PASS"', "unanimous", "confidence", "scenario_id")
    assert [word for word in telling if word in text] == []
    strata = json.loads(shown)["strata"]
    assert sum(one["drawn"] for one in strata) == 20
    assert all(one["probability"] == one["drawn"] / one["population"] for one in strata)
    assert ib("review", "draw", scan, "--n", 20, "--out", tmp_path / "again.json")[0] == 0
    assert (tmp_path / "again.json").read_text() == text


def test_a_sample_that_leaves_strata_out_is_refused(ib: Call, scan: Path, tmp_path: Path) -> None:
    """A stratified sample that is smaller than the number of strata says how many are needed."""
    code, _, err = ib("review", "draw", scan, "--n", 1, "--out", tmp_path / "b.json")
    assert code == 2
    assert "draw at least" in err
    assert not (tmp_path / "b.json").exists()


def test_a_batch_for_the_gate_takes_no_choice(ib: Call, scan: Path, tmp_path: Path) -> None:
    """Nobody chooses which PASSes are read: --seed with --for gate is refused."""
    code, _, err = ib("review", "draw", scan, "--for", "gate", "--seed", "7", "--out", tmp_path / "b.json")
    assert code == 2
    assert "--seed" in err
