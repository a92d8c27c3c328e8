"""The tests end and pass, whatever the shell left behind and however long a call blocks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SETTINGS = Path(__file__).parents[1] / "pyproject.toml"
STALLED = """
import os

def test_that_reads_from_a_pipe_that_nobody_writes():
    os.read(os.pipe()[0], 1)
"""


def test_a_test_that_stalls_ends(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """A call that blocks in the system ends with the place where it blocked. Ours may take ten minutes."""
    assert 0 < float(pytestconfig.getini("faulthandler_timeout")) <= 600
    (tmp_path / "test_stalled.py").write_text(STALLED)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        SETTINGS,
        "-p",
        "no:cacheprovider",
        "-o",
        "faulthandler_timeout=1",
    ]
    done = subprocess.run([*command, tmp_path], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode != 0
    assert "in test_that_reads_from_a_pipe_that_nobody_writes" in done.stderr
