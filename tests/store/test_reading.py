"""Opening files: pipes, devices and paths that are none."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.errors import DataError
from ib.store.files import reading
from ib.store.files.reading import raw_lines, read_bytes

ROOT = Path(__file__).resolve().parents[2]
READERS: dict[str, Callable[[Path], object]] = {
    "whole": lambda path: read_bytes(path, "p"),
    "lines": lambda path: b"".join(line for _, line in raw_lines(path, "p")),
}


@pytest.mark.parametrize("how", READERS)
def test_a_pipe_without_a_writer_is_refused_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """A named pipe that nobody writes does not hang the process; no thread and no descriptor stay."""
    monkeypatch.setattr(reading, "WRITER_SECONDS", 0.2)
    os.mkfifo(tmp_path / "pipe")
    threads = set(threading.enumerate())  # a test before this one may have left its own
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(DataError, match=r"p: is a pipe that had no writer for 0\.2 seconds"):
        READERS[how](tmp_path / "pipe")
    assert set(threading.enumerate()) <= threads
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_writer_has_five_seconds() -> None:
    """Long enough for a slow machine, and no longer than a person waits."""
    assert reading.WRITER_SECONDS == 5.0


@pytest.mark.parametrize("how", READERS)
def test_a_pipe_with_a_slow_writer_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Only the opening is awaited: a writer may take its time."""
    monkeypatch.setattr(reading, "WRITER_SECONDS", 2.0)
    os.mkfifo(tmp_path / "pipe")

    def write() -> None:
        time.sleep(0.1)
        with (tmp_path / "pipe").open("wb") as file:
            file.write(b"one\n")
            file.flush()
            time.sleep(2.2)
            file.write(b"two\n")

    writer = threading.Thread(target=write)
    writer.start()
    assert READERS[how](tmp_path / "pipe") == b"one\ntwo\n"
    writer.join()


READ = """
import sys
from pathlib import Path
from ib.store.files.reading import read_bytes
sys.stdout.buffer.write(read_bytes(Path(sys.argv[1])))
"""


@pytest.mark.parametrize(
    "script",
    ["read <(echo words)", "read <(sleep 0.3; echo words)", "echo words | read /dev/stdin",
     "(sleep 0.3; echo words) | read /dev/stdin", "read /dev/stdin <<< words", "echo words | read /dev/fd/0",
     "mkfifo p; echo words > p & read /dev/stdin < p"],
)  # fmt: skip
def test_the_pipes_of_a_shell(tmp_path: Path, script: str) -> None:
    """They are read whole, whether the writer is still there or has ended."""
    start = "read() { sleep 0.1; '" + sys.executable + '\' -c "$CODE" "$1"; }; '
    done = subprocess.run(
        ["bash", "-c", start + script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CODE": READ},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == b"words\n", done.stderr


def test_a_file_without_end_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that never ends is refused."""
    monkeypatch.setattr(reading, "MAX_DOCUMENT", 1 << 16)
    with pytest.raises(DataError, match="is larger than 65536 bytes"):
        read_bytes(Path("/dev/zero"))


def test_a_path_with_a_null_character() -> None:
    """It is no path, and no traceback."""
    with pytest.raises(DataError, match="cannot be read: embedded null"):
        read_bytes(Path("a\0b"))
