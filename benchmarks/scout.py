"""Compare with the grep scanner of Inspect Scout on the same file of logs, for the same phrases, in one run.

    python -m benchmarks.scout PYTHON [NUMBER]

PYTHON is the Python of an environment with inspect_scout, which is no requirement of this project. Both read
the file in Scout's own columns, with one process. Prints seconds of CPU a log, start included and left out.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.batches import made
from benchmarks.corpus import ROOT

FEW = 20
"""A run of so many logs is the start of a process."""
SCOUT = """
import json, sys
from inspect_scout import grep_scanner, scan, scanner, transcripts_from
phrases = json.loads(open(sys.argv[2]).read())

@scanner(name="phrases", messages="all")
def phrases_scanner():
    return grep_scanner(phrases, regex=True)

status = scan([phrases_scanner()], transcripts=transcripts_from(sys.argv[1]), scans=sys.argv[3],
              max_processes=1, display="none")
assert status.complete, str(status)[-500:]
"""
OURS = """
import sys
from pathlib import Path
from ib.batch.job import JobOptions, open_job
from ib.batch.merge import merge
from ib.batch.places import LocalPlace
from ib.batch.scorer import Scorer
from ib.text import sets
sets.search_in_one_thread()
files = sorted(Path(sys.argv[1]).glob("*.parquet"))
job = open_job(LocalPlace(Path(sys.argv[3])), files, Scorer(), JobOptions(shards=1), joins=False)
job.do(0)
merge(job)
"""


def main(arguments: list[str]) -> None:
    """Print a row for each."""
    python, count = arguments[0], int((arguments[1:] or ["100"])[0])
    with tempfile.TemporaryDirectory(prefix="ib-scout-") as name:
        phrases = Path(name) / "phrases.json"
        phrases.write_text(json.dumps(patterns()))
        print(f"{sum(map(len, patterns().values()))} patterns in {len(patterns())} lexicons, {count} logs")
        for who, command in (("Scout", [python, "-c", SCOUT]), ("ib", [sys.executable, "-c", OURS])):
            seconds = []
            for number in (FEW, count):
                folder = write(number, Path(name) / f"logs-{number}")
                out = Path(name) / f"{who}-{number}"
                seconds.append(cpu([*command, str(folder), str(phrases), str(out)]))
            each = 1000 * (seconds[1] - seconds[0]) / (count - FEW)
            print(f"{who}: {each:.3f} ms a log, {seconds[1]:.1f} s in all", flush=True)


def patterns() -> dict[str, list[str]]:
    """The phrases of the assistant that `smoke` searches for, by lexicon, as Python writes them."""
    from ib.engine.reading.lexicons import guarded_pattern
    from ib.models.common.base import Role
    from ib.store.benchmark.loading import load_benchmark

    lexicons = load_benchmark(None).lexicons
    return {
        name: [guarded_pattern(lexicon, pattern).regex.replace(r"\z", r"\Z") for pattern in lexicon.patterns]
        for name, lexicon in lexicons.items()
        if lexicon.speaker is Role.ASSISTANT
    }


def write(count: int, folder: Path) -> Path:
    """That many logs as a database of Scout in a folder."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(exist_ok=True)
    rows = [about(row) for row in made(count)]
    parquet.write_table(pa.Table.from_pylist(rows), folder / "transcripts.parquet", row_group_size=10_000)
    return folder


def about(row: dict[str, Any]) -> dict[str, Any]:
    """A log in the columns of Scout."""
    said = [{**message, "id": str(number)} for number, message in enumerate(row["messages"])]
    said = [one if one["role"] == "user" else {**one, "source": "generate"} for one in said]
    return {
        "transcript_id": row["id"],
        "source_type": "made",
        "source_id": "made",
        "source_uri": "made",
        "model": row["model"],
        "messages": json.dumps(said),
    }


def cpu(command: list[str]) -> float:
    """Seconds of CPU of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main(sys.argv[1:])
