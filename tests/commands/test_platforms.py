"""Platforms without POSIX: what the commands do where `fcntl`, `resource` and most signals are missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TAKEN_AWAY = """
import signal, sys
sys.modules.update({"fcntl": None, "resource": None})
for name in ("SIGHUP", "SIGALRM", "SIGPIPE", "SIGKILL", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCHLD"):
    delattr(signal, name)
from ib.cli import run
sys.exit(run(sys.argv[1:]))
"""
STEPS = (
    ("run", "-m", "reference/companion", "-s", "context-cultural-family-first", "--out", "run"),
    ("scan", "run/transcripts.jsonl", "--profile", "publish", "--judge", "lexical", "--out", "scan"),
    (
        "scan",
        "run/transcripts.jsonl",
        "--profile",
        "publish",
        "--judge",
        "lexical",
        "--out",
        "scan",
        "--resume",
    ),
    ("qa", "scan", "--stage", "demo"),
    ("publish", "scan", "--stage", "demo", "--out", "release"),
    ("publish", "scan", "--stage", "demo", "--out", "release", "--yes"),
    ("site", "build", "--release", "release", "--out", "site"),
    ("site", "check", "site"),
    ("explain", "scan", "--check", "IB-F1-body-presence", "--scenario", "context-cultural-family-first"),
    ("lint",),
)


@pytest.mark.gate
def test_the_commands_need_no_posix(tmp_path: Path) -> None:
    """From a play to a site, a replacement and a resumed scan: no step knows a module of POSIX."""
    for step in STEPS:
        command, env = (
            [sys.executable, "-c", TAKEN_AWAY, *step],
            {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin"},
        )
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (step, done.stderr[-2000:])
