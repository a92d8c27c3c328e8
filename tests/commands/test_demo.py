"""`ib demo`: where it may be made. What it makes is in tests/demonstration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ib.commands import demo as command

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chain itself is left out."""
    monkeypatch.setattr(command, "_make", lambda *arguments: None)


@pytest.mark.parametrize("below", ["", "x", "x/y"])
def test_a_file_in_the_way_is_asked_for_wrongly(ib: Call, tmp_path: Path, below: str) -> None:
    """A file is no folder, and none can be made under it: exit 2, and the file stays."""
    file = tmp_path / "file"
    file.write_bytes(b"mine")
    code, _, err = ib("demo", "--out", file / below)
    assert code == 2, err
    assert "file" in err
    assert file.read_bytes() == b"mine"


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
    assert [path.name for path in (tmp_path / "real").iterdir()] == [command.MARK]


def test_a_folder_of_something_else_is_left_alone(ib: Call, tmp_path: Path) -> None:
    """Only what a demonstration made is cleared for another one."""
    (tmp_path / "mine").touch()
    assert ib("demo", "--out", tmp_path)[0] == 2
    assert (tmp_path / "mine").exists()
    (tmp_path / command.MARK).touch()
    code, _, err = ib("demo", "--out", tmp_path)
    assert (code, f"{tmp_path} holds mine, which no demonstration made" in err) == (2, True)
    assert (tmp_path / "mine").exists()
