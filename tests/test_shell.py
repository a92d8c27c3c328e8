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


def test_the_tests_end_processes_with_ctrl_c_where_the_shell_ignores_it() -> None:
    """In the background a shell lets SIGINT be ignored, also by every process that a test starts."""
    code = (
        "import signal, tests.conftest; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    )
    command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-c", code]
    done = subprocess.run(command, cwd=SETTINGS.parent, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_the_plugin_whose_fixture_has_the_name_of_ours_is_not_loaded(pytestconfig: pytest.Config) -> None:
    """pytest-benchmark asks every value with the name `benchmark` for what only its own fixture has."""
    assert pytestconfig.pluginmanager.is_blocked("benchmark")


def test_a_test_that_stalls_ends(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """A call that blocks in the system ends with the place where it blocked. Ours may take ten minutes."""
    assert 0 < float(pytestconfig.getini("faulthandler_timeout")) <= 600
    (tmp_path / "test_stalled.py").write_text(STALLED)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        str(SETTINGS),
        "-p",
        "no:cacheprovider",
        "-o",
        "faulthandler_timeout=1",
    ]
    done = subprocess.run([*command, tmp_path], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode != 0
    assert "in test_that_reads_from_a_pipe_that_nobody_writes" in done.stderr
