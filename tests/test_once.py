"""What is made once a run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.once import once

ROOT = Path(__file__).resolve().parents[1]
TESTS = """
from pathlib import Path
import pytest
from tests.once import once

@pytest.fixture(scope="session")
def made(tmp_path_factory):
    def make(folder):
        with LOG.open("a") as log:
            log.write("made\\n")
        (folder / "file").write_text("whole")
    return once(tmp_path_factory, "thing", make)

def test_it_is_whole(made):
    assert (made / "file").read_text() == "whole"
"""


def test_the_processes_of_a_run_share_what_one_of_them_made(tmp_path: Path) -> None:
    """Two processes, each with tests that need the folder, make it once; a second run makes it anew."""
    log = tmp_path / "log"
    for name in ("first", "second"):
        begin = f"from pathlib import Path\nLOG = Path({str(log)!r})\n"
        (tmp_path / f"test_{name}.py").write_text(begin + TESTS)
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    options = ("-p", "no:cacheprovider", "--numprocesses", "2", "--dist", "loadfile")
    for runs in (1, 2):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--rootdir", tmp_path, *options],
            cwd=tmp_path,
            env={**outer, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "2 passed" in done.stdout, done.stdout
        assert log.read_text().splitlines() == ["made"] * runs


def test_what_was_left_unfinished_is_made_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder without its marker is not used: whoever made it failed on the way."""

    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise RuntimeError("on the way")

    with pytest.raises(RuntimeError, match="on the way"):
        once(tmp_path_factory, "unfinished", fail)
    made = once(tmp_path_factory, "unfinished", lambda folder: (folder / "whole").touch())
    assert [path.name for path in made.iterdir()] == ["whole"]
