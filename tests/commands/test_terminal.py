"""What files say cannot steer the terminal that it is shown on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.commands.common import emit, say
from ib.commands.terminal import plain

EVIL = "a\x1b[2J\x1b]0;t\x07 b\x9b\x7f\r\u202e\n\tc\r\n"
SEEN = "a\\x1b[2J\\x1b]0;t\\x07 b\\x9b\\x7f\\r\\u202e\n\tc\r\n"


def test_control_characters_are_marks_that_can_be_seen() -> None:
    """All are shown, C1 and DEL among them; tabs and ends of lines stay, and so does every other letter."""
    assert plain(EVIL) == SEEN
    assert plain("J\u00f3se \u4f60 \U0001f600 \u05d0\u200f") == "J\u00f3se \u4f60 \U0001f600 \u05d0\u200f"


def test_talk_and_data_are_plain(capsys: pytest.CaptureFixture[str]) -> None:
    """Both streams, and the JSON of the same value holds it still."""
    say(EVIL)
    emit(None, as_json=False, text=lambda _: EVIL)
    out, err = capsys.readouterr()
    assert (out, err) == (f"{SEEN}\n", f"{SEEN}\n")
    emit({"model": EVIL}, as_json=True, text=str)
    out, _ = capsys.readouterr()
    assert json.loads(out) == {"model": EVIL}
    assert plain(out) == out


def test_errors_are_plain(ib: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """The name of a file is text from outside as well."""
    code, _, err = ib("scan", tmp_path / "a\x1b[2J.jsonl", "--out", tmp_path / "scan")
    assert code == 3
    assert "a\\x1b[2J.jsonl" in err
    assert "\x1b" not in err
