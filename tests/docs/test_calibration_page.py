"""The commands of the page about calibration lead from logs and labels to a benchmark that counts them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ib.cli import run
from ib.store.benchmark.loading import load_benchmark
from tests.docs.steps import commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "calibration.md").read_text("utf-8")
CHECK = "RF-B1-refund-promised"


def test_the_page_leads_from_its_own_files_to_a_benchmark_that_counts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the label that it shows, its commands and its patch: two items, provisional, lint passes."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "docs/examples/refunds", "my-refunds")
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "files.py", "exec"), {"__name__": __name__})  # noqa: S102 - the page is ours
    (label,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    Path("ann.jsonl").write_text(label + Path("ann.jsonl").read_text().splitlines()[1])
    scan, calibrate, lint = commands(PAGE)
    assert (run(scan), run(calibrate)) == (0, 0)
    (apply,) = (line for line in PAGE.splitlines() if line.startswith("patch "))
    assert f"{apply}, and ib lint" in capsys.readouterr().err
    subprocess.run(apply, shell=True, check=True)  # noqa: S602 - the command of the page
    assert run(lint) == 0
    told = load_benchmark(Path("my-refunds")).checks[CHECK].calibration
    assert told.shown == "provisional"
    assert told.note.startswith("recorded:lab/judge, compared with 2 people (blind) on 2 conversations")
