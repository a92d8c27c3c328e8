"""Measure sparse rows over many short logs: CPU, memory and bytes a log, from 10,000 logs to 1,000,000.

    python -m benchmarks.batches [NUMBER ...]

The logs are made by a seed: 300 words in three turns, of which few hold a phrase. Each size is judged by one
process with one shard, from a Parquet file to a merged folder. Prints a Markdown table.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.corpus import ROOT, SEED, WORDS

SIZES = (10_000, 100_000, 1_000_000)
TURNS, ASKED, ANSWERED = 3, 30, 70
"""Turns of a log, and words of each message of the person and of the assistant."""
GROUP = 10_000


def main(arguments: list[str]) -> None:
    """Print a row for each number of logs."""
    print("| logs | CPU a log | of it merging | memory to judge, to merge | bytes of rows a log | growth |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    base: float | None = None
    for count in [int(one) for one in arguments] or SIZES:
        with tempfile.TemporaryDirectory(prefix="ib-logs-") as name:
            found = measured(write(count, Path(name) / "logs.parquet"), Path(name) / "out")
        each = 1000 * (found["judging"] + found["merging"]) / count
        base = base or each
        print(
            f"| {count:,} | {each:.3f} ms | {1000 * found['merging'] / count:.3f} ms "
            f"| {found['peak']}, {found['memory']} MB "
            f"| {found['bytes'] / count:.0f} | {each / base:.2f} |",
            flush=True,
        )


def made(count: int) -> Iterator[dict[str, Any]]:
    """Logs in the columns of a table of conversations."""
    source = random.Random(SEED)  # noqa: S311 - text to measure with, no secret
    for number in range(count):
        messages = []
        for _ in range(TURNS):
            messages.append({"role": "user", "content": _said(source, ASKED)})
            messages.append({"role": "assistant", "content": _said(source, ANSWERED)})
        yield {
            "id": f"log-{number:09d}",
            "model": "my/bot",
            "meta": [("user", f"u{number % 1000}")],
            "messages": messages,
        }


def _said(source: random.Random, words: int) -> str:
    return " ".join(source.choices(WORDS, k=words)).capitalize() + "."


def write(count: int, path: Path) -> Path:
    """That many logs as a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    said = pa.struct([("role", pa.string()), ("content", pa.string())])
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("model", pa.string()),
            ("meta", pa.map_(pa.string(), pa.string())),
            ("messages", pa.list_(said)),
        ]
    )
    logs = made(count)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while rows := [row for row, _ in zip(logs, range(GROUP), strict=False)]:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
    return path


def measured(path: Path, out: Path) -> dict[str, Any]:
    """Seconds of CPU, megabytes of memory and bytes of rows of one job, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.batches", "child", str(path), str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return {**found, "bytes": sum(file.stat().st_size for file in (out / "rows").iterdir())}


def child(path: Path, out: Path) -> None:
    """Judge one file in this process, and print what it took, without loading the benchmark."""
    from ib.batch.job import JobOptions, open_job
    from ib.batch.merge import merge
    from ib.batch.places import LocalPlace
    from ib.batch.scorer import Scorer
    from ib.text import sets

    sets.search_in_one_thread()
    job = open_job(LocalPlace(out), [path], Scorer(), JobOptions(shards=1), joins=False)
    began = process_time()
    job.do(0)
    judged, peak = process_time(), _peak()
    merge(job)
    times = {"judging": judged - began, "merging": process_time() - judged}
    print(json.dumps({**times, "peak": peak, "memory": _peak()}))


def _peak() -> int:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main(sys.argv[1:])
