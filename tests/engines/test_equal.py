"""Every way to judge the same conversations gives the same rows and the same board."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import ib
from ib.batch import Scorer, expand
from ib.batch.merge import MANIFEST
from ib.store.folders.scans import BLINDSPOT, REPLIES, RESULTS, SUMMARY
from ib.testing.loopback import LoopbackServer
from tests.batch import test_rounds as rounds
from tests.batch.logs import rows
from tests.engines.conftest import COUNT, Engines, has

MERGED = (BLINDSPOT, SUMMARY, MANIFEST)
Found = tuple[list[bytes], dict[str, bytes]]
"""The dense lines, sorted, and the bytes of what was merged."""


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    """The dense lines of a scorer in this process, sorted."""
    return sorted(expand(Scorer().records(rows(COUNT))))


@pytest.fixture(scope="module")
def local(engines: Engines, logs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a job that two processes did."""
    out = tmp_path_factory.mktemp("local") / "out"
    engines.run(engines.scan(*logs, "--engine", "local", "--workers", 2, "--shards", 2, "--out", out))
    return out


def found_in(out: Path) -> Found:
    """What a job wrote."""
    dense = sorted(line for file in (out / "rows").iterdir() for line in expand(file))
    return dense, {name: (out / name).read_bytes() for name in MERGED}


def assert_same(out: Path, lines: list[bytes], local: Path) -> None:
    """A job wrote these rows, and merged what a job of this machine merged."""
    dense, merged = found_in(out)
    assert dense == lines
    assert merged == found_in(local)[1]


def fetched(bucket: Engines, address: str, out: Path) -> Path:
    """A job of a bucket as a folder of this machine."""
    get = (
        "import fsspec, sys; fsspec.filesystem(sys.argv[1][:2]).get(sys.argv[1], sys.argv[2], recursive=True)"
    )
    bucket.run(bucket.python("-c", get, address, out))
    return out


def test_a_scan_and_a_job_say_the_same(
    lines: list[bytes], local: Path, logs: list[Path], tmp_path: Path
) -> None:
    """`ib scan`, a scorer in one process, and two processes: the same rows, the same counts."""
    scan = ib.scan(logs, out=tmp_path / "scan", workers=2)
    assert sorted((scan.path / RESULTS).read_bytes().splitlines(keepends=True)) == lines
    dense, merged = found_in(local)
    assert dense == lines
    counted = json.loads(merged[BLINDSPOT])["models"]
    board = scan.blindspot()["models"]
    for model in board:
        assert {part: counted[model][part] for part in ("checks", "gates")} == {
            part: board[model][part] for part in ("checks", "gates")
        }


def test_a_job_array_in_a_bucket_says_the_same(
    bucket: Engines, lines: list[bytes], local: Path, logs: list[Path], tmp_path: Path
) -> None:
    """Eight tasks, two at a time, on a server of S3: each does its shard, the last one merges."""
    run_array(bucket, "s3", logs)
    assert_same(fetched(bucket, "s3://bucket/array", tmp_path / "array"), lines, local)


def test_a_job_array_in_googles_storage_says_the_same(
    google: Engines, lines: list[bytes], local: Path, logs: list[Path], tmp_path: Path
) -> None:
    """The same on a server of Google's storage; of two that put a file if it is absent, one does."""
    run_array(google, "gs", logs)
    assert_same(fetched(google, "gs://bucket/array", tmp_path / "array"), lines, local)
    put = (
        "from ib.store.files.addresses import Address; print(Address('gs://bucket/one').put_if_absent(b'1'))"
    )
    assert [google.run(google.python("-c", put)).strip() for _ in range(2)] == ["True", "False"]


def run_array(there: Engines, protocol: str, logs: list[Path]) -> None:
    """Put the files into the bucket, and do its eight shards two at a time."""
    put_logs(there, logs, protocol)
    folder = f"{protocol}://bucket"
    command = there.scan(f"{folder}/logs/*.parquet", "--engine", "local", "--out", f"{folder}/array")
    for shards in ((1, 5), (2, 6), (3, 7), (4, 8)):
        tasks = [
            subprocess.Popen([*command, "--shard", f"{shard}/8", "--workers", "1"], env=dict(there.variables))
            for shard in shards
        ]
        assert [task.wait() for task in tasks] == [0, 0]


def test_ray_asks_a_judge_in_rounds(bucket: Engines, tmp_path: Path) -> None:
    """Ray's workers find the questions of a job in a bucket, one process asks: rows and prompts of a scan."""
    path, plain = rounds.write_logs(tmp_path / "logs.parquet"), tmp_path / "plain"
    address = "s3://bucket/rounds"
    there = Engines({**bucket.variables, "OPENAI_API_KEY": rounds.KEY})
    in_rounds = ("--engine", "ray", "--workers", 2, "--shards", 3, "--ledger", tmp_path / "ledger")
    asked = []
    for where in ((plain,), (address, *in_rounds)):
        with LoopbackServer(rounds.judges) as server:
            there.run(there.scan(path, *rounds.judge_at(server), "--max-calls", 1000, "--out", *where))
            asked.append(server.seen.prompts)
    rounds.assert_same(fetched(bucket, address, tmp_path / "out"), plain)
    assert asked[0] == asked[1]
    assert (tmp_path / "ledger" / REPLIES).is_file()


def test_ray_with_a_killed_worker_says_the_same(
    bucket: Engines, lines: list[bytes], local: Path, logs: list[Path], tmp_path: Path
) -> None:
    """SIGKILL to a worker of Ray in the middle of a shard; Ray listens on the loopback alone."""
    put_logs(bucket, logs)
    command = bucket.scan("s3://bucket/logs/*.parquet", "--engine", "ray", "--workers", 2, "--shards", 3)
    process = subprocess.Popen([*command, "--out", "s3://bucket/ray"], env=dict(bucket.variables))
    try:
        worker = at_work(process)
        open_to_all = [address for address in listening(family(process.pid)) if not is_loopback(address)]
        os.kill(worker, signal.SIGKILL)
        assert process.wait() == 0
    finally:
        process.kill()
        process.wait()
    assert open_to_all == []
    assert_same(fetched(bucket, "s3://bucket/ray", tmp_path / "ray"), lines, local)


@pytest.mark.skipif(not has("pyspark"), reason="pyspark (450 MB) is installed by hand into .venv-engines")
def test_spark_says_the_same(engines: Engines, lines: list[bytes], logs: list[Path], tmp_path: Path) -> None:
    """The recipe of docs/batches.md, with two tasks of Spark."""
    out = tmp_path / "rows"
    engines.run(engines.python("-m", "benchmarks.spark", out, *logs))
    dense = sorted(line for file in out.glob("*.parquet") for line in expand(file))
    assert dense == lines


def put_logs(there: Engines, logs: list[Path], protocol: str = "s3") -> None:
    """Put the files into the bucket."""
    put = (
        "import fsspec, sys; there = fsspec.filesystem(sys.argv[1]); "
        "[there.put(one, 'bucket/logs/') for one in sys.argv[2:]]"
    )
    there.run(there.python("-c", put, protocol, *logs))


def family(pid: int) -> list[int]:
    """A process and all that it has started, and what these have."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents.setdefault(int(stat.read_text().rsplit(")", 1)[1].split()[1]), []).append(
                int(stat.parent.name)
            )
        except OSError:
            continue  # has ended
    found = [pid]
    for one in found:
        found += parents.get(one, [])
    return found


def at_work(process: subprocess.Popen[bytes]) -> int:
    """A worker that is in the middle of a shard: it has begun its file."""
    while process.poll() is None:
        for pid in family(process.pid):
            if any("/ib-shard-" in target for target in opened(pid)):
                return pid
        time.sleep(0.01)
    pytest.fail("the scan ended before a worker was seen")


def opened(pid: int) -> list[str]:
    """What a process has open."""
    found = []
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        with contextlib.suppress(OSError):  # closed, or of a process that has ended
            found.append(str(link.readlink()))
    return found


def listening(pids: list[int]) -> list[str]:
    """The local addresses on which processes accept connections over TCP, as the kernel writes them."""
    own = {target[8:-1] for pid in pids for target in opened(pid) if target.startswith("socket:[")}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in own:
                found.append(fields[1].partition(":")[0])
    assert found
    return found


def is_loopback(address: str) -> bool:
    """True for 127.0.0.0/8, also as an address of IPv6, and for ::1, in the kernel's order of bytes."""
    mapped = address[:-8] in ("", "0000000000000000FFFF0000") and address.endswith("7F")
    return mapped or address == "0" * 24 + "01000000"
