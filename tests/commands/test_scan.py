"""`ib scan`: bad input is named and nothing is written; good input gives the same bytes always."""

from __future__ import annotations

import errno
import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.pipeline.scan import plan, results
from ib.store.folders import scans
from ib.text.normalize import normalize
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]

BAD = {
    "broken line": (b'{"model_id": ', "", "JSON"),
    "wrong type": ({**row(), "model_id": 3}, "model_id", "3"),
    "unknown key": (row(colour="red"), "colour", "unknown key"),
    "empty transcript": (row(messages=[]), "", "empty"),
    "turns out of order": (
        row(messages=[*row()["messages"][2:], *row()["messages"][:2]]), "", "turn"),
    "unknown check": (row(eligible_checks=["IB-Z9"]), "eligible_checks", "IB-Z9"),
    "unknown check of the right form": (row(eligible_checks=["IB-A99"]), "eligible_checks", "IB-A99"),
    "no reply at the end": (row(messages=row()["messages"][:3]), "", "no reply"),
    "blank reply": (
        row(messages=[row()["messages"][0], {"turn": 1, "role": "assistant", "content": " \n"}]),
        "", "empty"),
    "non-UTF-8 byte": (json.dumps(row()).encode().replace(b"Mum", b"M\xffm"), "", "UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("fault", BAD)
def test_bad_input_names_file_line_and_key_and_writes_nothing(
    fault: str, ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """A bad line: exit 3, the file, the line, the key, what was found; no folder is made."""
    bad, key, word = BAD[fault]
    path = transcripts(row(), bad)
    code, out, err = ib("scan", path, "--out", tmp_path / "scan")
    assert code == 3, err
    assert f"{path}:2" in err
    assert key in err
    assert word in err
    assert out == ""
    assert not (tmp_path / "scan").exists()


def test_all_findings_of_all_files_come_at_once(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Two bad lines in one file and one in another are three findings of one run."""
    one = transcripts(row(), b"{", row(scenario="b", colour="red"), name="one.jsonl")
    two = transcripts(row(scenario="c", messages=[]), name="two.jsonl")
    code, _, err = ib("scan", one, two, "--out", tmp_path / "scan")
    assert code == 3
    assert all(place in err for place in (f"{one}:2", f"{one}:3", f"{two}:1"))


def test_duplicates_name_both_places(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """The same model and scenario twice: both files and lines are named."""
    one = transcripts(row(), name="one.jsonl")
    two = transcripts(row(scenario="other"), row(), name="two.jsonl")
    code, _, err = ib("scan", one, two, "--out", tmp_path / "scan")
    assert code == 3
    assert f"{two}:2" in err
    assert f"{one}:1" in err


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("t.jsonl.gz", b"not gzip", "gzip"),
        ("t2.jsonl.gz", gzip.compress(b"{}\n", mtime=0)[:-4], "gzip"),
        ("e.jsonl", b"", "no transcript"),
    ],
)
def test_files_that_are_not_what_they_say(
    name: str, content: bytes, word: str, ib: Call, tmp_path: Path
) -> None:
    """A file that is no gzip, a torn one, an empty one: exit 3 and the reason."""
    path = tmp_path / name
    path.write_bytes(content)
    code, _, err = ib("scan", path, "--out", tmp_path / "scan")
    assert (code, word in err, str(path) in err) == (3, True, True), err
    assert not (tmp_path / "scan").exists()


def test_a_folder_and_a_missing_file(ib: Call, tmp_path: Path) -> None:
    """A folder instead of a file, and a file that is not there, are both named."""
    code, _, err = ib("scan", tmp_path, tmp_path / "nothing.jsonl", "--out", tmp_path / "scan")
    assert code == 3
    assert "is a folder" in err
    assert "no such file" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--profile", "nope"),
        ("--judge", "oracle"),
        ("--judge", "recorded:"),
        ("--resume",),
        ("--profile", "smoke", "--judge", "recorded:x"),
    ],
)
def test_usage_errors_say_what_exists(
    arguments: tuple[str, ...], ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """An unknown profile or judge, or options that do not go together: exit 2, and what would do."""
    extra = () if "--resume" in arguments else ("--out", tmp_path / "scan")
    code, _, err = ib("scan", transcripts(row()), *arguments, *extra)
    assert code == 2, err
    assert not (tmp_path / "scan").exists()


def test_lesson_06_a_judge_that_is_not_there_stops_the_scan(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """A recorded judge without its files ends the scan; it never goes on without a judge."""
    judge = f"recorded:{tmp_path / 'none'}"
    code, _, _ = ib(
        "scan", transcripts(row()), "--profile", "publish", "--judge", judge, "--out", tmp_path / "s"
    )  # fmt: skip
    assert code == 3
    assert not (tmp_path / "s").exists()


def test_lesson_08_a_broken_line_is_never_dropped(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """One broken line among good ones stops everything; nothing is scanned."""
    code, _, _ = ib("scan", transcripts(row(), b"oops", row(scenario="z")), "--out", tmp_path / "s")
    assert code == 3
    assert not (tmp_path / "s").exists()


def test_lesson_09_identity_is_in_the_record(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Models are told apart by their id alone: one that begins like another is another."""
    path = transcripts(row(model="v/gpt-5"), row(model="v/gpt-5-mini"), name="gpt-5.jsonl")
    assert ib("scan", path, "--out", tmp_path / "s")[0] == 0
    models = {
        json.loads(line)["model_id"] for line in (tmp_path / "s/results.jsonl").read_text().splitlines()
    }
    assert models == {"v/gpt-5", "v/gpt-5-mini"}


def test_lesson_38_a_dry_run_writes_only_what_it_was_asked_to(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --out a dry run leaves no trace; with it, the plan and its cost and nothing else."""
    path = transcripts(row())
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert ib("scan", path, "--dry-run")[0] == 0
    assert sorted(tmp_path.iterdir()) == before
    assert ib("scan", path, "--dry-run", "--out", tmp_path / "plan")[0] == 0
    assert sorted(p.name for p in (tmp_path / "plan").iterdir()) == [scans.COST, scans.PLAN]


def test_lesson_31_a_folder_is_created_once(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """A second scan into the same folder is refused, and changes no byte of the first."""
    path = transcripts(row())
    assert ib("scan", path, "--out", tmp_path / "s")[0] == 0
    before = {p.name: p.read_bytes() for p in (tmp_path / "s").iterdir()}
    code, _, err = ib("scan", path, "--out", tmp_path / "s")
    assert code == 2
    assert "already exists" in err
    assert {p.name: p.read_bytes() for p in (tmp_path / "s").iterdir()} == before


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.name != scans.MANIFEST}


def test_lesson_34_same_inputs_same_bytes(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Another order of files, other workers, another run: every artifact but the manifest is equal."""
    one = transcripts(row(), row(scenario="z"), name="one.jsonl")
    two = transcripts(row(model="a/other"), row(model="a/other", scenario="z"), name="two.jsonl")
    assert ib("scan", one, two, "--out", tmp_path / "s1")[0] == 0
    assert ib("scan", two, one, "--out", tmp_path / "s2", "--workers", 1)[0] == 0
    assert bytes_of(tmp_path / "s1") == bytes_of(tmp_path / "s2")


@pytest.mark.parametrize("code_of", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_ends_with_4_and_leaves_nothing(
    code_of: int, ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk is full the scan says so, exits 4, and its folder is gone again."""
    path = transcripts(row())

    def full(descriptor: int) -> None:
        raise OSError(code_of, os.strerror(code_of))

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = ib("scan", path, "--out", tmp_path / "s")
    assert code == 4
    assert "cannot be written" in err
    assert not (tmp_path / "s").exists()


def test_json_is_data_and_talk_is_not(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """With --json stdout is one JSON document; everything else goes to stderr."""
    code, out, err = ib("scan", transcripts(row()), "--out", tmp_path / "s", "--json")
    assert code == 0
    assert json.loads(out)["plan"]["profile"] == "smoke"
    assert "scan:" in err


def test_a_phrase_is_found_with_its_words(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """The promise in the sample is found and quoted as written."""
    assert ib("scan", transcripts(row()), "--out", tmp_path / "s")[0] == 0
    result = json.loads((tmp_path / "s/results.jsonl").read_text())
    found = next(r for r in result["rows"] if r["mode_id"] == "IB-F2-availability-promise")
    assert (found["state"], found["verdict"]) == ("found", None)
    assert found["evidence"][0]["quote"] in row()["messages"][1]["content"]


def test_lesson_05_without_a_judge_nothing_counts_as_covered(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """Checks that need a judge are not run, their gates stay open, and no score is made up."""
    assert ib("scan", transcripts(row()), "--profile", "publish", "--out", tmp_path / "s")[0] == 0
    result = json.loads((tmp_path / "s/results.jsonl").read_text())
    states = {r["mode_id"]: r["state"] for r in result["rows"]}
    assert states["IB-B1"] == "not_run"
    assert {gate["state"] for gate in result["score"]["gates"].values()} <= {"incomplete", "not_due"}
    assert "IB-B1" in result["score"]["gates"]["B"]["incomplete"]
    assert result["score"]["overall_score"] is None


def test_a_pipe_is_read_once_and_whole(ib: Call, tmp_path: Path) -> None:
    """What comes through a pipe arrives in full: opening it twice would lose what was read first."""
    import threading

    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    rows = [json.dumps(row(scenario=f"s{number}")).encode() + b"\n" for number in range(3)]

    def feed() -> None:
        with fifo.open("wb", buffering=0) as file:
            for line in rows:
                file.write(line)

    writer = threading.Thread(target=feed)
    writer.start()
    code, _, err = ib("scan", fifo, "--out", tmp_path / "s")
    writer.join()
    assert code == 0, err
    assert len((tmp_path / "s" / scans.RESULTS).read_text().splitlines()) == 3


def test_a_key_given_twice_is_an_error(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Of two values for one key neither is believed."""
    twice = json.dumps(row()).encode().replace(b'"category"', b'"model_id": "v/b", "category"')
    code, _, err = ib("scan", transcripts(twice), "--out", tmp_path / "s")
    assert code == 3
    assert "model_id: key given twice" in err


def test_one_model_has_one_name(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """The same model id under two names is two models or a mistake, and is said so."""
    other = {**row(scenario="z"), "model": "Else"}
    code, _, err = ib("scan", transcripts(row(), other), "--out", tmp_path / "s")
    assert code == 3
    assert "one name per model" in err


def test_resume_goes_on_only_with_a_scan(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """A folder with other files in it is nobody's scan, and keeps every byte; only the lock is new."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / scans.RESULTS).write_text("my results")
    code, _, err = ib("scan", transcripts(row()), "--out", folder, "--resume")
    assert code == 2
    assert "no journal" in err
    assert (folder / scans.RESULTS).read_text() == "my results"
    assert {p.name for p in folder.iterdir()} <= {scans.RESULTS, ".lock"}


@pytest.mark.parametrize("left", [(), (".lock",), (".lock", scans.REPLIES)])
def test_a_folder_that_a_kill_left_early_can_be_resumed(
    ib: Call, transcripts: Write, tmp_path: Path, left: tuple[str, ...]
) -> None:
    """Before the journal was made, or before its first line: the hint to use --resume holds."""
    folder = tmp_path / "scan"
    folder.mkdir()
    for name in left:
        (folder / name).touch()
    path = transcripts(row())
    code, _, err = ib("scan", path, "--out", folder)
    assert (code, "--resume" in err) == (2, True)
    assert ib("scan", path, "--out", folder, "--resume")[0] == 0
    assert ib("scan", path, "--out", tmp_path / "new")[0] == 0
    for name in (scans.RESULTS, scans.REPLIES, scans.PLAN):
        assert (folder / name).read_bytes() == (tmp_path / "new" / name).read_bytes()


@pytest.mark.parametrize("command", ["scan x.jsonl", "run -m reference/plain", "publish x", "demo",
                                     "site build --release .", "leaderboard build x"])  # fmt: skip
def test_the_root_of_the_file_system_is_refused_at_once(ib: Call, command: str) -> None:
    """Before any input is read, by every command that makes something."""
    code, _, err = ib(*command.split(), "--out", "/")
    assert (code, "root of the file system" in err) == (2, True)


def test_a_run_of_marks_is_refused(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Text that only takes time to normalise is not text that people write."""
    said = row()
    said["messages"][1]["content"] = "a" + "\u0315\u0300" * 5000
    code, _, err = ib("scan", transcripts(said), "--out", tmp_path / "s")
    assert code == 3
    assert "combining marks" in err


def test_lesson_35_each_transcript_is_read_a_fixed_number_of_times(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice the transcripts are twice the work: nothing is looked for in a list of all of them."""
    from ib.engine.reading import searched as indexed
    from ib.store.folders.transcripts import Spool

    work: dict[str, int] = {}

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            work[name] = work.get(name, 0) + 1
            return function(*arguments)

        return call

    monkeypatch.setattr(Spool, "line", counted("lines", Spool.line))
    monkeypatch.setattr(indexed, "normalize", counted("texts", normalize))
    found = []
    for count in (5, 10, 20):
        work.clear()
        rows = [row(scenario=f"s{number:02d}") for number in range(count)]
        assert ib("scan", transcripts(*rows), "--out", tmp_path / f"scan-{count}")[0] == 0
        found.append((work["lines"] / count, work["texts"] / count))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("held", [0, 100, 10_000_000])
def test_what_the_plan_keeps_changes_no_byte(
    ib: Call, transcripts: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    """Transcripts that were verified while they were planned come out as those that were not."""
    path = transcripts(*(row(scenario=f"night-{n:02}") for n in range(4)))
    options = ("--profile", "publish", "--judge", "lexical")
    assert ib("scan", path, *options, "--out", tmp_path / "usual")[0] == 0
    monkeypatch.setattr(plan, "HELD", held)
    assert ib("scan", path, *options, "--out", tmp_path / "held")[0] == 0
    for name in (scans.RESULTS, scans.REPLIES, scans.SUPPLEMENT, scans.ADJUDICATIONS):
        assert (tmp_path / "held" / name).read_bytes() == (tmp_path / "usual" / name).read_bytes()


def test_lesson_34_the_number_of_processes_changes_no_byte(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chunks that several processes scanned come back in plan order."""
    monkeypatch.setattr(results, "LEAST", 2)
    monkeypatch.setattr(results, "READ_AHEAD", 3)
    path = transcripts(*(row(scenario=f"night-{n:02}") for n in range(10)))
    for workers in (1, 2, 3):
        assert ib("scan", path, "--workers", workers, "--out", tmp_path / f"by-{workers}")[0] == 0
    one = tmp_path / "by-1"
    for name in (*scans.REQUIRED,):
        data = (one / name).read_bytes()
        assert data == (tmp_path / "by-2" / name).read_bytes() == (tmp_path / "by-3" / name).read_bytes()


def test_a_killed_worker_is_said(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed ends the scan with exit 4, and leaves no folder."""
    monkeypatch.setattr(results, "LEAST", 2)
    monkeypatch.setattr(results, "begin_worker", _die)
    path = transcripts(*(row(scenario=f"night-{n:02}") for n in range(4)))
    code, _, err = ib("scan", path, "--workers", 2, "--out", tmp_path / "scan")
    assert code == 4, err
    assert "a worker process was killed" in err
    assert not (tmp_path / "scan").exists()


def _die() -> None:
    os._exit(9)


def test_a_scan_says_what_it_found_and_what_it_did_not_ask(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """The last lines count the verdicts, name what was not asked, and where to read on."""
    code, _, err = ib("scan", transcripts(row()), "--out", tmp_path / "scan")
    assert code == 0
    rows = json.loads((tmp_path / "scan" / scans.RESULTS).read_text())["rows"]
    states = [r["state"] for r in rows]
    assert states.count("found") > 0
    assert f"phrases found (no verdict): {states.count('found')} of " in err
    assert f"not run (no judge, or not selected): {states.count('not_run')}" in err
    assert f"not due (scope and tags): {states.count('ineligible')}" in err
    assert f"next: read {tmp_path / 'scan' / scans.SUMMARY}" in err
