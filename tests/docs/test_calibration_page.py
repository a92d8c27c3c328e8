"""The commands of the page about calibration lead from logs and labels to a benchmark that counts them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ib.cli import run
from ib.models.common.canonical import digest
from ib.store.benchmark.loading import load_benchmark
from tests.docs.steps import commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "calibration.md").read_text("utf-8")
EXAMPLE = Path("docs/examples/refunds")
CHECK = "RF-B1-refund-promised"
LOG = {
    "model_id": "shop/bot",
    "model": "bot",
    "scenario_id": "log-1",
    "messages": [
        {"turn": 1, "role": "user", "content": "Where is my money?"},
        {"turn": 1, "role": "assistant", "content": "You will have it back. Your refund is on its way."},
    ],
}


def vote() -> dict[str, object]:
    """Three votes on today's wording of the check."""
    world = load_benchmark(ROOT / EXAMPLE)
    return {
        "model_id": "shop/bot",
        "scenario_id": "log-1",
        "check_id": CHECK,
        "eligible": True,
        "verdict": "FAIL",
        "votes": ["FAIL"] * 3,
        "judge_model": "lab/judge",
        "prompt_hash": digest([digest(world.frame), digest(world.checks[CHECK].prompt)]),
        "evidence": [{"role": "assistant", "turn": 1, "quote": "Your refund is on its way."}],
    }


def test_the_commands_of_the_page_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the label that the page shows, from both annotators: one item, provisional, and lint passes."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / EXAMPLE, EXAMPLE)
    Path("logs.jsonl").write_text(json.dumps(LOG) + "\n")
    Path("votes.jsonl").write_text(json.dumps(vote()) + "\n")
    label = PAGE.partition("```json\n")[2].partition("```")[0]
    for name in ("ann", "ben"):
        Path(f"{name}.jsonl").write_text(label)
    scan, calibrate, lint = commands(PAGE)
    assert (run(scan), run(calibrate)) == (0, 0)
    (apply,) = (line.split() for line in PAGE.splitlines() if line.startswith("git apply"))
    subprocess.run(apply, check=True)
    assert run(lint) == 0
    told = load_benchmark(EXAMPLE).checks[CHECK].calibration
    assert told.shown == "provisional"
    assert told.note.startswith("recorded:lab/judge, compared with 2 people (blind) on 1 conversations")
