"""Drafts: incomplete checks and lexicons that can be scanned by name and are never released."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ib.engine.golden import EVERY_VOTE
from ib.engine.mode_engine import ModeEngine
from ib.errors import DataError
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import JudgeSpec
from ib.pipeline.lint.benchmark import lint_benchmark
from ib.store.benchmark.loading import load_benchmark
from tests.models.build import CHECK, LEXICON, TRANSCRIPT, changed
from tests.store.small import SCORING, only, write_benchmark

ID = "IB-F9-draft"
BEGUN = changed(changed(CHECK, "id", ID), "routing.lexicon", "begun")
FILES: dict[str, Any] = {
    f"checks/{ID}.yaml": {key: BEGUN[key] for key in BEGUN if key not in ("examples", "sources")}
    | {"status": "draft"},
    "lexicons/begun.yaml": {**changed(changed(LEXICON, "name", "begun"), "examples"), "status": "draft"},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The small benchmark with a draft check and a draft lexicon."""
    return write_benchmark(tmp_path, **FILES)


def wrong(folder: Path, **files: Any) -> str:
    with pytest.raises(DataError) as caught:
        load_benchmark(write_benchmark(folder, **{**FILES, **files}))
    return only(caught.value).found


def test_a_draft_is_left_out_unless_it_is_named(root: Path) -> None:
    """A scan that does not name a draft has neither its check nor its lexicon."""
    assert ID not in load_benchmark(root).checks
    assert "begun" not in load_benchmark(root).lexicons
    assert ID in load_benchmark(root, drafts=None).checks


def test_a_named_draft_brings_the_lexicon_that_it_looks_into(root: Path) -> None:
    """The engine judges a named draft as it judges every other check."""
    benchmark = load_benchmark(root, drafts=(ID,))
    assert "begun" in benchmark.lexicons
    profiles = {"all": EVERY_VOTE}
    benchmark = benchmark.model_copy(
        update={"scoring": benchmark.scoring.model_copy(update={"profiles": profiles})}
    )
    engine = ModeEngine(benchmark, "all", JudgeSpec(model="none"))
    asked = [due.check.id for due in engine.due(Transcript.model_validate(TRANSCRIPT)) if due.asked]
    assert ID in asked


def test_a_name_that_nothing_has(root: Path) -> None:
    """A misspelled draft is not silently left out."""
    with pytest.raises(DataError, match="no check or lexicon 'IB-F9-drift'"):
        load_benchmark(root, drafts=("IB-F9-drift",))


def test_a_draft_changes_no_hash(tmp_path: Path, root: Path) -> None:
    """A release stays comparable when somebody begins a check, also if the draft was loaded."""
    without: Benchmark = load_benchmark(write_benchmark(tmp_path / "without"))
    assert benchmark_hash(load_benchmark(root, drafts=None)) == benchmark_hash(without)


def test_a_draft_is_linted_with_notices(root: Path) -> None:
    """What is still missing is told, and is no fault."""
    linted = lint_benchmark(root)
    assert not linted.unreadable
    assert not {Path(finding.file).stem for finding in linted.findings} & {ID, "begun"}
    told = {(Path(notice.file).stem, notice.key): notice.found for notice in linted.notices}
    assert told[ID, "sources"] == "0 of at least 1 items"
    assert told[ID, "examples.edge"] == "0 of at least 2 items"
    assert told["begun", "examples.hit"] == "0 of at least 10 items"


def test_an_active_check_needs_what_a_draft_may_lack(tmp_path: Path) -> None:
    """The same file without its status is refused, with every list that is too short."""
    files = {name: {**value, "status": "active"} for name, value in FILES.items()}
    with pytest.raises(DataError) as caught:
        load_benchmark(write_benchmark(tmp_path, **files))
    assert {finding.key for finding in caught.value.findings} == {
        *("sources", "examples.pass", "examples.fail", "examples.edge"),
        *("examples.hit", "examples.miss"),
    }


def test_nothing_active_rests_on_a_draft(tmp_path: Path) -> None:
    """An active check cannot look into a draft lexicon, and no flag or law names a draft check."""
    leaning = changed(CHECK, "routing.lexicon", "begun")
    assert "unknown lexicon 'begun'" in wrong(tmp_path / "a", **{"checks/IB-F1-test.yaml": leaning})
    flags = [{"flag": "begins", "check": ID}]
    found = wrong(tmp_path / "b", **{"configs/scoring.yaml": {**SCORING, "flags": flags}})
    assert f"unknown check {ID}" in found
