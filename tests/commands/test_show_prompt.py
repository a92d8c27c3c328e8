"""`ib show prompt`: what a judge would be asked, word for word, and how large it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.models.scan.judge import JudgeReply, JudgeRequest, NotRecorded
from ib.pipeline.scan.prepare import ScanOptions, prepare_scan
from ib.pipeline.scan.scan import run_scan
from ib.testing.judges import ScriptedJudge
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
DUE = row(eligible_checks=["IB-A1", "IB-B3", "IB-B4", "IB-B5", "IB-C1"])


def shown(ib: Call, *arguments: object) -> list[dict[str, Any]]:
    """What the command prints as data."""
    code, out, err = ib("show", "prompt", *arguments, "--json")
    assert code == 0, err
    value: list[dict[str, Any]] = json.loads(out)
    return value


def test_it_is_exactly_what_a_scan_sends(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """The questions of a publish scan about the check, by what its judge got; screening questions too."""
    path = transcripts(DUE)
    sent: list[JudgeRequest] = []

    def watched(request: JudgeRequest) -> JudgeReply:
        sent.append(request)
        return NotRecorded()

    prepared = prepare_scan([path], ScanOptions(profile="publish", judge=ScriptedJudge(watched)))
    run_scan(prepared, tmp_path / "scan")
    prepared.spool.close()
    for check_id in ("IB-A1", "IB-C1", "IB-B3"):
        mine = {(request.system, request.user) for request in sent if request.check_id == check_id}
        assert {(one["system"], one["user"]) for one in shown(ib, check_id, "--transcript", path)} == mine
    screening, own = shown(ib, "IB-B4", "--transcript", path)
    assert (screening["system"], screening["user"]) in {(r.system, r.user) for r in sent}
    assert (screening["phase"], own["phase"], own["check_id"]) == ("screen", "decide", "IB-B4")


def test_its_size_and_what_a_cache_can_serve(ib: Call, transcripts: Write) -> None:
    """A question shares the frame and the conversation with the others about the transcript."""
    (one,) = shown(ib, "IB-C1", "--transcript", transcripts(DUE))
    assert 0 < one["cacheable"] < one["tokens"] < len(one["system"] + one["user"])
    _, text, _ = ib("show", "prompt", "IB-C1", "--transcript", transcripts(DUE))
    assert f"{one['tokens']:,} tokens ({one['counted_with']})" in text
    assert one["user"] in text


@pytest.mark.parametrize(
    ("check_id", "more", "words"),
    [
        ("IB-X9", (), "unknown check"),
        ("IB-B5", (), "asks no judge"),
        ("IB-A1", ("-s", "elsewhere"), "is due on no such transcript"),
    ],
)
def test_what_cannot_be_shown_is_said(
    ib: Call, transcripts: Write, check_id: str, more: tuple[str, ...], words: str
) -> None:
    """A name that does not exist, a check that asks no judge, a transcript that is not there."""
    code, _, err = ib("show", "prompt", check_id, "--transcript", transcripts(DUE), *more)
    assert code == 2
    assert words in err
