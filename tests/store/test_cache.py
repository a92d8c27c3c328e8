"""The cache of answers across scans: it saves calls, and it is never in the way."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ib.models.scan.judge import Answer
from ib.store.folders.cache import AnswerCache, cache_path, usual_place

ROOT = Path(__file__).resolve().parents[2]


def opened(path: Path, notices: list[str] | None = None) -> AnswerCache:
    """A cache; a notice is an error unless it is wanted."""
    said = [] if notices is None else notices
    cache = AnswerCache(path, said.append)
    assert notices is not None or not said
    return cache


def test_an_answer_is_there_for_the_next_scan(tmp_path: Path) -> None:
    """Under its key only, with every character; the first answer stays."""
    path = tmp_path / "new" / "folder" / "answers.sqlite"
    text = "café\nline\u2028end\0 \U0001f600"
    one = opened(path)
    assert one.get("k1") is None
    one.put("k1", Answer(text))
    one.put("k1", Answer("another"))
    assert one.get("k1") == Answer(text)
    one.close()
    two = opened(path)
    assert two.get("k1") == Answer(text)
    assert two.get("k2") is None
    two.close()
    assert path.stat().st_mode & 0o077 == 0, "answers quote private conversations"


def whole(path: Path) -> bytes:
    """The bytes of a cache with many answers."""
    cache = opened(path)
    for number in range(300):
        cache.put(f"k{number:03}", Answer("answer " * 20))
    cache.close()
    return path.read_bytes()


def scratched(data: bytes) -> bytes:
    """A cache file with a broken page of answers."""
    return data[:4096] + b"\xff" * 8192 + data[12288:]


@pytest.mark.parametrize("kind", ["words", "scratched", "other form", "folder", "no permission"])
def test_a_cache_that_cannot_be_used_is_said_once(tmp_path: Path, kind: str) -> None:
    """The notice names the file; work goes on without answers; the file is left as it is."""
    path = tmp_path / "answers.sqlite"
    if kind == "words":
        path.write_bytes(b"these are no answers, " * 100)
    elif kind == "scratched":
        path.write_bytes(scratched(whole(path)))
    elif kind == "other form":
        file = sqlite3.connect(path)
        file.execute("PRAGMA user_version = 99")
        file.close()
    elif kind == "folder":
        path.mkdir()
    else:
        (tmp_path / "file").touch()
        path = tmp_path / "file" / "answers.sqlite"
    before = path.read_bytes() if path.is_file() else None
    notices: list[str] = []
    cache = opened(path, notices)
    for number in range(0, 300, 7):
        cache.put(f"k{number:03}", Answer("new"))
        cache.get(f"k{number:03}")
    cache.close()
    assert len(notices) == 1
    assert str(path) in notices[0]
    assert "going on without it" in notices[0]
    if before is not None and kind != "scratched":
        assert path.read_bytes() == before


WRITE = """
import sys
from pathlib import Path
from ib.models.scan.judge import Answer
from ib.store.folders.cache import AnswerCache
cache = AnswerCache(Path(sys.argv[1]), print)
for number in range(400):
    cache.put(f"{sys.argv[2]}-{number}", Answer("answer"))
    cache.put(f"both-{number}", Answer("answer"))
cache.close()
"""


def test_several_processes_use_one_cache_at_once(tmp_path: Path) -> None:
    """From its creation on: no answer is lost and no notice is given."""
    path = tmp_path / "answers.sqlite"
    names = ("a", "b", "c")
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE, str(path), name],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for name in names
    ]  # fmt: skip
    assert [process.communicate()[0] for process in running] == [""] * len(names)
    cache = opened(path)
    keys = [f"{name}-{number}" for name in (*names, "both") for number in range(400)]
    assert [key for key in keys if cache.get(key) is None] == []
    cache.close()


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """IB_CACHE, or else the user's cache folder; a caller may choose or refuse."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("IB_CACHE", "off")
    assert usual_place() is cache_path(chosen=True) is None
    monkeypatch.setenv("IB_CACHE", str(tmp_path / "mine"))
    assert usual_place() == cache_path(chosen=True) == tmp_path / "mine"
    monkeypatch.delenv("IB_CACHE")
    assert usual_place() == tmp_path / ".cache/ib/answers.sqlite"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert usual_place() == tmp_path / "x/ib/answers.sqlite"
    assert cache_path(chosen=False) is None
    assert cache_path("some/file") == Path("some/file")
