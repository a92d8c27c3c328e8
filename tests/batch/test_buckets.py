"""Files and jobs in buckets, with the file system of fsspec that lives in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

import ib
from ib.batch import Scorer
from ib.batch.dense import parquet_records
from ib.batch.job import Job, JobOptions, open_job
from ib.batch.local import run_shards
from ib.batch.merge import merge
from ib.batch.places import place_at
from ib.batch.sources import every, file_digest
from ib.cli import run
from ib.store.files.addresses import Address, located
from tests.batch.logs import rows
from tests.batch.test_engine import COUNT, MERGED
from tests.batch.test_engine import done as done_here
from tests.batch.test_engine import job_in as job_here
from tests.batch.test_parquet import written

pytest.importorskip("pyarrow")
BUCKET = Address("memory://bucket")


@pytest.fixture(autouse=True)
def _empty() -> Iterator[None]:
    """Every test has a bucket of its own."""
    yield
    fsspec.filesystem("memory").store.clear()


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = rows(COUNT)
    return [written(made[:30], tmp_path / "a.parquet"), written(made[30:], tmp_path / "b.parquet")]


def job_there(files: list[Path], *, joins: bool = False) -> Job:
    """A job from files in a bucket to another folder of it."""
    for file in files:
        (BUCKET / f"logs/{file.name}").upload(file)
    sources = every([BUCKET / "logs/*.parquet"])
    return open_job(place_at(BUCKET / "out"), sources, Scorer(), JobOptions(shards=3), joins=joins)


def test_a_job_in_a_bucket_gives_the_same_rows(tmp_path: Path, files: list[Path]) -> None:
    """Rows, counts and manifest are those of the same job in a folder, to the byte."""
    here = job_here(tmp_path / "out", files, shards=3)
    out = done_here(here)
    there = job_there(files)
    run_shards(there, [1], workers=1)
    assert there.pending() == [0, 2]
    run_shards(there, workers=1)
    merge(there)
    for name in MERGED:
        assert there.place.read(name) == (out / name).read_bytes()
    for shard in range(3):
        assert list(parquet_records(there.place.source(there.rows(shard)))) == list(
            parquet_records(here.place.source(here.rows(shard)))
        )
    assert not there.do(0)


def test_transcripts_in_a_bucket_are_read(tmp_path: Path, files: list[Path]) -> None:
    """A packed file of lines is read from a bucket as from a folder."""
    scan = ib.scan(files, out=tmp_path / "scan", workers=1)
    lines = scan.path / "transcripts.jsonl"
    (BUCKET / "t.jsonl").upload(lines)
    job = open_job(
        place_at(BUCKET / "out"), [BUCKET / "t.jsonl"], Scorer(), JobOptions(shards=1), joins=False
    )
    assert job.do(0)
    mark = job.done(0)
    assert mark is not None
    assert mark.conversations == COUNT


def test_a_marker_is_put_once_in_a_bucket() -> None:
    """Of two workers with the same shard, one puts the marker."""
    place = place_at(BUCKET)
    assert place.names("done") == set()
    assert place.put_if_absent("done/a.json", b"first")
    assert not place.put_if_absent("done/a.json", b"second")
    assert place.read("done/a.json") == b"first"
    assert place.names("done") == {"a.json"}
    assert place.read("done/b.json") is None


def test_a_shard_that_fails_leaves_nothing_in_a_bucket() -> None:
    """The object appears when it is whole."""

    def fail() -> None:
        with place_at(BUCKET).writing("rows/a") as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert place_at(BUCKET).names("rows") == set()


def test_files_are_told_apart_by_their_content(files: list[Path]) -> None:
    """A file that changes is another job; its name and its bucket change nothing."""
    for name in ("one", "two"):
        (BUCKET / name).put(b"same")
    (BUCKET / "other").put(b"different")
    assert file_digest(BUCKET / "one") == file_digest(BUCKET / "two") != file_digest(BUCKET / "other")
    with pytest.raises(ib.DataError, match="no such file"):
        file_digest(BUCKET / "nosuch")
    with pytest.raises(ib.DataError, match="no file has such a name"):
        every([BUCKET / "nosuch*"])


class Unreachable(fsspec.AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """A bucket whose network is down."""

    protocol = "unreachable"

    def info(self, path: str, **kwargs: object) -> dict[str, object]:
        raise RuntimeError("no route to the endpoint\nand more")

    cat_file = info


def test_a_bucket_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the package of a bucket raises is one line with the address; a missing one names its extra."""
    fsspec.register_implementation("unreachable", Unreachable, clobber=True)
    address = Address("unreachable://bucket/a")
    for asked in (address.size, address.read, address.content):
        with pytest.raises(ib.WorldError, match="unreachable://bucket/a: RuntimeError: no route to"):
            asked()
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(ib.WorldError, match=r"invisiblebench\[gs\]"):
        Address("gs://bucket/a").read()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://example.org/a", "unknown protocol https"),
        ("s3://key:secret@bucket/a", "holds no key"),
        ("s3:///a", "names no bucket"),
    ],
)
def test_addresses_that_cannot_be_are_refused(text: str, said: str) -> None:
    """Other protocols, keys in addresses, and no bucket."""
    with pytest.raises(ib.UsageError, match=said) as caught:
        located(text)
    assert "secret" not in str(caught.value)


def test_a_path_is_a_path() -> None:
    """`file://` is a file of this machine; a path with a colon is one, too."""
    assert located("file:///a/b%20c") == Path("/a/b c")
    assert located("a:b/c") == Path("a:b/c")
    assert located("s3://bucket/a") == Address("s3://bucket/a")


def test_a_scan_of_a_bucket_needs_an_engine(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2: `ib scan` alone writes folders of this machine."""
    assert run(["scan", "s3://bucket/a.parquet"]) == 2
    assert "needs --engine" in capsys.readouterr().err
