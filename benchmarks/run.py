"""Measure commands as run from the shell: help, a smoke scan, scans of many transcripts. Prints medians."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.corpus import ROOT, long, one_reply, transcripts, write

RUNS = 5
COPIES = (8, 32)
LEXICAL = ("--profile", "publish", "--judge", "lexical")
TURNS = 2_000
SIZES = (256_000, 1_900_000)


def main() -> None:
    """Print the figures as a Markdown table."""
    rows, kind = transcripts()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = write(rows, folder / "small.jsonl")
        print(f"# {machine()}, {kind} text, {len(rows)} transcripts\n")
        print("| what | median | runs | target |")
        print("| --- | ---: | ---: | ---: |")
        line("`ib --help`", *timed(lambda run: ["--help"], RUNS), "0.2 s")
        base = timed(lambda run: scan(small, folder / f"small-{run}"), RUNS)
        line("smoke scan, start included", *base, "1.0 s")
        talk = write([long(rows, TURNS)], folder / "long.jsonl")
        cost(f"lexical judge, {TURNS:,} turns", scan(talk, folder / "long", *LEXICAL), "120 s")
        for size in SIZES:
            reply = write([one_reply(rows, size)], folder / f"reply-{size}.jsonl")
            what = f"lexical judge, one reply of {size // 1000:,} kB"
            cost(what, scan(reply, folder / f"reply-{size}", *LEXICAL), "linear")
        for copies in COPIES:
            large = write(rows, folder / f"large-{copies}.jsonl", copies)
            count = len(rows) * copies

            def many(run: int, large: Path = large, copies: int = copies) -> list[str]:
                return scan(large, folder / f"large-{copies}-{run}")

            seconds, runs, memory = timed(many, 3)
            each = 1000 * (seconds - base[0]) / (count - len(rows))
            print(
                f"| smoke scan of {count}: {1000 * seconds / count:.2f} ms each, "
                f"{each:.2f} ms for each more, {memory} MB at most | {seconds:.2f} s | {runs} "
                "| 1 ms each, 250 MB |"
            )


def scan(path: Path, out: Path, *options: str) -> list[str]:
    """The arguments of a scan. Without options, of a smoke scan."""
    return ["scan", str(path), *(options or ("--profile", "smoke")), "--out", str(out)]


def cost(what: str, arguments: list[str], target: str) -> None:
    """Print a row with the processor time of one run of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    timed(lambda run: arguments, 1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    line(f"{what}, processor time", seconds, 1, after.ru_maxrss // 1024, target)


def timed(arguments: Callable[[int], list[str]], runs: int) -> tuple[float, int, int]:
    """The median wall time of a command, how often it ran, and its peak memory in MB."""
    times = []
    for run in range(runs):
        begin = time.perf_counter()
        command = [sys.executable, "-m", "ib", *arguments(run)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return statistics.median(times), runs, peak


def line(what: str, seconds: float, runs: int, memory: int, target: str) -> None:
    """A row of the table."""
    print(f"| {what}, {memory} MB at most | {seconds:.3f} s | {runs} | {target} |")


def machine() -> str:
    """The machine, without its name."""
    python = platform.python_version()
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {python}"


if __name__ == "__main__":
    main()
