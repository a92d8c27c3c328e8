"""Jobs in shards: the same rows and counts whatever the shards, the order of files, or a killed worker."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ib
from ib.batch import Scorer, expand, sources
from ib.batch.dense import parquet_records
from ib.batch.job import PLAN, Job, JobOptions, open_job
from ib.batch.local import run_shards
from ib.batch.merge import MANIFEST, merge
from ib.batch.places import LocalPlace
from ib.batch.sources import shard_of
from ib.cli import run
from ib.store.folders import tables
from ib.store.folders.scans import BLINDSPOT, SUMMARY
from tests.batch.logs import rows, talk
from tests.batch.test_parquet import written

pytest.importorskip("pyarrow")
MERGED = (BLINDSPOT, SUMMARY, MANIFEST)
COUNT = 90
ASKED = ["--engine", "local", "--profile", "publish", "--judge", "openai/judge"]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = rows(COUNT)
    return [written(made[:30], tmp_path / "a.parquet"), written(made[30:], tmp_path / "b.parquet")]


def job_in(out: Path, files: list[Path], *, joins: bool = False, **options: Any) -> Job:
    scorer = Scorer(skip_broken=options.get("skip_broken", False))
    return open_job(LocalPlace(out), files, scorer, JobOptions(**options), joins=joins)


def done(job: Job) -> Path:
    run_shards(job, workers=1)
    merge(job)
    assert isinstance(job.place, LocalPlace)
    return job.place.path


def lines_in(out: Path) -> list[bytes]:
    """The dense lines of all shards, sorted."""
    return sorted(line for file in (out / "rows").iterdir() for line in expand(file))


def merged_in(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in MERGED}


def test_shards_and_the_order_of_files_change_nothing(tmp_path: Path, files: list[Path]) -> None:
    """One shard, three and eight give the rows of a scan, and the same counts to the byte."""
    wanted = sorted(expand(Scorer().records(rows(COUNT))))
    found = [
        done(job_in(tmp_path / "one", files, shards=1)),
        done(job_in(tmp_path / "three", files[::-1], shards=3)),
        done(job_in(tmp_path / "eight", files, shards=8, cluster="meta.user")),
        done(job_in(tmp_path / "rows", files[::-1], shards=4, cluster="rows")),
    ]
    for out in found:
        assert lines_in(out) == wanted
        assert merged_in(out) == merged_in(found[0])
    scan = ib.scan(files, out=tmp_path / "scan", workers=1)
    counted = json.loads((found[0] / BLINDSPOT).read_bytes())
    for model in scan.blindspot()["models"]:
        for part in ("checks", "gates"):
            assert counted["models"][model][part] == scan.blindspot()["models"][model][part]


def test_a_cluster_is_in_one_shard(tmp_path: Path, files: list[Path]) -> None:
    """All conversations of a user are in one shard, from whichever file they come."""
    out = done(job_in(tmp_path / "out", files, shards=4, cluster="meta.user"))
    users: dict[str, set[str]] = {}
    for file in (out / "rows").iterdir():
        for record in parquet_records(file):
            if record["kind"] == "conversation":
                users.setdefault(record["meta"]["user"], set()).add(file.name)
    assert len(users) == 7
    assert all(len(shards) == 1 for shards in users.values())
    assert len(set.union(*users.values())) > 1


def test_a_group_of_rows_is_read_by_one_shard(
    tmp_path: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the cluster `rows`, four shards read each conversation once, and problems name its row."""
    broken = written([*rows(20, 1000), {**rows(1)[0], "messages": []}], tmp_path / "c.parquet", 5)
    read: list[int] = []
    plain = tables.plain_rows

    def counted(batch: Any) -> list[dict[str, Any]]:
        read.append(batch.num_rows)
        return plain(batch)

    monkeypatch.setattr(sources, "plain_rows", counted)
    job = job_in(tmp_path / "out", [*files, broken], shards=4, cluster="rows", skip_broken=True)
    run_shards(job, workers=1)
    found = [record for shard in range(4) for record in parquet_records(tmp_path / "out" / job.rows(shard))]
    (problem,) = [record["problem"] for record in found if record["kind"] == "left_out"]
    assert "row 21.messages" in problem
    assert sum(read) == COUNT + 21


def test_a_shard_is_the_same_on_every_machine() -> None:
    """The hash of a cluster is no hash of Python's, which differs from process to process."""
    assert [shard_of(f"u{n}", 8) for n in range(8)] == [4, 2, 7, 4, 5, 0, 5, 4]


def test_transcripts_files_are_judged_too(tmp_path: Path) -> None:
    """JSON lines and a table of the same transcripts give the same rows."""
    talks = [ib.Transcript.from_messages("my/bot", f"log-{n}", talk(n)) for n in range(12)]
    scan = ib.scan(talks, out=tmp_path / "scan", workers=1)
    out = done(job_in(tmp_path / "out", [scan.path / "transcripts.jsonl"], shards=3))
    assert lines_in(out) == sorted((scan.path / "results.jsonl").read_bytes().splitlines(keepends=True))


def test_a_job_goes_on_where_it_was_stopped(tmp_path: Path, files: list[Path]) -> None:
    """Shards that are done are not done again, and the merge waits for all of them."""
    job = job_in(tmp_path / "out", files, shards=3)
    run_shards(job, [1])
    assert job.pending() == [0, 2]
    with pytest.raises(ib.WorldError, match=r"2 of 3 shards are not done \(1, 3\)"):
        merge(job)
    before = (tmp_path / "out" / job.rows(1)).stat().st_mtime_ns
    out = done(job_in(tmp_path / "out", files, joins=True, shards=3))
    assert (out / job.rows(1)).stat().st_mtime_ns == before
    assert merged_in(out) == merged_in(done(job_in(tmp_path / "other", files, shards=3)))
    assert not job.do(0)


@pytest.mark.gate
def test_a_killed_worker_loses_nothing(tmp_path: Path, files: list[Path]) -> None:
    """SIGKILL to a worker: its shard is done again, and rows and counts are those of a quiet run."""
    job = job_in(tmp_path / "out", files, shards=4)
    notices: list[str] = []
    thread = threading.Thread(
        target=run_shards,
        args=(job,),
        kwargs={"workers": 2, "callbacks": ib.Callbacks(notice=notices.append)},
    )
    thread.start()
    while not (children := multiprocessing.active_children()):
        thread.join(0.01)
    os.kill(children[0].pid or 0, signal.SIGKILL)
    thread.join()
    assert notices == ["a worker was killed; its shard is done again"]
    merge(job)
    quiet = done(job_in(tmp_path / "quiet", files, shards=4))
    assert lines_in(tmp_path / "out") == lines_in(quiet)
    assert merged_in(tmp_path / "out") == merged_in(quiet)


def test_another_plan_in_the_folder_is_refused(tmp_path: Path, files: list[Path]) -> None:
    """A folder has one job: other files, shards or options are named, and nothing is mixed."""
    job_in(tmp_path / "out", files, shards=2)
    with pytest.raises(ib.UsageError, match="--resume"):
        job_in(tmp_path / "out", files, shards=2)
    for other in ({"shards": 3}, {"shards": 2, "cluster": "meta.user"}, {"shards": 2, "skip_broken": True}):
        with pytest.raises(ib.UsageError, match="another job"):
            job_in(tmp_path / "out", files, joins=True, **other)
    with pytest.raises(ib.UsageError, match="inputs is"):
        job_in(tmp_path / "out", files[:1], joins=True, shards=2)
    assert job_in(tmp_path / "out", files[::-1], joins=True, shards=2).pending() == [0, 1]


def test_the_plan_of_another_version_is_refused_by_its_form(tmp_path: Path, files: list[Path]) -> None:
    """A job of an older version, a broken plan and a broken marker are errors about the file and its key."""
    job = job_in(tmp_path / "out", files, shards=2)
    older = json.loads((tmp_path / "out" / PLAN).read_bytes())
    older["schema_version"] = 1
    del older["asked"]
    for plan, said in ((json.dumps(older), "a job in form 1; .*form 2"), ("{}", "profile"), ("{", "broken")):
        (tmp_path / "out" / PLAN).write_text(plan)
        with pytest.raises(ib.DataError, match=said):
            job_in(tmp_path / "out", files, joins=True, shards=2)
    job.place.put(job.marker(1), b'{"shard": 1}')
    with pytest.raises(ib.DataError, match=r"done.000002-of-000002\.json:1: conversations"):
        job.done(1)


def test_a_marker_is_put_once(tmp_path: Path) -> None:
    """Of two workers with the same shard, one puts the marker, and it is never half of a file."""
    place = LocalPlace(tmp_path)
    assert place.put_if_absent("done/a.json", b"first")
    assert not place.put_if_absent("done/a.json", b"second")
    assert place.read("done/a.json") == b"first"
    assert [file.name for file in (tmp_path / "done").iterdir()] == ["a.json"]


def test_broken_conversations_stop_their_shard_alone(tmp_path: Path, files: list[Path]) -> None:
    """Errors of all shards come at once, by file and row; the other shards are done. Or all are left out."""
    broken = written([{"id": "x", "messages": []}, {"id": "y", "messages": []}], tmp_path / "c.parquet")
    job = job_in(tmp_path / "out", [*files, broken], shards=8)
    with pytest.raises(ib.DataError) as caught:
        run_shards(job, workers=1)
    assert sorted(one.place.path for one in caught.value.findings) == [
        ("row 1", "messages"),
        ("row 2", "messages"),
    ]
    assert {one.file for one in caught.value.findings} == {str(broken)}
    assert 1 <= len(job.pending()) <= 2
    out = done(job_in(tmp_path / "again", [*files, broken], shards=8, skip_broken=True))
    assert json.loads((out / MANIFEST).read_bytes())["left_out"] == 2


def test_a_conversation_that_is_there_twice_is_named(tmp_path: Path, files: list[Path]) -> None:
    """The same id with the same words in two files would count twice."""
    again = written(rows(1), tmp_path / "c.parquet")
    job = job_in(tmp_path / "out", [*files, again], shards=3)
    run_shards(job, workers=1)
    with pytest.raises(ib.DataError, match=r"1 conversations are there twice: .*log-00000"):
        merge(job)
    with pytest.raises(ib.DataError, match="each file once"):
        job_in(tmp_path / "other", [*files, files[0]], shards=3)


def test_the_command_runs_job_arrays(
    tmp_path: Path, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each task does its shard, in any order; the last one merges. A task that runs again changes nothing."""
    out = tmp_path / "out"
    command = ["scan", *map(str, files), "--engine", "local", "--out", str(out)]
    for shard in (3, 1, 3, 2):
        assert run([*command, "--shard", f"{shard}/3"]) == 0
        assert (out / MANIFEST).exists() == (shard == 2)
    assert f"judged {COUNT} conversations" in capsys.readouterr().out
    assert merged_in(out) == merged_in(done(job_in(tmp_path / "one", files, shards=1)))
    assert run([*command, "--shards", "3"]) == 2
    assert run([*command, "--shards", "3", "--resume"]) == 0


def test_a_job_is_reported_by_its_counts(
    tmp_path: Path, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """`ib report` prints the counts, holds thresholds over all rows, and refuses what a job does not keep."""
    job = job_in(tmp_path / "out", files, shards=2)
    assert run(["report", str(tmp_path / "out")]) == 3
    assert "is not finished" in capsys.readouterr().err
    out = done(job)
    assert run(["report", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads((out / BLINDSPOT).read_bytes())
    assert run(["report", str(out), "--out", str(tmp_path / "r.md"), "--format", "md"]) == 0
    assert (tmp_path / "r.md").read_bytes() == (out / SUMMARY).read_bytes()
    assert run(["report", str(out), "--fail-on", "found:any>100000"]) == 0
    assert run(["report", str(out), "--fail-on", "found:any>0"]) == 1
    assert run(["report", str(out), "--format", "html", "--out", str(tmp_path / "r.html")]) == 2
    assert run(["report", str(out), "--by", "user"]) == 2


def test_a_worker_with_another_version_is_refused(tmp_path: Path, files: list[Path]) -> None:
    """A machine of a cluster with another version of this package writes no rows."""
    job = job_in(tmp_path / "out", files, shards=2)
    other = replace(job, plan=job.plan.model_copy(update={"ib_version": "0.0.1"}))
    with pytest.raises(ib.WorldError, match="install the same on every machine"):
        other.do(0)
    assert job.pending() == [0, 1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--shard", "1/2"], "--shard needs --engine"),
        (["--engine", "local"], "--engine needs --out"),
        (["--engine", "local", "--out", "x", "--shard", "3/2"], "give I/N"),
        (["--engine", "local", "--out", "x", "--shard", "1/2", "--shards", "3"], "differ"),
        (["--engine", "local", "--out", "x", "--cluster", "user"], "choose id, rows, or meta.KEY"),
        (["--engine", "local", "--out", "x", "--regard", "--profile", "publish"], "omit --regard"),
        (["--engine", "local", "--out", "x", "--check", "IB-A1"], "omit a selection"),
        (["--engine", "local", "--out", "x", "--profile", "nosuch"], "unknown profile"),
        (["--engine", "local", "--out", "x", "--batch"], "--batch needs a judge at a provider"),
        (["--ledger", "y"], "--ledger needs --engine"),
        ([*ASKED, "--out", "x", "--shard", "1/2"], "one process asks openai/judge about all shards"),
        ([*ASKED, "--out", "x", "--second-judge", "x/other"], "omit --second-judge"),
        ([*ASKED, "--out", "s3://bucket/x"], "give a folder of this machine as --ledger"),
    ],
)
def test_wrong_usage_is_named(
    tmp_path: Path,
    files: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    said: str,
) -> None:
    """Exit code 2, what is wrong, and no folder."""
    monkeypatch.chdir(tmp_path)
    assert run(["scan", str(files[0]), *options]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
