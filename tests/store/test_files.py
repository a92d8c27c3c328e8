"""Writing: whole or not at all, one writer, folders that are new, and a disk that may be full."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ib.errors import OutputExists, UsageError, WorldError
from ib.store.files.writing import (
    claim,
    create_folder,
    discard,
    disk,
    foreign_file,
    has_begun,
    only_writer,
    replace,
    replacing,
    staging,
    swap_folder,
)

FULL_DISK = """
import resource, sys
from pathlib import Path
from ib.errors import WorldError
from ib.store.files.writing import replace, replacing
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
path = Path(sys.argv[1])
try:
    if sys.argv[2] == "replace":
        replace(path, b"x" * 5000)
    else:
        with replacing(path) as file:
            for _ in range(50):
                file.write(b"x" * 100)
except WorldError as error:
    print(error)
    sys.exit(error.exit_code)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_file_is_replaced_and_its_folder_made(tmp_path: Path) -> None:
    """The new bytes stand there, readable by all, and nothing else does."""
    path = tmp_path / "new" / "deep" / "file.json"
    for data in (b"one", b"two", b""):
        replace(path, data)
        assert path.read_bytes() == data
        assert names(path.parent) == ["file.json"]
    assert path.stat().st_mode & 0o777 == 0o644
    with replacing(path) as file:
        file.write(b"three")
        assert path.read_bytes() == b""
    assert path.read_bytes() == b"three"
    assert names(path.parent) == ["file.json"]


@pytest.mark.parametrize("how", ["replace", "replacing"])
@pytest.mark.parametrize("old", [b"the old bytes", None])
def test_lesson_30_torn_files_on_a_full_disk(tmp_path: Path, how: str, old: bytes | None) -> None:
    """Where a file can grow no further, the old bytes stay, no temporary does, and it is exit 4."""
    path = tmp_path / "file.json"
    if old is not None:
        path.write_bytes(old)
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path), how], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (4, "")
    assert str(path) in done.stdout
    assert "free space" in done.stdout
    assert names(tmp_path) == ([] if old is None else ["file.json"])
    if old is not None:
        assert path.read_bytes() == old


@pytest.mark.parametrize("step", ["fsync", "chmod"])
def test_lesson_30_a_failure_late_in_writing_leaves_the_old_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A disk that reports itself full only at the end harms nothing either."""
    path = tmp_path / "file.json"
    replace(path, b"old")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(WorldError, match="No space left"):
        replace(path, b"new")
    with pytest.raises(WorldError, match="No space left"), replacing(path) as file:
        file.write(b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file.json"]


@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt])
def test_a_block_that_does_not_end_well_writes_nothing(tmp_path: Path, stop: type[BaseException]) -> None:
    """An error or an interruption while writing leaves what was there."""
    path = tmp_path / "file.json"
    replace(path, b"old")
    with pytest.raises(stop), replacing(path) as file:  # noqa: PT012 - the block is what fails
        file.write(b"half")
        raise stop
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file.json"]


@pytest.mark.parametrize("number", ["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EIO", "EACCES", "EPERM"])
def test_failures_of_the_disk_are_of_the_world(number: str) -> None:
    """They name what cannot be written, and keep their cause."""
    code = getattr(errno, number)
    with pytest.raises(WorldError, match="some file: cannot be written") as caught, disk("some file"):
        raise OSError(code, os.strerror(code))
    assert caught.value.exit_code == 4
    assert isinstance(caught.value.__cause__, OSError)


def test_other_failures_are_not_blamed_on_the_disk() -> None:
    """A file that is not there is not a full disk."""
    with pytest.raises(FileNotFoundError), disk("some file"):
        raise FileNotFoundError(errno.ENOENT, "no such file")
    with pytest.raises(ValueError, match="mine"), disk("some file"):
        raise ValueError("mine")


def test_lesson_31_two_scans_in_one_second_share_no_folder(tmp_path: Path) -> None:
    """A folder is created by one of two, and the other is told to choose another or to resume."""
    folder = tmp_path / "results" / "scan-1"
    create_folder(folder)
    (folder / "kept").write_bytes(b"x")
    with pytest.raises(OutputExists, match="--resume") as caught:
        create_folder(folder)
    assert caught.value.exit_code == 2
    assert names(folder) == ["kept"]
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputExists):
        create_folder(tmp_path / "file")


def test_lesson_31_a_second_writer_is_refused(tmp_path: Path) -> None:
    """While one process writes, another stops with exit 4; afterwards the folder is free."""
    code = "import sys; from pathlib import Path; from ib.store.files.writing import only_writer\n"
    code += "with only_writer(Path(sys.argv[1])): print('in')"
    other = [sys.executable, "-c", code, str(tmp_path)]
    with only_writer(tmp_path):
        with pytest.raises(WorldError, match="another process is writing"), only_writer(tmp_path):
            pass
        done = subprocess.run(other, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "WorldError" in done.stderr
    done = subprocess.run(other, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "in\n")


def test_lesson_31_one_who_opened_the_lock_early_holds_the_one_that_counts(tmp_path: Path) -> None:
    """Whoever opened the lock while another wrote, and got it when that ended, keeps a third one out."""
    with only_writer(tmp_path):
        early = (tmp_path / ".lock").open("wb")
    with early:
        fcntl.flock(early, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(WorldError, match="another process is writing"), only_writer(tmp_path):
            pass


def test_the_lock_is_let_go_when_writing_fails(tmp_path: Path) -> None:
    """A failed scan can be resumed."""
    with pytest.raises(RuntimeError), only_writer(tmp_path):
        raise RuntimeError
    with only_writer(tmp_path):
        assert names(tmp_path) == [".lock"]


BLOCKS = {"replacing": replacing, "only_writer": only_writer, "staging": staging}


@pytest.mark.parametrize("how", BLOCKS)
def test_a_failure_of_another_file_is_not_blamed_on_this_one(tmp_path: Path, how: str) -> None:
    """What the block itself meets elsewhere comes out as it is, with the name of that file."""
    (tmp_path / "target").mkdir()
    mine = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "another file")
    with pytest.raises(OSError, match="another file") as caught, BLOCKS[how](tmp_path / "target"):
        raise mine
    assert caught.value is mine


def test_what_a_file_stands_in_the_way_of(tmp_path: Path) -> None:
    """A folder below a file cannot be made, however deep, and it is not the disk's fault."""
    (tmp_path / "file").write_bytes(b"")
    for deep in (tmp_path / "file" / "x", tmp_path / "file" / "x" / "y"):
        with pytest.raises(OutputExists, match="a parent folder is a file"):
            create_folder(deep)
        with pytest.raises(OutputExists, match="a parent folder is a file"), staging(deep):
            pass


def folder_with(path: Path, content: str) -> Path:
    path.mkdir()
    (path / "index.html").write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("existing", [True, False])
def test_a_finished_folder_takes_the_place_of_another(tmp_path: Path, existing: bool) -> None:
    """Afterwards the new one stands there, and nothing of the old one or of the staging is left."""
    target = tmp_path / "site"
    if existing:
        folder_with(target, "old")
        (target / "gone.html").write_text("x", encoding="utf-8")
    swap_folder(folder_with(tmp_path / "staged", "new"), target)
    assert names(tmp_path) == ["site"]
    assert names(target) == ["index.html"]
    assert (target / "index.html").read_text(encoding="utf-8") == "new"


def test_a_swap_that_fails_leaves_the_old_folder(tmp_path: Path) -> None:
    """Where the new folder cannot be moved, the old one is put back."""
    target = folder_with(tmp_path / "site", "old")
    with pytest.raises(OSError, match="staged"):
        swap_folder(tmp_path / "staged", target)
    assert names(tmp_path) == ["site"]
    assert (target / "index.html").read_text(encoding="utf-8") == "old"


def test_staging_is_beside_its_target_and_gone_afterwards(tmp_path: Path) -> None:
    """Built beside, so that a rename will do; left behind neither by success nor by failure."""
    target = tmp_path / "public" / "site"
    with staging(target) as staged:
        assert staged.parent == target.parent
        (staged / "index.html").write_text("new", encoding="utf-8")
        swap_folder(staged, target)
    assert names(target.parent) == ["site"]
    with pytest.raises(RuntimeError), staging(target) as staged:  # noqa: PT012 - the block is what fails
        (staged / "half").write_text("x", encoding="utf-8")
        raise RuntimeError
    assert names(target.parent) == ["site"]
    assert names(target) == ["index.html"]


KILLED = """
import os, signal, sys
from pathlib import Path
from ib.store.files.writing import replacing, staging
path = Path(sys.argv[1])
with replacing(path) as file, staging(path.with_name("site")) as staged:
    file.write(b"half")
    (staged / "half").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_removed_by_the_next_of_the_same_target(tmp_path: Path) -> None:
    """Its temporary file and its staging folder; not those of other targets, nor files of other forms."""
    path = tmp_path / "file.json"
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    left = names(tmp_path)
    assert len(left) == 2
    kept = [".file.json.old", ".file.json.abcd1234", ".other.abcd1234.ib-tmp", ".file.jsonXabcd1234.ib-tmp"]
    for name in kept:
        (tmp_path / name).touch()
    replace(path, b"whole")
    with staging(tmp_path / "site"):
        pass
    assert names(tmp_path) == sorted(["file.json", *kept])


def test_what_a_living_process_writes_is_left_alone(tmp_path: Path) -> None:
    """Two writers of one target do not remove each other's temporary files; the last one wins."""
    path = tmp_path / "file.json"
    with replacing(path) as file, staging(tmp_path / "site") as staged:
        with replacing(path) as other, staging(tmp_path / "site") as second:
            other.write(b"second")
            (second / "x").touch()
        assert staged.is_dir()
        file.write(b"first")
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["file.json"]


@pytest.mark.parametrize("name", ["/", "//", "/.", "/usr/.."])
def test_the_root_is_no_place_for_a_folder(name: str) -> None:
    """It is refused before anything is read."""
    with pytest.raises(UsageError, match="root of the file system"):
        claim(Path(name))


def test_a_link_that_leads_to_itself_is_no_place(tmp_path: Path) -> None:
    """It is asked for wrongly, and no fault of the program."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match="is a link to itself"):
        claim(tmp_path / "loop")


@pytest.mark.parametrize("name", [".", "..", "../.."])
def test_the_current_folder_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A shell that stands in a folder, or below it, would be left without one."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    with pytest.raises(UsageError, match="contains the current folder"), staging(Path(name)):
        pass


def test_the_search_for_foreign_files_ends_at_the_first(tmp_path: Path) -> None:
    """A home with a million files is refused at once: folders that come later are not read."""
    (tmp_path / "a").touch()
    later = tmp_path / "z"
    later.mkdir()
    assert foreign_file(tmp_path, {"a"}) is None
    (later / "deep").mkdir()
    (later / "deep" / "x").touch()
    (later / "link").symlink_to(tmp_path)
    assert foreign_file(tmp_path, {"a"}) == "z/link"
    assert foreign_file(tmp_path, {"a", "z/link"}) == "z/deep/x"


@pytest.mark.parametrize(
    ("there", "begun"),
    [
        ((), True),
        ((".lock",), True),
        ((".lock", ".results.jsonl.abcd1234.ib-tmp"), True),
        ((".lock", "replies.jsonl"), True),
        (("replies.jsonl", "results.jsonl"), True),
        (("results.jsonl",), False),
        (("scan_plan.json", "cost_report.json"), False),
        ((".hidden",), False),
    ],
)
def test_where_work_can_be_resumed(tmp_path: Path, there: tuple[str, ...], begun: bool) -> None:
    """In a folder with a journal, or in one that a kill left before the journal was made."""
    for name in there:
        (tmp_path / name).touch()
    assert has_begun(tmp_path, "replies.jsonl") is begun


def test_a_folder_is_discarded_with_its_journal_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at any moment while a folder is removed, what is left can be resumed or is gone."""
    folder = tmp_path / "scan"
    folder.mkdir()
    for name in ("a", "replies.jsonl", "z"):
        (folder / name).touch()
    unlink = Path.unlink
    seen: list[bool] = []

    def watched(path: Path, missing_ok: bool = False) -> None:
        unlink(path, missing_ok=missing_ok)
        seen.append(has_begun(folder, "replies.jsonl"))

    monkeypatch.setattr(Path, "unlink", watched)
    discard(folder, "replies.jsonl")
    assert (seen, folder.exists()) == ([True, True], False)
