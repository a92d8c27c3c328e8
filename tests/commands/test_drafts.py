"""A draft check is judged in a scan that names it, and in no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import ib as api
from tests.commands.conftest import row
from tests.models.build import TRANSCRIPT
from tests.store.small import SCORING, write_benchmark
from tests.store.test_drafts import FILES, ID


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """The small benchmark with a draft check and a draft lexicon."""
    smoke = {"checks": "deterministic", "votes": "none", "gate_stop": "none", "stop": "none"}
    scoring = {**SCORING, "profiles": {"smoke": {**smoke, "may_publish": False}}}
    return write_benchmark(tmp_path / "benchmark", **FILES, **{"configs/scoring.yaml": scoring})


@pytest.mark.parametrize("named", [(), ("--draft", ID)])
def test_a_draft_is_judged_where_it_is_named(
    named: tuple[str, ...],
    benchmark: Path,
    ib: Callable[..., tuple[int, str, str]],
    transcripts: Callable[..., Path],
    tmp_path: Path,
) -> None:
    """Its row stands among the others; without the option there is none."""
    out = tmp_path / "scan"
    path = transcripts(TRANSCRIPT)
    code, _, err = ib("scan", path, "--benchmark", benchmark, "--out", out, *named)
    assert code == 0, err
    rows = json.loads((out / "results.jsonl").read_text())["rows"]
    assert (ID in [outcome["mode_id"] for outcome in rows]) is bool(named)


def test_a_misspelled_draft_is_refused(
    ib: Callable[..., tuple[int, str, str]], transcripts: Callable[..., Path], benchmark: Path
) -> None:
    """It is not silently left out."""
    code, _, err = ib("scan", transcripts(row()), "--benchmark", benchmark, "--draft", "IB-F9-drift")
    assert code == 3
    assert "no check or lexicon 'IB-F9-drift'" in err


def test_a_draft_is_judged_from_python(benchmark: Path, tmp_path: Path) -> None:
    """The same, by an argument."""
    transcript = api.Transcript.model_validate(TRANSCRIPT)
    scan = api.scan([transcript], benchmark=benchmark, drafts=[ID], out=tmp_path / "scan")
    assert ID in [outcome.mode_id for outcome in next(iter(scan.results())).rows]
