"""Two folders that are replaced together: never one new and the other old, whenever the process ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ib.errors import DataError
from ib.store.files.together import finish, journal_path, swap_together
from ib.store.files.writing import staging

EVERY_STEP = """
import json, os, signal, sys
from pathlib import Path
from ib.store.files import together, writing as files

root, there, exchanges = Path(sys.argv[1]), sys.argv[2] == "there", sys.argv[3] == "exchanges"
if not exchanges:
    files._exchange = lambda one, other: False  # what a system without renameat2 answers
TRACED = {files.__file__, together.__file__}

def kill_at(step):
    left = step
    def trace(frame, event, _):
        nonlocal left
        if frame.f_code.co_filename not in TRACED:
            return None
        left -= event == "line"
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)

def replace_both(at, step):
    with files.staging(at / "release") as release, files.staging(at / "site") as site:
        for folder in (release, site):
            (folder / "text").write_text("new")
        kill_at(step)
        together.swap_together((release, at / "release"), (site, at / "site"))

def text(path):
    return (path / "text").read_text() if path.is_dir() else None

states, step, status = [], 0, 1
while status:
    step += 1
    at = root / str(step)
    at.mkdir(parents=True)
    for name in ("release", "site") if there else ():
        (at / name).mkdir()
        (at / name / "text").write_text("old")
    child = os.fork()
    if child == 0:
        replace_both(at, step)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    killed = [text(at / "release"), text(at / "site")]
    said = together.finish(at / "release")
    after = [text(at / "release"), text(at / "site")]
    for name in ("release", "site"):
        with files.staging(at / name):
            pass  # the next writer removes what is left
    states.append([killed, said, after, sorted(path.name for path in at.iterdir())])
print(json.dumps(states))
"""


@pytest.mark.parametrize(
    ("there", "exchanges"), [("there", "exchanges"), ("there", "renames"), ("new", "exchanges")]
)
def test_a_kill_at_any_line_leaves_both_or_neither(tmp_path: Path, there: str, exchanges: str) -> None:
    """After `finish` both folders are new, or both are as before, and nothing else is left."""
    command = [sys.executable, "-c", EVERY_STEP, str(tmp_path), there, exchanges]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    states = json.loads(done.stdout)
    before = ["old", "old"] if there == "there" else [None, None]
    assert len(states) > 20
    for step, (killed, said, after, names) in enumerate(states, start=1):
        assert after in (before, ["new", "new"]), step
        assert killed == after or said is not None, step
        # A temporary of the journal is removed by the next journal.
        folders = [name for name in names if not name.startswith("..release.publishing.")]
        assert folders == ["release", "site"][: 2 if after[0] else 0], step
    assert any(killed[0] != killed[1] for killed, *_ in states)
    assert [state[2] for state in states][-1] == ["new", "new"]


def folder(path: Path, text: str = "old") -> Path:
    path.mkdir()
    (path / "text").write_text(text)
    return path


def journaled(target: Path, staged: Path) -> dict[str, object]:
    """The entry of a journal for two folders."""
    inode, replaces = staged.stat().st_ino, target.stat().st_ino
    return {"target": str(target), "staged": staged.name, "inode": inode, "replaces": replaces}


def texts(tmp_path: Path) -> list[str]:
    return [(tmp_path / name / "text").read_text() for name in ("release", "site")]


def test_a_rename_that_fails_is_undone(tmp_path: Path) -> None:
    """Where the second folder cannot be renamed, the first is as it was, and no journal stays."""
    release = folder(tmp_path / "release")
    gone, site = folder(tmp_path / "gone"), tmp_path / "nowhere" / "site"
    with staging(release) as staged:
        (staged / "text").write_text("new")
        with pytest.raises(OSError, match="gone"):
            swap_together((staged, release), (gone, site))
    assert (release / "text").read_text() == "old"
    assert not journal_path(release).exists()


@pytest.mark.parametrize(("renamed", "text"), [(False, "old"), (True, "new")])
def test_a_replacement_that_lost_its_second_folder_is_named(tmp_path: Path, renamed: bool, text: str) -> None:
    """Nothing is replaced if nothing was renamed; else the folder that stays as it was is named."""
    release, site = folder(tmp_path / "release"), folder(tmp_path / "site")
    new = folder(tmp_path / ".release.abcd1234.ib-tmp", "new")
    swaps = [
        journaled(release, new),
        journaled(site, new) | {"staged": ".site.abcd1234.ib-tmp", "inode": 0},
    ]
    journal_path(release).write_text(json.dumps({"swaps": swaps}))
    if renamed:
        release.rename(tmp_path / "old")
        new.rename(release)
        (tmp_path / "old").rename(new)
    said = finish(release)
    assert said is not None
    assert said.endswith(f"not replaced: {site}" if renamed else "not replaced: anything")
    assert texts(tmp_path) == [text, "old"]
    assert finish(release) is None


def test_a_journal_cannot_name_other_folders(tmp_path: Path) -> None:
    """A folder that is not a temporary of its target is neither renamed nor deleted."""
    release, precious = folder(tmp_path / "release"), folder(tmp_path / "precious")
    journal_path(release).write_text(json.dumps({"swaps": [journaled(release, precious)]}))
    with pytest.raises(DataError, match="found 'precious'; the name of a temporary folder"):
        finish(release)
    assert (precious / "text").read_text() == "old"


def test_a_folder_that_came_later_is_left_alone(tmp_path: Path) -> None:
    """Whoever put another folder in the place of the old one after the kill keeps it."""
    release, new = folder(tmp_path / "release"), folder(tmp_path / ".release.abcd1234.ib-tmp", "new")
    journal_path(release).write_text(json.dumps({"swaps": [journaled(release, new)]}))
    release.rename(tmp_path / "elsewhere")
    folder(release, "years of work")
    assert "not replaced" in (finish(release) or "")
    assert (release / "text").read_text() == "years of work"
