"""Recorded votes: one record each, of known checks, from a file or a folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError
from ib.store.folders import votes
from ib.store.folders.votes import load_votes, vote_files
from tests.models.build import VOTE
from tests.store.small import only, places, write_lines

KNOWN = {"IB-A1": None, "IB-F1-test": None}


def vote(scenario: str = "s", **more: Any) -> dict[str, Any]:
    return {**VOTE, "scenario_id": scenario, **more}


def failing(*paths: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        load_votes(paths, KNOWN)
    return caught.value


def test_everything_wrong_in_every_file_at_once(tmp_path: Path) -> None:
    """Unknown checks, duplicates, broken lines, wrong values and keys: file, line and key of each."""
    first = write_lines(
        tmp_path / "a.votes.jsonl",
        [
            vote(),
            vote(check_id="IB-A9"),
            vote(),
            "{",
            vote("s2", verdict="maybe"),
            vote("s3", votes=["PASS", "no"]),
            vote("s4", colour="red"),
            vote(check_id="A1"),
        ],
    )
    second = write_lines(tmp_path / "b.votes.jsonl.gz", [vote("s9"), vote()])
    error = failing(first, tmp_path / "none.votes.jsonl", second)
    assert places(error) == [
        ("a.votes.jsonl", 2, "check_id"),
        ("a.votes.jsonl", 3, "check_id"),
        ("a.votes.jsonl", 4, ""),
        ("a.votes.jsonl", 5, "verdict"),
        ("a.votes.jsonl", 6, "votes.1"),
        ("a.votes.jsonl", 7, "colour"),
        ("a.votes.jsonl", 8, "check_id"),
        ("none.votes.jsonl", None, ""),
        ("b.votes.jsonl.gz", 2, "check_id"),
    ]
    said = str(error).splitlines()
    assert "unknown check 'IB-A9'" in said[0]
    assert "IB-F1-test on s by test/one is given twice" in said[1]


def test_a_record_is_of_model_scenario_epoch_and_check(tmp_path: Path) -> None:
    """Any of the four different, and it is another record."""
    rows = [vote(), vote(model_id="m2"), vote("s2"), vote(epoch=1), vote(check_id="IB-A1")]
    records, _ = load_votes((write_lines(tmp_path / "a.jsonl", rows),), KNOWN)
    assert len(records) == 5


def test_lesson_34_records_and_hash_know_no_order_of_files(tmp_path: Path) -> None:
    """The same records in the same files give the same, in whatever order they are named."""
    left = write_lines(tmp_path / "a.votes.jsonl", [vote("s2"), vote("s1")])
    right = write_lines(tmp_path / "b.votes.jsonl", [vote("s0")])
    one, other = load_votes((left, right), KNOWN), load_votes((right, left), KNOWN)
    assert one[1] == other[1]
    assert {record.key: record for record in one[0]} == {record.key: record for record in other[0]}
    assert sorted(record.scenario_id for record in one[0]) == ["s0", "s1", "s2"]


def test_lesson_51_the_layout_of_votes_files_changes_nothing(tmp_path: Path) -> None:
    """The order of lines and of keys, and how the records are spread over files, are not content."""
    rows = [vote("s1"), vote("s2"), vote("s3")]
    one = write_lines(tmp_path / "a.jsonl", rows)
    turned = write_lines(tmp_path / "b.jsonl", [dict(reversed(row.items())) for row in reversed(rows)])
    parts = (write_lines(tmp_path / "c.jsonl", rows[1:]), write_lines(tmp_path / "d.jsonl.gz", rows[:1]))
    hashes = {load_votes(paths, KNOWN)[1] for paths in ((one,), (turned,), parts)}
    assert len(hashes) == 1
    assert load_votes((write_lines(tmp_path / "e.jsonl", rows[:2]),), KNOWN)[1] not in hashes


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    """Zipping or blank lines change nothing; one vote changes it."""
    rows = [vote("s1"), vote("s2")]
    plain = load_votes((write_lines(tmp_path / "a.jsonl", rows),), KNOWN)
    zipped = load_votes((write_lines(tmp_path / "a.jsonl.gz", [rows[0], "", rows[1]]),), KNOWN)
    other = load_votes((write_lines(tmp_path / "b.jsonl", [rows[0], vote("s2", verdict="FAIL")]),), KNOWN)
    assert (list(plain[0]), plain[1]) == (list(zipped[0]), zipped[1])
    assert plain[1] != other[1]


def test_a_folder_means_all_its_votes_files(tmp_path: Path) -> None:
    """By name, plain and zipped; other files of the folder are not votes."""
    names = ["b.votes.jsonl", "a.votes.jsonl.gz", "c.votes.jsonl", "x.transcripts.jsonl", "votes.txt"]
    for name in names:
        write_lines(tmp_path / name, [vote(name.split(".")[0])])
    found = vote_files(tmp_path)
    assert [path.name for path in found] == ["a.votes.jsonl.gz", "b.votes.jsonl", "c.votes.jsonl"]
    assert len(load_votes(found, KNOWN)[0]) == 3
    assert vote_files(tmp_path / "votes.txt") == (tmp_path / "votes.txt",)


def test_a_folder_without_votes_is_refused(tmp_path: Path) -> None:
    """Nothing to replay is not a recording."""
    with pytest.raises(DataError) as caught:
        vote_files(tmp_path)
    assert only(caught.value).found == "the folder has no votes file"


def test_lesson_28_an_empty_recording_is_a_failure(tmp_path: Path) -> None:
    """A votes file without a vote is a mistake, as a transcripts file without a transcript is."""
    assert "has no" in only(failing(write_lines(tmp_path / "a.votes.jsonl", [""]))).found


def test_records_that_are_not_held_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few or many: the same records by key, in the same order, and no two of one key."""
    rows = [vote(f"s{at}", votes=["PASS"] * (at % 4)) for at in range(40)]
    path = write_lines(tmp_path / "a.votes.jsonl", rows)
    all_held, _ = load_votes((path,), KNOWN)
    monkeypatch.setattr(votes, "MOST_HELD", 7)
    some_held, _ = load_votes((path,), KNOWN)
    assert list(some_held) == list(all_held)
    assert len(some_held) == len(all_held) == 40
    for record in all_held:
        assert some_held.get(record.key) == record
        assert record.key in some_held
    assert some_held.get(("m", "none", None, "IB-A1")) is None
    again = write_lines(tmp_path / "b.votes.jsonl", [rows[30]])
    assert only(failing(path, again)).found == "IB-F1-test on s30 by test/one is given twice"


def test_a_broken_file_has_a_hundred_findings_and_their_number(tmp_path: Path) -> None:
    """A file in which every line is broken fills neither the memory nor the screen."""
    path = write_lines(tmp_path / "a.votes.jsonl", ["{"] * 1000)
    other = write_lines(tmp_path / "b.votes.jsonl", ["{"])
    said = str(failing(path, other)).splitlines()
    assert len(said) == 102
    assert said[99].startswith(f"{path}:100: broken JSON")
    assert said[100] == f"{path}: 900 more findings; the first 100 are listed"
    assert said[101].startswith(f"{other}:1: broken JSON")


READ = """
import sys
from pathlib import Path
from ib.judges.recorded import RecordedJudge
from ib.store.folders.votes import load_votes
judge = RecordedJudge(*load_votes((Path(sys.argv[1]),), {"IB-F1-test": None}))
status = Path("/proc/self/status").read_text()  # `ru_maxrss` counts the memory of the parent, too
print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""


def test_a_large_recording_is_read_as_a_stream(tmp_path: Path) -> None:
    """Ten times the records take little more memory: their lines are not held."""
    line = json.dumps(vote("NAME", evidence=[{"role": "user", "turn": 1, "quote": "x" * 2000}])) + "\n"
    peaks = []
    for count in (3_000, 30_000):
        path = tmp_path / f"{count}.jsonl"
        path.write_text("".join(line.replace("NAME", f"s{at}") for at in range(count)))
        done = subprocess.run(
            [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout))
    assert peaks[1] - peaks[0] < 45, peaks
