"""`ib demo`: where it may be made. What it makes is in tests/demonstration."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.commands import demo as command
from ib.models.release.leaderboard import Leaderboard
from ib.pipeline.start.demo import MARK
from ib.store.files.writing import only_writer

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chain itself is left out."""
    construct: Callable[..., Leaderboard] = Leaderboard.model_construct
    monkeypatch.setattr(command, "_make", lambda *arguments: construct(models=()))


@pytest.mark.parametrize("below", ["", "x", "x/y"])
def test_a_file_in_the_way_is_asked_for_wrongly(ib: Call, tmp_path: Path, below: str) -> None:
    """A file is no folder, and none can be made under it: exit 2, and the file stays."""
    file = tmp_path / "file"
    file.write_bytes(b"mine")
    code, _, err = ib("demo", "--out", file / below)
    assert code == 2, err
    assert "file" in err
    assert file.read_bytes() == b"mine"


def test_a_rehearsal_leaves_the_demonstration_alone(
    ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --out, each has a folder of its own, because the rehearsal has far fewer conversations."""
    monkeypatch.chdir(tmp_path)
    assert ib("demo")[0] == 0
    (tmp_path / "demo" / "run").mkdir()
    assert ib("demo", "--live")[0] == 0
    assert (tmp_path / "demo" / "run").is_dir()
    assert (tmp_path / "demo-live" / MARK).is_file()


def test_a_link_is_followed(ib: Call, tmp_path: Path) -> None:
    """The folder behind it is cleared and made anew, as often as wanted, and the link stays."""
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real", target_is_directory=True)
    for _ in range(2):
        assert ib("demo", "--out", link)[0] == 0
        (tmp_path / "real" / "run").mkdir()
    assert link.is_symlink()
    assert ib("demo", "--out", link)[0] == 0
    assert {path.name for path in (tmp_path / "real").iterdir()} == {MARK, ".lock"}


def test_a_folder_of_something_else_is_left_alone(ib: Call, tmp_path: Path) -> None:
    """Only what a demonstration made is cleared for another one."""
    (tmp_path / "mine").touch()
    assert ib("demo", "--out", tmp_path)[0] == 2
    assert (tmp_path / "mine").exists()
    (tmp_path / MARK).touch()
    code, _, err = ib("demo", "--out", tmp_path)
    assert (code, f"{tmp_path} holds mine, which `ib demo` did not make" in err) == (2, True)
    assert (tmp_path / "mine").exists()


LEFT = {
    "before the mark was made": (),
    "between two steps": (MARK, "run/transcripts.jsonl"),
    "while a release was staged": (MARK, "run/x", "scan/x", ".release.abcd_123.ib-tmp/qa.json"),
    "while a site was staged": (MARK, "release/x", ".site.abcd_123.ib-tmp/index.html"),
    "while it was cleared": (MARK, ".lock", "scan/results.jsonl"),
}


@pytest.mark.parametrize("when", LEFT)
def test_what_a_kill_left_is_cleared(ib: Call, tmp_path: Path, when: str) -> None:
    """A demonstration that was killed at any moment gives way to the next one."""
    out = tmp_path / "demo"
    out.mkdir()
    for name in LEFT[when]:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).touch()
    code, _, err = ib("demo", "--out", out)
    assert code == 0, err
    assert {path.name for path in out.iterdir()} == {MARK, ".lock"}


def test_clearing_never_removes_the_mark_first(
    ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while it clears an earlier demonstration, the next one still knows the folder."""
    out = tmp_path / "demo"
    assert ib("demo", "--out", out)[0] == 0
    for name in ("run", "scan"):
        (out / name).mkdir()

    def killed(path: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", killed)
        assert ib("demo", "--out", out)[0] == 130
    assert ib("demo", "--out", out)[0] == 0


def test_two_demonstrations_in_one_folder(ib: Call, tmp_path: Path) -> None:
    """The second one does not clear the folder under the first."""
    (tmp_path / MARK).touch()
    with only_writer(tmp_path):
        code, _, err = ib("demo", "--out", tmp_path)
    assert (code, "another process is writing" in err) == (4, True)


def test_an_unknown_scenario_leaves_no_folder(ib: Call, tmp_path: Path) -> None:
    """What is asked for wrongly is refused before anything is written."""
    code, _, said = ib("demo", "-s", "nope", "--out", tmp_path / "demo")
    assert code == 2
    assert "-s 'nope' is not a scenario" in said
    assert list(tmp_path.iterdir()) == []


def test_the_last_line_can_be_typed(ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shell does not find `ib`, the command is named by the path that started it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.argv", [".venv/bin/ib", "demo"])
    _, out, _ = ib("demo", "--out", tmp_path / "demo")
    assert "or run: .venv/bin/ib site serve" in out
