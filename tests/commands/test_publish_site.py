"""`ib publish --to`: the release and its site are replaced together, or neither is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.cli import run
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
Files = dict[str, bytes]


@pytest.fixture
def scans(transcripts: Callable[..., Path], tmp_path: Path) -> tuple[Path, Path]:
    """Two smoke scans of the same two models, of one scenario and of another."""
    made = []
    for scenario in ("one", "two"):
        rows = [row(model, scenario) for model in ("v/a", "v/b")]
        made.append(tmp_path / f"scan-{scenario}")
        path = transcripts(*rows, name=f"{scenario}.jsonl")
        assert run(["scan", str(path), "--out", str(made[-1])]) == 0
    return made[0], made[1]


def files(folder: Path) -> Files:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def publish(scan: Path, folder: Path) -> list[str]:
    out, to = str(folder / "release"), str(folder / "site")
    return ["publish", str(scan), "--stage", "demo", "--out", out, "--to", to, "--yes"]


def belong_together(folder: Path) -> bool:
    """True if the site was built from the release beside it."""
    return files(folder / "site" / "data").items() >= files(folder / "release").items()


SMALL = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000));"
CALL = "from ib.cli import run; sys.exit(run(sys.argv[1:]))"


def test_a_site_that_cannot_be_written_leaves_the_old_release(
    scans: tuple[Path, Path], tmp_path: Path
) -> None:
    """A file of the site that is too large for the disk: exit 4, both folders as before, nothing beside."""
    public = tmp_path / "public"
    public.mkdir()
    assert run(publish(scans[0], public)) == 0
    assert belong_together(public)
    before = files(public)
    command = [sys.executable, "-c", SMALL + CALL, *publish(scans[1], public)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    assert files(public) == before
    assert len([*public.iterdir()]) == 2


def mount(size: str, folder: Path, *command: str) -> list[str]:
    """A command in a world of its own, in which `folder` is a disk of this size."""
    script = 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"'
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", size, str(folder), *command]


CAN_MOUNT = shutil.which("unshare") is not None and (
    subprocess.run(mount("1m", Path("/mnt"), "true"), capture_output=True, check=False).returncode == 0
)
ON_A_SMALL_DISK = """
import os, sys
from pathlib import Path
from ib.cli import run
first, second = (arguments.split("\\n") for arguments in sys.argv[1:3])
public = Path(sys.argv[3])
def texts():
    return {str(path): path.read_bytes() for path in public.rglob("*") if path.is_file()}
assert run(first) == 0
before = texts()
code = run(second)
free = os.statvfs(public)
assert texts() == before, "changed"
assert sorted(path.name for path in public.iterdir()) == ["release", "site"]
sys.exit(code)
"""


@pytest.mark.skipif(not CAN_MOUNT, reason="this system mounts no disk for a test")
def test_a_full_disk_leaves_release_and_site_as_they_were(scans: tuple[Path, Path], tmp_path: Path) -> None:
    """On a disk with room for one site and not for two, the second publication changes no byte."""
    public = tmp_path / "public"
    public.mkdir()
    both = ["\n".join(publish(scan, public)) for scan in scans]
    command = mount("21m", public, sys.executable, "-c", ON_A_SMALL_DISK, *both, str(public))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    assert "No space left on device" in done.stderr


KILLED = """
import os, signal, sys
from ib.cli import run
from ib.store.files import together
def trace(frame, event, _):
    if frame.f_code.co_name != "put_in_place":
        return None
    def inside(frame, event, _):
        if event == "return":  # the release has its name, and the site does not
            os.kill(os.getpid(), signal.SIGKILL)
        return inside
    return inside
sys.settrace(trace)
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("following", ["publish", "site build"])
def test_the_next_command_finishes_what_a_kill_interrupted(
    scans: tuple[Path, Path], ib: Call, tmp_path: Path, following: str
) -> None:
    """Killed between both renames: the next command on the release puts the site in place, and says so."""
    public = tmp_path / "public"
    assert ib(*publish(scans[0], public))[0] == 0
    command = [sys.executable, "-c", KILLED, *publish(scans[1], public)]
    assert subprocess.run(command, capture_output=True, check=False).returncode < 0
    assert not belong_together(public)
    new = files(public / "release")
    release = public / "release"
    if following == "publish":
        code, _, said = ib("publish", scans[0], "--stage", "research", "--out", release)
        assert code == 1
    else:
        wrong = ("--out", tmp_path / "other", "--site-url", "ftp://x")
        code, _, said = ib("site", "build", "--release", release, *wrong)
        assert code == 2
    assert "finished an interrupted publication" in said
    assert files(public / "release") == new
    assert belong_together(public)
    assert sorted(path.name for path in public.iterdir()) == ["release", "site"]
