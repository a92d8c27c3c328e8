"""A damaged scan: the message names the file that is damaged and, in files of lines, the line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.cli import run
from ib.models.common.canonical import compact
from ib.store.folders import scans
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
LINES = (
    scans.TRANSCRIPTS,
    scans.REPLIES,
    scans.RESULTS,
    scans.SUPPLEMENT,
    scans.ADJUDICATIONS,
    scans.CONTRADICTIONS,
)
WHOLE = (scans.PLAN, scans.MANIFEST, scans.COST, scans.BLINDSPOT, scans.SUMMARY)


def vote(model: str, check_id: str, verdict: str, *votes: str) -> bytes:
    line = {
        "model_id": model,
        "scenario_id": "night-01",
        "check_id": check_id,
        "eligible": True,
        "verdict": verdict,
        "votes": votes,
    }
    return compact(line) + b"\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished scan in which no artifact is empty."""
    folder = tmp_path_factory.mktemp("whole")
    rows = [row(model) for model in ("v/a", "v/b", "v/c")]
    (folder / "t.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    checks = ("IB-C1", "IB-A1", "IB-F2-exclusivity")
    votes = [vote(one["model_id"], check, "FAIL", "PASS", "PASS", "PASS") for one in rows for check in checks]
    (folder / "v.votes.jsonl").write_bytes(b"".join(votes))
    out = folder / "scan"
    arguments = ["--profile", "publish", "--judge", f"recorded:{folder / 'v.votes.jsonl'}", "--out", str(out)]
    assert run(["scan", str(folder / "t.jsonl"), *arguments]) == 0
    assert all((out / name).stat().st_size for name in (*LINES, *WHOLE))
    return out


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "a byte that is no text": lambda data: b"\xff" + data[1:],
    "a bracket": lambda data: b"]" + data[1:],
    "the rest lost": lambda data: b"",
    "a line that is a list": lambda data: b"\n[]\n" + data,
}


@pytest.mark.parametrize("name", [*LINES, *WHOLE])
@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file_is_named(name: str, how: str, whole: Path, ib: Call, tmp_path: Path) -> None:
    """In the middle, at any byte, in any way: exit 1 or 3, the file by name, and never a traceback."""
    folder = tmp_path / "scan"
    shutil.copytree(whole, folder)
    data = (whole / name).read_bytes()
    middle = len(data) // 2
    (folder / name).write_bytes(data[:middle] + DAMAGE[how](data[middle:]))
    code, out, err = ib("qa", folder, "--stage", "demo")
    assert code in (1, 3), err
    assert name in out + err
    assert "Error" not in err
    if code == 3 and name in LINES:
        assert f"{name}:" in err


@pytest.mark.parametrize("name", [*LINES, *WHOLE])
@pytest.mark.parametrize("how", ["gone", "a folder"])
def test_a_file_that_is_none_is_named(name: str, how: str, whole: Path, ib: Call, tmp_path: Path) -> None:
    """An artifact that was deleted or replaced by a folder."""
    folder = tmp_path / "scan"
    shutil.copytree(whole, folder)
    (folder / name).unlink()
    if how == "a folder":
        (folder / name).mkdir()
    code, out, err = ib("qa", folder, "--stage", "demo")
    assert code in (1, 3), err
    assert name in out + err
    assert "Error" not in err
