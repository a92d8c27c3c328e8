"""The journal of replies: what was paid for is kept, whatever happens."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from ib.errors import DataError, WorldError
from ib.models.common.base import Unit
from ib.models.scan.judge import (
    Answer,
    Fault,
    FaultKind,
    JudgeReply,
    JudgeRequest,
    NotRecorded,
    Phase,
    Refusal,
    UnitSpan,
)
from ib.store.folders.journal import GROUP, GROUP_SECONDS, VOTES, Journal
from ib.store.folders.replies import Replies
from tests.store.journals import load_replies
from tests.store.small import only

PLAN = "a" * 64
HEADER = b'{"kind":"replies","plan_hash":"' + PLAN.encode() + b'","schema_version":1}\n'
LINE = (
    b'{"answer":"a","attempt":0,"check_id":"IB-A1","epoch":null,"key":"' + b"6b".ljust(64, b"0") + b'",'
    b'"model_id":"m","phase":"decide","repetition":0,"scenario_id":"s","turns":[1,2]}\n'
)


def key_of(name: str) -> str:
    """A key as long as a hash, for a short name."""
    return name.encode().hex().ljust(64, "0")


def name_of(key: str) -> str:
    """The name of a key."""
    return bytes.fromhex(key).rstrip(b"\0").decode()


def request(name: str, **more: Any) -> JudgeRequest:
    values = {
        "key": key_of(name),
        "check_id": "IB-A1",
        "model_id": "m",
        "scenario_id": "s",
        "epoch": None,
        "unit": UnitSpan(Unit.EVENT_WINDOW, 1, 2),
        "phase": Phase.DECIDE,
        "repetition": 0,
        "attempt": 0,
        "system": "",
        "user": "",
        **more,
    }
    return JudgeRequest(**values)


def keys(path: Path) -> list[str]:
    return [name_of(orjson.loads(line)["key"]) for line in path.read_bytes().splitlines()[1:]]


def names(one: Journal[JudgeRequest, JudgeReply]) -> list[str]:
    """The names of the requests whose answers a journal knows."""
    return [name_of(key) for key in one.known]


def journal(
    path: Path, *replies: tuple[str, JudgeReply], resume: bool = False
) -> Journal[JudgeRequest, JudgeReply]:
    """A journal with replies, the first in place (0, 0), the next in (0, 1), ..."""
    one = Journal(path, PLAN, VOTES, resume=resume)
    for place, (key, reply) in enumerate(replies):
        one.write(request(key), reply, (0, place))
    return one


def test_the_header_carries_the_plan(tmp_path: Path) -> None:
    """The first line says what the file is and which plan it belongs to; it is there at once."""
    path = tmp_path / "replies.jsonl"
    one = journal(path)
    assert path.read_bytes() == HEADER
    one.close()


def test_lesson_30_each_reply_is_on_disk_when_it_is_written(tmp_path: Path) -> None:
    """A crash right after a reply loses nothing: the line is there before the next one is asked for."""
    path = tmp_path / "replies.jsonl"
    one = journal(path)
    for count in range(1, 4):
        one.write(request(f"k{count}"), Answer("caf\u00e9\nline\u2028end"), (0, count))
        assert keys(path) == [f"k{i}" for i in range(1, count + 1)]
    one.close()
    said = Answer("caf\u00e9\nline\u2028end")
    assert load_replies(path) == (PLAN, {key_of(f"k{i}"): said for i in range(1, 4)})


def test_lesson_30_a_killed_process_leaves_its_replies(tmp_path: Path) -> None:
    """A process that dies without closing anything has lost no answer that it wrote."""
    path = tmp_path / "replies.jsonl"
    code = (
        "import os, sys; from pathlib import Path; from ib.models.scan.judge import Answer\n"
        "from tests.store.test_journal import PLAN, request\n"
        "from ib.store.folders.journal import VOTES, Journal\n"
        "journal = Journal(Path(sys.argv[1]), PLAN, VOTES)\n"
        "for i in range(3): journal.write(request(f'k{i}'), Answer('paid'), (0, i))\n"
        "os._exit(9)"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False, cwd=root)
    assert done.returncode == 9
    again = journal(path, resume=True)
    again.close()
    assert again.known == dict.fromkeys(map(key_of, ["k0", "k1", "k2"]), Answer("paid"))


@pytest.mark.parametrize("torn", [1, 10, -1])
def test_lesson_30_a_torn_last_line_is_dropped_and_said(tmp_path: Path, torn: int) -> None:
    """A line that was cut off by the crash goes, with a notice; those before it stay, and writing goes on."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Answer("a")), ("k1", Answer("b"))).close()
    whole = path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    path.write_bytes(whole[: -len(last)] + last[:torn])
    again = journal(path, resume=True)
    assert names(again) == ["k0"]
    assert again.notices == ["replies.jsonl: an incomplete last line was dropped"]
    again.write(request("k1"), Answer("b"), (0, 1))
    again.note_known(request("k0"), (0, 0))
    again.finish()
    assert path.read_bytes() == whole


def test_lesson_30_what_was_torn_leaves_nothing_behind_what_follows(tmp_path: Path) -> None:
    """A long torn line is gone from the file before a shorter one is written in its place."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Answer("a"))).close()
    with path.open("ab") as file:
        file.write(b'{"answer":"' + b"x" * 5000)
    journal(path, ("k1", Answer("b")), resume=True).close()
    again = journal(path, resume=True)
    again.close()
    assert again.notices == []
    assert names(again) == ["k0", "k1"]


def test_a_whole_journal_has_no_notices(tmp_path: Path) -> None:
    """Nothing torn, nothing said."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Answer("a"))).close()
    again = journal(path, resume=True)
    again.close()
    assert again.notices == []


@pytest.mark.parametrize("kept", [0, 1, len(HEADER) - 1])
def test_lesson_30_a_torn_header_holds_nothing_and_can_be_resumed(tmp_path: Path, kept: int) -> None:
    """A crash or a full disk at the very first line leaves a scan that the same command takes up."""
    path = tmp_path / "replies.jsonl"
    path.write_bytes(HEADER[:kept])
    again = journal(path, resume=True)
    again.close()
    assert again.known == {}
    assert path.read_bytes() == HEADER


def test_another_plan_is_refused(tmp_path: Path) -> None:
    """Replies to other questions are not taken over, and not a byte of them is touched."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Answer("a"))).close()
    before = path.read_bytes()
    with pytest.raises(WorldError, match="another plan") as caught:
        Journal(path, "b" * 64, VOTES, resume=True)
    assert caught.value.exit_code == 4
    assert path.read_bytes() == before


def test_lesson_31_a_journal_is_never_begun_twice(tmp_path: Path) -> None:
    """Without --resume an existing journal is not opened, let alone emptied."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Answer("a"))).close()
    before = path.read_bytes()
    with pytest.raises((FileExistsError, WorldError)):
        Journal(path, PLAN, VOTES)
    assert path.read_bytes() == before


def test_resuming_where_there_is_nothing_begins(tmp_path: Path) -> None:
    """A scan that never came to its journal starts it."""
    path = tmp_path / "replies.jsonl"
    journal(path, resume=True).close()
    assert path.read_bytes() == HEADER


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"words\n", 1),
        (b'{"kind":"results"}\n', 1),
        (b"[]\n", 1),
        (HEADER.replace(PLAN.encode(), b"some"), 1),
        (HEADER.replace(b"replies", b"completions"), 1),
        (HEADER + b"{broken\n" + LINE, 2),
        (HEADER + b"[1]\n", 2),
        (HEADER + b"\n" + LINE, 2),
        (HEADER + LINE + b"\xff\n", 3),
    ],
)
def test_a_file_that_is_no_journal_is_bad_data(tmp_path: Path, text: bytes, line: int) -> None:
    """What stands broken in the middle was not torn by a crash: it is said with its line."""
    path = tmp_path / "replies.jsonl"
    path.write_bytes(text)
    for read in (lambda: Journal(path, PLAN, VOTES, resume=True), lambda: load_replies(path)):
        with pytest.raises(DataError) as caught:
            read()
        assert {found.line for found in caught.value.findings} == {line}
    assert path.read_bytes() == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"key":', b'"name":'),
        (b'"answer":"a"', b'"fault":"hiccup"'),
        (b'"answer":"a"', b'"answer":null'),
        (b'"answer":"a"', b'"answer":"a","fault":"transient"'),
        (b'"answer":"a"', b'"answer":"a","refused":"policy"'),
        (b'"answer":"a"', b'"fault":"transient","refused":"policy"'),
        (b'"answer":"a"', b'"refused":1'),
        (b'"answer":"a"', b'"answer":1'),
        (b'"turns":[1,2]', b'"turns":[1]'),
    ],
    ids=[
        "no key",
        "unknown fault",
        "no outcome",
        "two outcomes",
        "answer and refusal",
        "fault and refusal",
        "no reason",
        "no text",
        "one turn",
    ],
)
def test_a_line_that_is_no_reply_is_bad_data(tmp_path: Path, old: bytes, new: bytes) -> None:
    """A line of the right form with the wrong content is a finding with its number too."""
    path = tmp_path / "replies.jsonl"
    assert old in LINE
    path.write_bytes(HEADER + LINE.replace(old, new))
    for read in (lambda: Journal(path, PLAN, VOTES, resume=True), lambda: load_replies(path)):
        with pytest.raises(DataError) as caught:
            read()
        assert {found.line for found in caught.value.findings} == {2}


def test_an_empty_file_is_no_finished_journal(tmp_path: Path) -> None:
    """A journal without its header says nothing, and is not a scan without replies."""
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b"")
    with pytest.raises(DataError):
        Replies(path)


def test_replies_out_of_plan_order_are_refused(tmp_path: Path) -> None:
    """A reply on a transcript that was passed already, or that is not there, is named with its line."""
    path = tmp_path / "replies.jsonl"
    header = {"kind": "replies", "schema_version": 1, "plan_hash": PLAN}
    k1, k2, k3 = (digit * 64 for digit in "123")
    asked = {"check_id": "IB-A1", "turns": [1, 2], "phase": "decide", "repetition": 2, "attempt": 1}
    rows = [
        {"key": key, "model_id": "m", "scenario_id": scenario, "epoch": None, "answer": "a", **asked}
        for key, scenario in ((k1, "s1"), (k2, "s2"), (k3, "s1"))
    ]
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in (header, *rows)))
    replies = Replies(path)
    assert replies.of(("m", "s1", -1)) == ({k1: Answer("a")}, {"IB-A1": 2})
    assert set(replies.of(("m", "s2", -1))[0]) == {k2}
    assert replies.of(("m", "s3", -1)) == ({}, {})
    with pytest.raises(DataError) as caught:
        replies.close()
    assert only(caught.value).line == 4


@pytest.mark.parametrize("kind", list(FaultKind))
def test_lesson_10_faults_are_asked_again(tmp_path: Path, kind: FaultKind) -> None:
    """A fault is written down, is not known on resume, and gives way to the answer that comes then."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Answer("a")), ("k1", Fault(kind, "why"))).close()
    assert load_replies(path)[1][key_of("k1")] == Fault(kind, "why")
    again = journal(path, resume=True)
    assert names(again) == ["k0"]
    again.note_known(request("k0"), (0, 0))
    again.write(request("k1"), Answer("b"), (0, 1))
    again.finish()
    assert load_replies(path) == (PLAN, {key_of("k0"): Answer("a"), key_of("k1"): Answer("b")})


def test_lesson_53_a_refusal_is_final(tmp_path: Path) -> None:
    """It is written as its provider reports it, is known on resume, and is not asked for again."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Refusal("policy")), ("k1", Refusal(""))).close()
    again = journal(path, resume=True)
    again.close()
    assert again.known == {key_of("k0"): Refusal("policy"), key_of("k1"): Refusal("")}
    assert load_replies(path)[1] == again.known


def test_no_record_leaves_no_line(tmp_path: Path) -> None:
    """A `NotRecorded` reply is not journaled."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", NotRecorded())).close()
    assert path.read_bytes() == HEADER


def test_lesson_34_finish_sorts_into_plan_order(tmp_path: Path) -> None:
    """Whatever came first, interrupted or not: the finished journal has the same bytes."""
    places = {"a": (0, 0), "b": (0, 1), "c": (1, 0), "d": (10, 0), "e": (2, 5)}
    wanted = None
    for order in ("abcde", "edcba", "cadbe"):
        for cut in range(6):
            path = tmp_path / f"{order}{cut}.jsonl"
            one = Journal(path, PLAN, VOTES)
            for key in order[:cut]:
                one.write(request(key), Answer(f"said {key}\u2019"), places[key])
            one.close()
            two = Journal(path, PLAN, VOTES, resume=True)
            for key in order:
                if key_of(key) in two.known:
                    two.note_known(request(key), places[key])
                else:
                    two.write(request(key), Answer(f"said {key}\u2019"), places[key])
            two.finish()
            assert keys(path) == ["a", "b", "c", "e", "d"]
            wanted = wanted or path.read_bytes()
            assert path.read_bytes() == wanted


def test_replies_that_the_plan_no_longer_asks_for_are_left_out(tmp_path: Path) -> None:
    """A reply that was taken over and never asked for again has no place in plan order."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Answer("a")), ("k1", Answer("b"))).close()
    again = journal(path, resume=True)
    again.note_known(request("k1"), (0, 0))
    assert again.finish() == ["replies.jsonl: 1 of its replies were not asked for and were dropped"]
    assert keys(path) == ["k1"]


def test_a_journal_whose_replies_were_all_asked_for_has_nothing_to_say(tmp_path: Path) -> None:
    """No notice without a reason."""
    path = tmp_path / "replies.jsonl"
    assert journal(path, ("k0", Answer("a"))).finish() == []


def test_a_line_that_stands_twice_is_dropped_and_said(tmp_path: Path) -> None:
    """A copy of a line changes nothing; the notice names it."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Answer("a")), ("k1", Answer("b"))).close()
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines(keepends=True)[1])
    again = journal(path, resume=True)
    assert again.notices == ["replies.jsonl: line 4 repeats an earlier line and was dropped"]
    for place, name in enumerate(("k0", "k1")):
        again.note_known(request(name), (0, place))
    assert again.finish() == []
    assert path.read_bytes() == whole


def test_two_answers_to_one_question_are_bad_data(tmp_path: Path) -> None:
    """Nothing tells which of them the judge gave: neither is taken, in an open journal or a finished one."""
    path = tmp_path / "replies.jsonl"
    path.write_bytes(HEADER + LINE + LINE.replace(b'"answer":"a"', b'"answer":"b"'))
    for read in (
        lambda: Journal(path, PLAN, VOTES, resume=True),
        lambda: Replies(path).of(("m", "s", -1)),
    ):
        with pytest.raises(DataError) as caught:
            read()
        assert (only(caught.value).line, only(caught.value).key) == (3, "key")


def test_a_finished_journal_has_one_line_for_each_question(tmp_path: Path) -> None:
    """`finish` leaves no line twice, so one that stands twice was put there."""
    path = tmp_path / "replies.jsonl"
    path.write_bytes(HEADER + LINE + LINE)
    with pytest.raises(DataError) as caught:
        Replies(path).of(("m", "s", -1))
    assert only(caught.value).line == 3


def test_a_reply_on_a_transcript_of_another_plan_is_bad_data(tmp_path: Path) -> None:
    """A line of another journal is refused with its number, and not a byte of the file is touched."""
    path = tmp_path / "replies.jsonl"
    text = HEADER + LINE + LINE.replace(b'"model_id":"m"', b'"model_id":"n"')
    path.write_bytes(text)
    again = journal(path, resume=True)
    again.only_on({("m", "s", None), ("n", "s", None)})
    with pytest.raises(DataError) as caught:
        again.only_on({("m", "s", None), ("n", "s", 1)})
    assert only(caught.value).line == 3
    again.close()
    assert path.read_bytes() == text


def test_a_line_says_what_was_asked(tmp_path: Path) -> None:
    """Check, model, scenario, phase, turns, repetition and attempt stand beside the answer."""
    path = tmp_path / "replies.jsonl"
    one = Journal(path, PLAN, VOTES)
    asked = request("k", epoch=2, phase=Phase.REASK, repetition=1, attempt=3)
    one.write(asked, Answer("a"), (0, 0))
    one.close()
    assert orjson.loads(path.read_bytes().splitlines()[1]) == {
        "key": key_of("k"),
        "check_id": "IB-A1",
        "model_id": "m",
        "scenario_id": "s",
        "epoch": 2,
        "phase": "reask",
        "turns": [1, 2],
        "repetition": 1,
        "attempt": 3,
        "answer": "a",
    }


def test_the_usual_line(tmp_path: Path) -> None:
    """The line that the tests of bad lines change is a good one."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k", Answer("a"))).close()
    assert path.read_bytes() == HEADER + LINE


def test_windows_line_ends_are_read_and_kept_apart(tmp_path: Path) -> None:
    """A journal that an editor saved with other line ends is read, and sorted without losing a character."""
    path = tmp_path / "replies.jsonl"
    journal(path, ("k0", Answer("a")), ("k1", Answer("b"))).close()
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"\n", b"\r\n"))
    again = journal(path, resume=True)
    for place, name in enumerate(("k0", "k1")):
        again.note_known(request(name), (0, place))
    again.finish()
    assert load_replies(path) == (PLAN, {key_of("k0"): Answer("a"), key_of("k1"): Answer("b")})


def test_the_disk_stores_replies_in_groups(tmp_path: Path) -> None:
    """After 64 replies, after half a second, and at the end: a power cut loses at most one group."""
    synced: list[int] = []
    seconds = 0.0
    path = tmp_path / "replies.jsonl"
    one = Journal(path, PLAN, VOTES, fsync=lambda _: synced.append(len(keys(path))), now=lambda: seconds)
    for number in range(2 * GROUP + 3):
        one.write(request(f"k{number}"), Answer("a"), (0, number))
    assert synced == [GROUP, 2 * GROUP]
    seconds += GROUP_SECONDS
    one.write(request("late"), Answer("a"), (0, 999))
    assert synced == [GROUP, 2 * GROUP, 2 * GROUP + 4]
    one.write(request("last"), Answer("a"), (1, 0))
    one.close()
    assert synced == [GROUP, 2 * GROUP, 2 * GROUP + 4, 2 * GROUP + 5]
    one.close()
    assert len(synced) == 4


FULL_DISK = """
import resource, sys
from pathlib import Path
from ib.errors import WorldError
from ib.models.scan.judge import Answer
from ib.store.folders.journal import VOTES, Journal
from tests.store.test_journal import PLAN, request
journal = Journal(Path(sys.argv[1]), PLAN, VOTES)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    try:
        for i in range(100):
            journal.write(request(f"k{i}"), Answer("paid"), (0, i))
            print(f"k{i}", flush=True)
    finally:
        journal.close()
except WorldError as error:
    sys.exit(error.exit_code)
"""


def test_lesson_30_a_full_disk_keeps_every_reply_that_was_taken(tmp_path: Path) -> None:
    """The disk is full: exit 4, closing the journal too, and on resume every reply reported is known."""
    path = tmp_path / "replies.jsonl"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=False, cwd=root
    )
    again = journal(path, resume=True)
    again.close()
    assert names(again) == done.stdout.split()
    assert again.known
    assert (done.returncode, done.stderr) == (4, "")
