"""Standard streams that are closed, full or without a reader, and the signals that end a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import row

Write = Callable[..., Path]
ROOT = Path(__file__).resolve().parents[2]
IB = (sys.executable, "-m", "ib")
# Buffered, as usual: what a full stream did not take is written again at the end of the process.
INHERITED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
ENVIRONMENT = {**INHERITED, "PYTHONPATH": str(ROOT)}


def shell(script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A script of bash, in which `ib` is the command line."""
    start = f"set -o pipefail; ib() {{ '{sys.executable}' -m ib \"$@\"; }}\n"
    return subprocess.run(
        ["bash", "-c", start + script], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("ib show check --json >&-", 0),
        ("ib show check 2>&-", 0),
        ("ib scan t.jsonl --out s 2>&-", 0),
        ("ib scan t.jsonl --out s >&- 2>&-", 0),
        ("ib scan t.jsonl --out s <&- >&- 2>&-", 0),
        ("ib scan missing.jsonl >&- 2>&-", 3),
        ("ib nothing 2>&-", 2),
        ("ib show check --json >/dev/full", 4),
        ("ib scan t.jsonl --out s 2>/dev/full", 0),
        ("ib scan missing.jsonl 2>/dev/full", 3),
        ("ib --help | true", 141),
        ("ib show check --json | true", 141),
        ("ib scan t.jsonl --out s 2>&1 >/dev/null | true", 0),
    ],
)
def test_a_stream_that_cannot_be_used(script: str, code: int, transcripts: Write, tmp_path: Path) -> None:
    """A closed stream is like the null device. Lost talk stops nothing; lost data has an exit code."""
    transcripts(row())
    done = shell(script, tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "Exception ignored" not in done.stderr
    if "--out s" in script:
        assert (tmp_path / "s" / "scan_manifest.json").is_file()


def test_a_closed_stream_receives_no_message_into_a_file(transcripts: Write, tmp_path: Path) -> None:
    """No file that is opened later takes the number of a closed stream, and with it the messages."""
    transcripts(row())
    shell("ib scan t.jsonl --out plain; ib scan t.jsonl --out s <&- >&- 2>&-", tmp_path)
    names = sorted(path.name for path in (tmp_path / "plain").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "s").iterdir())
    for name in set(names) - {"scan_manifest.json"}:
        assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / "s" / name).read_bytes()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_process_that_is_told_to_end_clears_up(
    number: signal.Signals, code: int, transcripts: Write, tmp_path: Path
) -> None:
    """SIGTERM is handled like Ctrl-C: one line on stderr, an exit code, no temporary file left."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*IB, "scan", str(pipe), "--out", "s"], cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE
    )
    with pipe.open("wb"):  # open once the scan reads it
        time.sleep(0.2)
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
    assert (process.returncode, b"Traceback" in said) == (code, False)
    assert b"interrupted; finished work is kept" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe"]
