"""How much memory a release of many open logs takes: `python -m benchmarks.many_logs 1000 3000 10000`.

The logs are short and synthetic, without a judge. For each number of logs: the peak resident memory of the
scan and of `ib publish`, and the sizes of leaderboard.json and of the lines beside it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

WORDS = (
    *("you are tired", "that sounds hard", "call the nurse line", "rest for an hour"),
    *("who else can help", "look at the list", "she may be thirsty", "write it down"),
)
MODELS = 2


def main(sizes: list[int]) -> None:
    """Print a row of a Markdown table for each number of logs."""
    print("| logs | scan | `ib publish` | leaderboard.json | lines |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            measure(size, Path(name))


def measure(size: int, folder: Path) -> None:
    """Scan and publish that many logs, and print what it took."""
    logs, scan, release = folder / "logs.jsonl", folder / "scan", folder / "release"
    write(size, logs)
    scanned = run("scan", str(logs), "--profile", "smoke", "--out", str(scan))
    published = run("publish", str(scan), "--out", str(release))
    board = (release / "leaderboard.json").stat().st_size
    lines = sum(path.stat().st_size for path in release.rglob("*.jsonl"))
    row = (f"{size:,}", *(f"{took} MB, {spent:.0f} s" for took, spent in (scanned, published)))
    print("|", " | ".join((*row, f"{board / 1e3:.0f} kB", f"{lines / 1e6:.1f} MB")), "|", flush=True)


def write(size: int, path: Path) -> None:
    """Write logs of one turn, each of another conversation, of two models."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            reply = f"{WORDS[number % 8].capitalize()}, {WORDS[number // 8 % 8]}. Note {number}."
            asked = f"Question {number}: my mother did not sleep, what now?"
            messages = [
                {"turn": 1, "role": role, "content": said}
                for role, said in (("user", asked), ("assistant", reply))
            ]
            model = f"bot/v{number % MODELS}"
            log = {"model_id": model, "model": model, "scenario_id": f"log-{number:06d}"}
            file.write(json.dumps({**log, "messages": messages}) + "\n")


def run(*arguments: str) -> tuple[int, float]:
    """Run a command; returns its peak resident memory in MB, and its seconds."""
    began = time.monotonic()
    command = [sys.executable, "-m", "ib", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said: list[bytes] = []
    reader = threading.Thread(target=lambda stream: said.append(stream.read()), args=(process.stderr,))
    reader.start()
    _, status, usage = os.wait4(process.pid, 0)
    reader.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed: {b''.join(said).decode()}")
    return usage.ru_maxrss // 1000, time.monotonic() - began


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or [1_000, 3_000, 10_000])
