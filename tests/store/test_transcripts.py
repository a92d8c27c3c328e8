"""The spool: every line of every file checked, everything wrong said at once, one order for all."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError, Finding
from ib.models.conversation.transcript import line_hash
from ib.store.folders.transcripts import Spool, placed, spool
from tests.models.build import ABSENT, TRANSCRIPT, changed
from tests.store.small import only, places, write_lines

KNOWN = {"IB-A1": None, "IB-F1-test": None}


def one(
    model: str = "m", scenario: str = "s", path: str = "", new: Any = ABSENT, **more: Any
) -> dict[str, Any]:
    return changed({**TRANSCRIPT, "model_id": model, "scenario_id": scenario, **more}, path, new)


@contextmanager
def spooled(*paths: Path) -> Iterator[Spool]:
    found = spool(paths, KNOWN)
    try:
        yield found
    finally:
        found.file.close()


def failing(*paths: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        spool(paths, KNOWN)
    return caught.value


def test_everything_wrong_in_every_file_at_once(tmp_path: Path) -> None:
    """Broken lines, wrong types, unknown keys and checks, duplicates, empty, disordered: file, line, key."""
    disorder = one("m", "s4")
    disorder["messages"][2]["turn"] = 5
    first = write_lines(
        tmp_path / "a.jsonl",
        [
            one("m", "s1"),
            '{"model_id": "m", ',
            one("m", "s2", "messages.1.turn", "second"),
            one("m", "s3", "colour", "red"),
            "",
            disorder,
            one("m", "s5", eligible_checks=["IB-A1", "IB-A9"]),
            one("m", "s6", "messages", []),
        ],
    )
    anchor = {"cue_turn": 1, "from_turn": 1, "to_turn": 1, "checks": ["IB-F1-test"]}
    second = write_lines(
        tmp_path / "b.jsonl.gz",
        [
            one("m", "s1"),
            one("m", "s7", anchors=[anchor, {**anchor, "checks": ["IB-B9"]}]),
            b"\xff",
            one("m", "s8", "model"),
        ],
    )
    third = write_lines(tmp_path / "c.jsonl", [""])
    missing = tmp_path / "d.jsonl"
    no_gzip = tmp_path / "e.jsonl.gz"
    no_gzip.write_bytes(b"{}\n")
    error = failing(first, second, third, missing, no_gzip)
    assert places(error) == [
        ("a.jsonl", 2, ""),
        ("a.jsonl", 3, "messages.1.turn"),
        ("a.jsonl", 4, "colour"),
        ("a.jsonl", 6, ""),
        ("a.jsonl", 7, "eligible_checks"),
        ("a.jsonl", 8, ""),
        ("b.jsonl.gz", 1, "scenario_id"),
        ("b.jsonl.gz", 2, "anchors.1.checks"),
        ("b.jsonl.gz", 3, ""),
        ("b.jsonl.gz", 4, "model"),
        ("c.jsonl", None, ""),
        ("d.jsonl", None, ""),
        ("e.jsonl.gz", None, ""),
    ]
    said = str(error).splitlines()
    assert "a.jsonl:2: broken JSON" in said[0]
    assert "a.jsonl:6: messages.2.turn: turn 5 after turn 1" in said[3]
    assert "unknown check 'IB-A9'" in said[4]
    assert "the transcript is empty" in said[5]
    assert f"is also in {first}:1" in said[6]
    assert "unknown check 'IB-B9'" in said[7]
    assert "has no transcript" in said[10]
    assert "no such file" in said[11]


@pytest.mark.parametrize("name", ["\u200b", "\u3164 \u2800", "\ufe0f"])
def test_a_name_shows_something(tmp_path: Path, name: str) -> None:
    """A row of a table needs a word to stand in it; it is asked for once a model."""
    lines = [{**one("a", scenario), "model": name} for scenario in ("s1", "s2")]
    error = failing(write_lines(tmp_path / "a.jsonl", lines))
    assert places(error) == [("a.jsonl", 1, "model")]
    assert "has no visible character; a readable name" in str(error)


def test_lesson_08_a_broken_line_stops_everything(tmp_path: Path) -> None:
    """One broken line among good ones, and nothing is scanned."""
    path = write_lines(tmp_path / "a.jsonl", [one("m", "s1"), "{", one("m", "s2")])
    assert places(failing(path)) == [("a.jsonl", 2, "")]


def test_lesson_08_a_file_cut_in_the_middle_is_not_complete(tmp_path: Path) -> None:
    """A gzip that ends early gives an error, not the lines that were left."""
    path = write_lines(tmp_path / "a.jsonl.gz", [one("m", f"s{i}") for i in range(50)])
    path.write_bytes(path.read_bytes()[:-30])
    assert "broken gzip" in only(failing(path)).found


@pytest.mark.parametrize("rows", [[], [""], ["", "  "]])
def test_lesson_28_no_transcripts_is_a_failure(tmp_path: Path, rows: list[str]) -> None:
    """A file without a transcript is not a clean one."""
    assert only(failing(write_lines(tmp_path / "a.jsonl", rows))).found == "has no transcript"


def test_duplicates_are_of_model_scenario_and_epoch(tmp_path: Path) -> None:
    """The same three twice is refused, in one file or two; any of them different is another transcript."""
    rows = [one("m", "s"), one("m2", "s"), one("m", "s2"), one("m", "s", epoch=0), one("m", "s", epoch=1)]
    path = write_lines(tmp_path / "a.jsonl", rows)
    with spooled(path) as found:
        assert len(found.entries) == 5
    assert places(failing(path, path)) == [("a.jsonl", line, "scenario_id") for line in range(1, 6)]
    again = write_lines(tmp_path / "b.jsonl", [one("m", "s", "model", "Other name", epoch=1)])
    assert set(places(failing(path, again))) == {("b.jsonl", 1, "model"), ("b.jsonl", 1, "scenario_id")}


def test_lesson_34_order_is_that_of_the_keys_whatever_the_files(tmp_path: Path) -> None:
    """Files in any order, lines in any order: the spool is the same, byte for byte."""
    rows = [one("b", "s1"), one("a", "s2", epoch=1), one("a", "s2"), one("a", "s10"), one("B", "s1")]
    wanted = None
    for turn, order in enumerate(itertools.permutations(rows)):
        if turn % 10:
            continue
        left = write_lines(tmp_path / "x.jsonl", order[:2])
        right = write_lines(tmp_path / "y.jsonl.gz", order[2:])
        for paths in ((left, right), (right, left)):
            with spooled(*paths) as found:
                lines = list(found.lines())
                assert [entry.key for entry in found.entries] == [
                    ("B", "s1", -1),
                    ("a", "s10", -1),
                    ("a", "s2", -1),
                    ("a", "s2", 1),
                    ("b", "s1", -1),
                ]
                wanted = wanted or lines
                assert lines == wanted


def test_transcripts_come_back_with_their_hash(tmp_path: Path) -> None:
    """What is read back is what was read, with the hash of its canonical line; spelling does not matter."""
    row = one("m", "s", "messages.1.content", "Caf\u00e9 \U0001f600 \u2019")
    plain = write_lines(tmp_path / "a.jsonl", [row])
    spelt = write_lines(tmp_path / "b.jsonl", [json.dumps(dict(reversed(row.items())), ensure_ascii=False)])
    hashes = set()
    for path in (plain, spelt):
        with spooled(path) as found:
            ((transcript, digest),) = list(found)
            assert transcript.messages[1].content == "Caf\u00e9 \U0001f600 \u2019"
            assert digest == line_hash(next(found.lines()).rstrip(b"\n")) == found.entries[0].transcript_hash
            assert (found.entries[0].file, found.entries[0].line) == (str(path), 1)
            hashes.add(digest)
    assert len(hashes) == 1


def test_a_lone_surrogate_is_refused(tmp_path: Path) -> None:
    """Half a character cannot be written again, and is refused where it is read."""
    text = json.dumps(one("m", "s")).replace("I am tired.", "tired \\ud83d")
    assert "half of a character" in only(failing(write_lines(tmp_path / "a.jsonl", [text]))).found


def test_a_jurisdiction_without_rules_is_refused(tmp_path: Path) -> None:
    """Not judged by the rules of elsewhere: file, line, key, and the rule sets that there are."""
    rows = [one("m", "s1"), one("m", "s2", jurisdiction="ca"), one("m", "s3", jurisdiction="uk")]
    path = write_lines(tmp_path / "a.jsonl", rows)
    with pytest.raises(DataError) as caught:
        spool([path], KNOWN, lambda transcript: placed(transcript, {"ca": 1, "base": 2}))
    finding = only(caught.value)
    assert (finding.line, finding.key, finding.found) == (3, "jurisdiction", "unknown rule set 'uk'")
    assert "base, ca" in finding.hint
    wrong = Finding.at("", None, "tags", "f", "a")
    assert placed(wrong, {}) is wrong


def test_a_broken_file_has_a_hundred_findings_and_their_number(tmp_path: Path) -> None:
    """Whatever a file of a million lines holds, its message stays short; other files have their own."""
    first = write_lines(tmp_path / "a.jsonl", ["{}"] * 300)
    second = write_lines(tmp_path / "b.jsonl", ["{]"])
    said = str(failing(first, second)).splitlines()
    assert len(said) == 102
    assert said[100] == f"{first}: 1,100 more findings; the first 100 are listed"
    assert said[101].startswith(f"{second}:1: broken JSON")


def test_a_line_of_a_million_errors_is_one_finding(tmp_path: Path) -> None:
    """Each error of a validation takes a thousand bytes until it is told."""
    path = write_lines(tmp_path / "a.jsonl", [json.dumps({"messages": [1] * 20_000})])
    finding = only(failing(path))
    assert finding.found == "20,003 values are not allowed"
    assert "docs/transcripts.md" in finding.hint
