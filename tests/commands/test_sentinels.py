"""Exam items among the questions of a scan: apart from results, compared with the exam, asked anew."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ib.cli import run
from ib.exam.drawing import MODEL
from ib.store.folders import exams, scans
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.conftest import row
from tests.commands.test_release import resign

Call = Callable[..., tuple[int, str, str]]
JUDGE, CHECK = "openai/alpha", "IB-B7"
ITEMS = 8
"""The items of each kind in the exam. This judge passes everything, so half of its answers are wrong."""
PART = ("--check", CHECK, "--check", "IB-B1", "--check", "IB-B2")
pytestmark = pytest.mark.gate


@pytest.fixture(autouse=True, scope="module")
def key() -> Iterator[None]:
    """A key that no provider gave out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-" + "loopback")
        yield


def passes(model: str, messages: Messages) -> str:
    """A judge that finds no failure."""
    return passing_reply(messages[-1]["content"])


@pytest.fixture(scope="module")
def server(key: None) -> Iterator[LoopbackServer]:
    with LoopbackServer(passes) as one:
        yield one


@pytest.fixture(scope="module")
def place(server: LoopbackServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judge's exam, a file of transcripts, and a scan with and without sentinels."""
    folder = tmp_path_factory.mktemp("sentinels")
    told = [json.dumps(row(scenario=name)) for name in ("night-01", "night-02", "night-03")]
    (folder / "t.jsonl").write_text("".join(f"{line}\n" for line in told))
    asked = ("--check", CHECK, "--items", ITEMS, *called(folder, server), "--out", folder / "exam")
    assert run([str(one) for one in ("exam", "--judge", JUDGE, *asked)]) == 0
    for name, more in (("alone", ()), ("with", ("--sentinels", 1, "--exam", folder / "exam"))):
        assert run([str(one) for one in command(folder, server, name, *more)]) == 0
    return folder


def called(folder: Path, server: LoopbackServer) -> tuple[object, ...]:
    return ("--base-url", server.base_url, "--cache", folder / "cache.sqlite", "--max-calls", 10_000)


def command(folder: Path, server: LoopbackServer, out: str, *more: object) -> tuple[object, ...]:
    """A scan of the transcripts. The cache has the answers of the exam."""
    scan = ("scan", folder / "t.jsonl", "--profile", "publish", "--judge", JUDGE, *PART)
    return (*scan, *called(folder, server), "--out", folder / out, *more)


def document(path: Path) -> Any:
    return json.loads(path.read_bytes())


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_sentinels_change_no_result(place: Path) -> None:
    """Results, replies and the key are those of a scan without them, which has no file about them."""
    alone, mixed = place / "alone", place / "with"
    for name in (scans.RESULTS, scans.BLINDSPOT, scans.TRANSCRIPTS, scans.SUPPLEMENT):
        assert (mixed / name).read_bytes() == (alone / name).read_bytes(), name
    assert lines(mixed / scans.REPLIES)[1:] == lines(alone / scans.REPLIES)[1:]
    plans = [document(folder / scans.PLAN) for folder in (alone, mixed)]
    assert plans[0]["comparability_key"] == plans[1]["comparability_key"]
    assert "sentinels" not in plans[0], "other plans keep their bytes"
    assert {one["model_id"] for one in lines(mixed / scans.SENTINEL_REPLIES)[1:]} == {MODEL}
    assert {*scans.required(scans.ScanFolder(mixed).plan())} <= {one.name for one in mixed.iterdir()}


def test_the_plan_and_the_cost_report_count_them(place: Path) -> None:
    """As many questions as the share asks for, on top of the others, and each was put to the judge of today:
    the cache, which has the answers of the exam, gave none."""
    plan, cost = document(place / "with" / scans.PLAN), document(place / "with" / scans.COST)
    found = plan["sentinels"]
    assert found["planned_calls"] >= min(plan["planned_calls"], 2 * ITEMS)
    assert (found["exam_wrong"], found["exam_n"]) == (ITEMS, 2 * ITEMS)
    assert found["exam"] == scans.file_hash(place / "exam" / exams.REPORT)
    assert found["items"] == len(lines(place / "with" / scans.SENTINELS))
    units = cost["sentinels"]["units"]
    assert sum(units.values()) == found["planned_units"]
    assert (units["from_cache"], units["not_asked"]) == (0, 0)
    assert units["answered"] >= found["planned_calls"]


def test_a_judge_that_has_not_changed_raises_no_alarm(place: Path) -> None:
    """The summary pools all items, names the power, and says no rate of a check."""
    said = (place / "with" / scans.SUMMARY).read_text()
    assert "No alarm" in said
    assert "Power:" in said
    assert f"{ITEMS} of {2 * ITEMS} wrong" in said
    assert "Sentinels" not in (place / "alone" / scans.SUMMARY).read_text()


def test_a_judge_that_errs_more_than_in_its_exam_raises_an_alarm(
    ib: Call, place: Path, server: LoopbackServer, tmp_path: Path
) -> None:
    """The exam of a judge that was always right makes the same answers an alarm, and the gate counts again
    what the summary says."""
    exam = Path(shutil.copytree(place / "exam", tmp_path / "exam"))
    right = [
        {**one, "verdict": "FAIL" if one["must_fail"] else "PASS"} for one in lines(exam / exams.OUTCOMES)
    ]
    (exam / exams.OUTCOMES).write_text("".join(json.dumps(one) + "\n" for one in right))
    more = ("--sentinels", 1, "--exam", exam, "--limit", 3)
    code, _, err = ib(*command(place, server, str(tmp_path / "scan"), *more))
    assert code == 0
    assert "ALARM: the judge differs from its exam" in err
    summary = tmp_path / "scan" / scans.SUMMARY
    assert "ALARM" in summary.read_text()
    assert "summary.md" not in ib("qa", tmp_path / "scan")[1]
    summary.write_text(summary.read_text().replace("ALARM: the judge differs from its exam. ", ""))
    resign(tmp_path / "scan")
    assert "summary.md does not match the results" in ib("qa", tmp_path / "scan")[1]


def test_a_stopped_scan_asks_each_sentinel_once(
    ib: Call, place: Path, server: LoopbackServer, tmp_path: Path
) -> None:
    """Resuming takes the replies about sentinels from their file."""
    given = command(place, server, str(tmp_path / "scan"), "--sentinels", 1, "--exam", place / "exam")
    told = tuple(str(one).replace("cache.sqlite", "other.sqlite") for one in given)
    assert ib(*(one.replace("10000", "20") for one in told))[0] != 0
    assert len(lines(tmp_path / "scan" / scans.SENTINEL_REPLIES)) > 1
    assert ib(*told, "--resume")[0] == 0
    for name in (scans.SENTINELS, scans.SENTINEL_REPLIES, scans.SUMMARY, scans.RESULTS):
        assert (tmp_path / "scan" / name).read_bytes() == (place / "with" / name).read_bytes()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            ("--judge", "lexical", "--profile", "dev", "--sentinels", 0.1),
            "--judge lexical: it reads no prompt",
        ),
        (
            ("--judge", "scripts", "--profile", "dev", "--sentinels", 0.1),
            "--judge scripts: it reads no prompt",
        ),
        (("--judge", "recorded:v.jsonl", "--sentinels", 0.1), "its votes were cast before"),
        (("--sentinels", 0.1), "nothing is asked"),
        (("--judge", "openai/beta", "--profile", "publish", "--exam", "{exam}"), "was sat by openai/alpha"),
        (
            ("--judge", JUDGE, "--profile", "dev", "--exam", "{exam}"),
            "--exam needs --sentinels",
        ),
        (("--judge", JUDGE, "--profile", "publish", "--exam", "{place}"), "exam"),
    ],
)
def test_sentinels_that_say_nothing_are_refused(
    ib: Call, place: Path, tmp_path: Path, given: tuple[object, ...], words: str
) -> None:
    """A judge that is not asked, cannot change, or is not the one of the exam is named before any call."""
    told = (str(one).format(exam=place / "exam", place=place) for one in given)
    code, _, err = ib("scan", place / "t.jsonl", *told, "--out", tmp_path / "scan")
    assert code in (2, 3)
    assert words in err
    assert not (tmp_path / "scan").exists()


def test_a_dry_run_names_items_calls_and_power(
    ib: Call, place: Path, server: LoopbackServer, tmp_path: Path
) -> None:
    """With an exam, the share of `publish` is 0.05; 0 turns sentinels off. Nothing is asked."""
    given = command(place, server, str(tmp_path / "scan"), "--dry-run", "--exam", place / "exam")
    code, said, _ = ib(*given)
    assert code == 0
    assert "sentinels: 1 exam item among" in said
    assert "Power:" in said
    assert document(tmp_path / "scan" / scans.PLAN)["sentinels"]["share"] == 0.05
    off = command(
        place, server, str(tmp_path / "off"), "--dry-run", "--exam", place / "exam", "--sentinels", 0
    )
    assert "sentinels" not in ib(*off)[1]


def test_a_release_with_sentinels_is_published_and_verified(ib: Call, place: Path, tmp_path: Path) -> None:
    """A release carries no answer to an exam item, so that its summary is taken as stated, which is said."""
    assert ib("publish", place / "with", "--stage", "demo", "--out", tmp_path / "release")[0] == 0
    code, said, err = ib("verify", tmp_path / "release")
    assert code == 0, said + err
    assert "summary.md" in said + err
    for path in (one for one in (tmp_path / "release").rglob("*") if one.is_file()):
        data = path.read_bytes()
        assert MODEL.encode() not in (gzip.decompress(data) if path.suffix == ".gz" else data), path.name
