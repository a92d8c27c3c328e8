"""The page about the exam for judges: its commands work, with a server in place of a provider."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from ib.cli import run
from ib.pipeline.release.exams import stated_exams
from ib.store.folders.exams import sittings_in
from ib.testing import LoopbackServer
from tests.commands.conftest import row
from tests.commands.test_live import judges
from tests.docs.steps import blocks, lines, spread

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "exam.md").read_text("utf-8")
JUDGE = "openai/gpt-5-mini"
FEW = ("--check", "IB-A1", "--check", "IB-F1-feelings-claim", "--items", "4")
"""Eight items in place of thousands."""
READERS = ("one", "two")


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone as the current folder, a key that no provider gave out, and batches without long pauses."""
    for name in ("ib", "tools", "benchmark"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "exam-page")
    for name, seconds in (("QUIET", 0.1), ("FIRST_POLL", 0.02), ("LONGEST_POLL", 0.02)):
        monkeypatch.setattr(f"ib.client.batcher.{name}", seconds)
    return tmp_path


def prepared(here: Path) -> None:
    """Two sittings of other judges, conversations, and a finished scan of them."""
    for name, kind in (("exam-a", "planted:1:blind"), ("exam-b", "planted:1:believing")):
        assert run(["exam", "--judge", kind, *FEW, "--out", f"results/{name}"]) == 0
    (here / "run").mkdir()
    told = [json.dumps(row("vendor/model", name)) for name in ("night-01", "night-02")]
    (here / "run" / "transcripts.jsonl").write_text("".join(f"{line}\n" for line in told))
    scan = ("scan", "run/transcripts.jsonl", "--profile", "publish", "--judge", JUDGE)
    assert run([*scan, "--out", "results/scan"]) == 0


def read(here: Path) -> None:
    """The answers of two readers, who see in each item of the sheets what follows from its edit."""
    answers = defaultdict[int, list[str]](list)
    for key in map(json.loads, (here / "work/sheets/key.jsonl").read_text("utf-8").splitlines()):
        before, after = ("FAIL" if key[name] else "PASS" for name in ("base_fails", "must_fail"))
        other = {} if key["operator"] == "unedited" else {"b" if key["after"] == "a" else "a": before}
        answers[key["sheet"]].append(json.dumps({"item": key["number"], key["after"]: after, **other}))
    (here / "work" / "answers").mkdir()
    for sheet, said in answers.items():
        for reader in READERS:
            name = f"sheet-{sheet:02}.{reader}.jsonl"
            (here / "work" / "answers" / name).write_text("".join(f"{line}\n" for line in said))


def steps() -> Iterator[list[str]]:
    """The commands of the page."""
    for block in blocks(PAGE):
        yield from lines(block)


@pytest.mark.gate
def test_the_commands_of_the_page_work(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Readers answer between two commands. The sitting in batches stops once, and goes on."""
    with LoopbackServer(judges, models=("gpt-5-mini",)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        prepared(clone)
        for step in steps():
            if step[:2] == ["python", "-m"]:
                if step[2] == "tools.exam_readings":
                    read(clone)
                subprocess.run([sys.executable, *spread(step[1:])], check=True, timeout=200)
                continue
            program, *words = step
            assert program == "ib", step
            less = FEW if words[:2] == ["exam", "--judge"] and "--check" not in words else ()
            stops = "--batch" in words and "--resume" not in words
            before = server.seen.answered
            code = run([*words, *less, *(("--batch-detach",) if stops else ())])
            assert code == (4 if stops else 0), (step, capsys.readouterr().err)
            asks = words[:2] == ["exam", "--judge"] or words[0] == "scan"
            assert (server.seen.answered > before) == (asks and "--dry-run" not in words and not stops), step
    sittings = {one.path.name: one.report().hints for one in sittings_in(Path("results"))}
    assert sittings == dict.fromkeys(("exam-a", "exam-a1", "exam-b", "exam-mini"), True) | {
        "exam-mini-bare": False
    }
    source = stated_exams(Path("data/leaderboard"))
    assert source is not None
    assert [one.judge.with_hints for one in source.sittings] == [True, False]
    readings = (clone / "benchmark/exam/readings.jsonl").read_text("utf-8").splitlines()
    assert {"one", "two"} <= {json.loads(line)["reader"] for line in readings}
