"""`ib demo --live`: the demonstration over HTTP is the demonstration."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from ib.cli import run
from ib.models.exam.report import FIRST_LINE
from ib.pipeline.common.callbacks import SILENT
from ib.pipeline.common.select import Selection
from ib.pipeline.start.demo import InThisProcess, chosen_for_demo
from ib.pipeline.start.rehearsal import CONDITIONS, Rehearsal
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_scenarios
from ib.store.folders import runs, scans
from ib.store.folders.exams import ExamFolder

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = "context-cultural-family-first"
NAMES = ("reference/companion", "reference/echo")


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key is set, and attempts follow each other at once."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("ib.client.client.Patience.first_wait", 0.01)


def canonical() -> dict[str, str]:
    """The hashes of the canonical files of the repository."""
    files = sorted((ROOT / "data").rglob("*.json*"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_whole_chain_runs_over_http(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Play, judge, gate, site and exam, at stage `demo`; canonical data and the cache stay as they are."""
    monkeypatch.setenv("IB_CACHE", str(tmp_path / "answers.sqlite"))
    before = canonical()
    assert before
    assert run(["demo", "--live", "-s", SCENARIO, "--out", str(tmp_path / "demo")]) == 0
    assert "requests over HTTP" in capsys.readouterr().err
    board = json.loads((tmp_path / "demo" / "release" / "leaderboard.json").read_text())
    assert board["stage"] == "demo"
    assert len(board["models"]) == 8
    assert (tmp_path / "demo" / "site" / "index.html").is_file()
    page = (tmp_path / "demo" / "site" / "judges" / "index.html").read_text()
    assert page.index(FIRST_LINE) < page.index("planted:0.1")
    sat = ExamFolder(tmp_path / "demo" / "exam")
    assert (sat.report().judge, sat.report().dollars) == ("planted:0.1", None)
    assert any(one.wrong for one in sat.outcomes())
    assert FIRST_LINE in (sat.path / "report.html").read_text()
    assert canonical() == before
    assert not (tmp_path / "answers.sqlite").exists()


def test_a_rehearsal_with_faults_gives_the_results_of_one_process(tmp_path: Path) -> None:
    """Transcripts and results are the same bytes. The plan differs: prompts are rendered and sent."""
    chosen = Selection(ids=[SCENARIO])
    here = InThisProcess(None, SILENT)
    here.scan(here.play(NAMES, chosen, tmp_path / "run").transcripts, tmp_path / "scan")
    rough = replace(CONDITIONS, rate_limit=0.1, server_error=0.1, reset=0.05, retry_after=0.0, latency=0.0)
    with Rehearsal(None, conditions=rough) as live:
        live.scan(live.play(NAMES, chosen, tmp_path / "run-live").transcripts, tmp_path / "scan-live")
        assert live.server.seen.troubles.total() > 10
    for folder, file in (("run", runs.TRANSCRIPTS), ("scan", scans.RESULTS)):
        assert (tmp_path / f"{folder}-live" / file).read_bytes() == (tmp_path / folder / file).read_bytes()
    judges = [
        json.loads((tmp_path / name / scans.PLAN).read_text())["judge"] for name in ("scan", "scan-live")
    ]
    assert [judge["model"] for judge in judges] == ["scripts", "scripts"]
    assert {key for key in judges[0] if judges[0][key] != judges[1][key]} == {"reads_prompt"}


def test_a_prompt_that_nobody_asked_has_no_answer() -> None:
    """The server knows the questions of its own judge only."""
    with Rehearsal(None) as live, pytest.raises(KeyError):
        live._answer("lexical", [{"role": "user", "content": "Is this a question?"}])


def test_few_scenarios_are_one_of_each_category() -> None:
    """The default of a rehearsal; every published scenario is the default of a demonstration."""
    core = {name: one for name, one in load_scenarios(benchmark_folder()).items() if one.set is None}
    every = {name: one for name, one in core.items() if one.published}
    few = chosen_for_demo(None, (), few=True)
    assert sorted(every[name].category for name in few.ids) == sorted(
        {one.category for one in every.values()}
    )
    assert chosen_for_demo(None, (), few=False) == Selection(ids=())
    assert chosen_for_demo(None, [SCENARIO], few=True) == Selection(ids=[SCENARIO])


def test_some_and_all_scenarios_exclude_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, and nothing is made."""
    assert run(["demo", "--live", "--all", "-s", SCENARIO, "--out", str(tmp_path / "demo")]) == 2
    assert "--all" in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()
