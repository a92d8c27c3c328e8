"""A scan that is resumed with a journal that somebody or something has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ib.store.folders import scans
from ib.testing.loopback import LoopbackServer
from tests.commands.conftest import row
from tests.commands.test_live import KEY, judges

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
Lines = list[bytes]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def changed(line: bytes, **fields: object) -> bytes:
    """A line of a journal with other fields."""
    return json.dumps({**json.loads(line), **fields}).encode()


@dataclass(frozen=True)
class Change:
    """A change of a journal's lines, and what the command says to it."""

    make: Callable[[Lines], Lines]
    code: int
    said: str


OTHER = "0" * 64
CHANGES = {
    "a torn last line": Change(
        lambda lines: [*lines[:-1], lines[-1][:40]], 0, "an incomplete last line was dropped"
    ),
    "a line twice": Change(lambda lines: [*lines, lines[1], b""], 0, "line 7 repeats an earlier line"),
    "a question that was not asked": Change(
        lambda lines: [*lines, changed(lines[1], key=OTHER), b""], 0, "1 of its replies were not asked for"
    ),
    "another answer": Change(
        lambda lines: [*lines, changed(lines[1], answer="{}"), b""], 3, ":7: key: another answer"
    ),
    "a line of another form": Change(lambda lines: [*lines[:2], b'{"note": 1}', *lines[2:]], 3, ":3: "),
    "a line of prose": Change(lambda lines: [*lines[:2], b"paid on Monday", *lines[2:]], 3, ":3: "),
    "a line of another plan": Change(
        lambda lines: [*lines, changed(lines[1], key=OTHER, model_id="other/model"), b""],
        3, ":7: a reply on other/model, night-01, which is not in the plan",
    ),
    "the journal of another plan": Change(
        lambda lines: [changed(lines[0], plan_hash=OTHER), *lines[1:]], 4, "belongs to another plan"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_journal_is_repaired_or_refused(
    ib: Call, transcripts: Write, tmp_path: Path, name: str
) -> None:
    """What a crash leaves is repaired and said; else the line is named, and nothing is asked or changed."""
    change, out = CHANGES[name], tmp_path / "scan"
    with LoopbackServer(judges) as server:
        scan = ("scan", transcripts(row()), "--profile", "publish", "--judge", "openai/m", "--base-url",
                server.base_url, "--bucket", "C")  # fmt: skip
        assert ib(*scan, "--max-calls", 100, "--out", tmp_path / "whole")[0] == 0
        assert ib(*scan, "--max-calls", 5, "--out", out)[0] == 4
        path = out / scans.REPLIES
        lines = path.read_bytes().splitlines()
        assert len(lines) == 6
        path.write_bytes(b"\n".join(change.make(lines)))
        before, asked = path.read_bytes(), server.seen.requests
        code, _, err = ib(*scan, "--max-calls", 100, "--out", out, "--resume")
        assert (code, change.said in err, "Traceback" in err) == (change.code, True, False), err
        if code:
            assert str(path) in err
            assert path.read_bytes() == before
            assert server.seen.requests == asked
            return
    for file in (scans.REPLIES, scans.RESULTS):
        assert (out / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
