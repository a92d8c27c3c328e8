"""Labels by definition, and labels of a person, from their files to a proposed edit of the benchmark."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from tests.once import once
from tests.real.conftest import REAL, run_ib

DEFINITIONS = REAL.parent / "definitions"
READERS = ("reader1", "reader2")
Rows = list[dict[str, Any]]


@pytest.fixture(scope="session")
def definitions() -> Path:
    """The folder of the labels by definition."""
    if not (DEFINITIONS / "judge.jsonl").is_file():
        if os.environ.get("IB_REQUIRE_REAL"):
            pytest.fail("the labels by definition are demanded here, and are not beside the checkout")
        pytest.skip("the labels by definition are not here (../shared/definitions)")
    return DEFINITIONS


def read(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def scanned(folder: Path, conversations: Rows, votes: Rows) -> Path:
    """A scan of these conversations by these votes, as a recording."""
    told = ("--judge", f"recorded:{write(folder / 'v.votes.jsonl', votes)}", "--profile", "publish")
    done = run_ib("scan", write(folder / "t.jsonl", conversations), *told, "--out", folder / "scan")
    assert done.returncode == 0, done.stderr
    return folder / "scan"


def vote(row: dict[str, Any]) -> dict[str, Any]:
    """A reply of the judge to the question of a check, as a record of votes: that of all repetitions."""
    reply = row["reply"]
    quoted = [reply["nearest"]] if reply.get("nearest") else []
    return {
        "model_id": "shared/definitions",
        "scenario_id": row["item"],
        "check_id": row["request"].split("|")[0],
        "eligible": True,
        "verdict": reply["verdict"],
        "votes": [reply["verdict"]] * 3,
        "judge_model": "blind/judge",
        "evidence": [{"role": "assistant", **one} for one in (reply["occurrences"] or quoted)],
    }


@pytest.fixture(scope="session")
def by_definition(definitions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scan of the 22 conversations as open logs, by the replies of the blind judge."""

    def make(folder: Path) -> None:
        votes = [vote(row) for row in read(definitions / "judge.jsonl") if "verdict" in row["reply"]]
        said = [
            {
                "model_id": "shared/definitions",
                "model": "definitions",
                "scenario_id": row["id"],
                "messages": row["messages"],
            }
            for row in read(definitions / "transcripts.jsonl")
        ]
        scanned(folder, said, votes)

    return once(tmp_path_factory, "by-definition", make) / "scan"


def test_labels_by_definition_become_a_proposed_edit(
    definitions: Path, by_definition: Path, tmp_path: Path
) -> None:
    """Kappa of the readers is 0.88, and of the judge with them 0.48, as their guide says. They are language
    models, so every check stays unvalidated. The edit applies, and the benchmark then counts the items."""
    files = [definitions / f"{name}.jsonl" for name in READERS]
    who = [part for name in READERS for part in ("--annotator", f"{name}=language_model:blind")]
    done = run_ib("calibrate", by_definition, *files, *who, "--json", "--out", tmp_path / "edit.diff")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["checks"]) == 14
    assert {one["status"] for one in found["checks"].values()} == {"unvalidated"}
    assert found["all"]["basis"] == "language_models"
    assert round(found["all"]["pairs"][0]["on_fail"]["kappa"], 2) == 0.88
    assert round(found["all"]["judge"]["kappa"], 2) == 0.48
    root = shutil.copytree(benchmark_folder(), tmp_path / "benchmark")
    subprocess.run(["git", "apply", tmp_path / "edit.diff"], cwd=root, check=True)
    told = load_benchmark(root).checks["IB-A8"].calibration
    assert told.measured is not None
    assert told.measured.figures.items == 22
    assert "2 language models" in told.note


def test_labels_of_a_person_become_a_proposed_edit(real: Path, tmp_path: Path) -> None:
    """Forty windows of two scenarios, labeled by one person: provisional for a judge of today's wording, and
    everything that is missing is named."""
    gold = read(real / "gold-IB-A1.jsonl")
    said = [
        {
            "model_id": f"gold/{number}",
            "model": row["model"],
            "scenario_id": row["scenario_id"],
            "messages": [{**one, "turn": one["turn"] - 1} for one in row["messages"]],  # windows begin at 2
        }
        for number, row in enumerate(gold)
    ]
    labels = [
        {"id": one["scenario_id"], "model": one["model_id"], "check": "IB-A1", "label": row["label"]}
        for one, row in zip(said, gold, strict=True)
    ]
    transcripts = write(tmp_path / "t.jsonl", said)
    done = run_ib(
        "scan", transcripts, "--judge", "lexical", "--profile", "publish", "--out", tmp_path / "scan"
    )
    assert done.returncode == 0, done.stderr
    options = ("--annotator", "person=clinician", "--json", "--out", tmp_path / "edit.diff")
    done = run_ib("calibrate", tmp_path / "scan", write(tmp_path / "person.jsonl", labels), *options)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["checks"]["IB-A1"]
    assert (told["status"], told["figures"]["basis"]) == ("provisional", "people")
    assert (told["figures"]["items"], told["figures"]["failures"], told["figures"]["open"]) == (40, 2, 1)
    assert told["figures"]["families"] == 2
    assert len(told["lacks"]) == 3
    assert "calibration/IB-A1.jsonl" in (tmp_path / "edit.diff").read_text()
