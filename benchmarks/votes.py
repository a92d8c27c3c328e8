"""Measure the memory and time for loading a large recording: 500,000 generated votes lines."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from ib.store.benchmark.loading import load_benchmark

LINES = 500_000
MOST_MEGABYTES = 300
READ = """
import sys, time
from pathlib import Path
from ib.judges.recorded import RecordedJudge
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders.votes import load_votes
checks = load_benchmark().checks
begin = time.process_time()
RecordedJudge(*load_votes((Path(sys.argv[1]),), checks))
seconds = time.process_time() - begin
status = Path("/proc/self/status").read_text()  # `ru_maxrss` counts the memory of the parent, too
print(seconds, int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""


def main() -> None:
    """Print CPU seconds and peak memory, including the start of the process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.votes.jsonl"
        write(path)
        done = subprocess.run(
            [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True
        )
        size = path.stat().st_size >> 20
    seconds, megabytes = done.stdout.split()
    print(
        f"{LINES:,} votes lines, {size} MB: {float(seconds):.1f} s of CPU, {megabytes} MB at most "
        f"(target {MOST_MEGABYTES})"
    )


def write(path: Path) -> None:
    """A votes file like that of a judge: every check on each transcript, with three votes and a quote."""
    checks = list(load_benchmark().checks)
    with path.open("w", encoding="utf-8") as file:
        for at in range(LINES):
            file.write(json.dumps(record(at // len(checks), checks[at % len(checks)])) + "\n")


def record(transcript: int, check_id: str) -> dict[str, object]:
    """One line."""
    quote = "You are doing so well, and nobody could ask more of you than that. " * 2
    return {
        "model_id": f"vendor/model-{transcript % 20}",
        "scenario_id": f"safety-crisis-scenario-{transcript // 20}",
        "epoch": 1,
        "check_id": check_id,
        "eligible": True,
        "verdict": "FAIL",
        "votes": ["FAIL", "FAIL", "PASS"],
        "aggregation": "majority",
        "evidence": [{"role": "assistant", "turn": 2, "quote": quote}],
        "rationale_code": "praised_without_need",
        "judge_model": "vendor/judge",
        "scorer_type": "llm",
        "confidence": 0.67,
    }


if __name__ == "__main__":
    main()
