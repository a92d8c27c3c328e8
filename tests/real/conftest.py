"""The real transcripts and votes: used where they are present, demanded where IB_REQUIRE_REAL is set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.once import once

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared" / "real"
TRANSCRIPTS = (
    REAL / "google-gemma-4-31b-it.transcripts.jsonl.gz",
    REAL / "qwen-qwen3-6-35b-a3b.transcripts.jsonl.gz",
)


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of the real data."""
    if not all(path.is_file() for path in TRANSCRIPTS):
        if os.environ.get("IB_REQUIRE_REAL"):
            pytest.fail("the real data is demanded here, and is not beside the checkout")
        pytest.skip("the real transcripts are not here (../shared/real)")
    return REAL


def run_ib(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "ib", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=cwd or ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="session")
def scan(real: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A publish scan of the real transcripts over their recorded votes."""

    def make(folder: Path) -> None:
        options = ("--profile", "publish", "--judge", f"recorded:{real}", "--out", folder / "scan")
        done = run_ib("scan", *TRANSCRIPTS, *options)
        assert done.returncode == 0, done.stderr

    return once(tmp_path_factory, "real", make) / "scan"


@pytest.fixture(scope="session")
def release(scan: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That scan, published at stage research. What its words hold is released first, so that it is whole."""

    def make(folder: Path) -> None:
        held = [one["sha256"] for one in json.loads(run_ib("review", "held", scan, "--json").stdout)]
        assert len(held) == 3, "words that hold many replies of ordinary models are too coarse"
        why = ("--by", "Test", "--why", "The release is only read by tests.")
        assert run_ib("review", "held", scan, *held, "--release", *why).returncode == 0
        done = run_ib("publish", scan, "--stage", "research", "--out", folder / "release")
        assert done.returncode == 0, done.stderr

    return once(tmp_path_factory, "real-release", make) / "release"
