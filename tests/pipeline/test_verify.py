"""A release is computed again from what it carries: every edit that contradicts its source is named."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.models.common.canonical import digest
from ib.models.release.leaderboard import SCHEMA_VERSION
from ib.models.release.source import CONVERSATIONS, PLAN, SOURCE_FILES
from ib.pipeline.release.release import prepare_release
from ib.pipeline.release.verify import verify_release
from ib.store.benchmark.loading import benchmark_folder
from tests.pipeline import verifying
from tests.pipeline.verifying import edit, edit_rows, reseal, verified

Change = Callable[[Any], object]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return verifying.released(tmp_path_factory)


@pytest.fixture
def folder(release: Path, tmp_path: Path) -> Path:
    """A copy of the release that the test may change."""
    return verifying.copied(release, tmp_path)


AS_STATED = (
    "a release does not carry these files of the scan, so that their hashes are as stated: "
    "replies.jsonl, cost_report.json, contradictions.jsonl"
)


def said(folder: Path) -> str:
    """The differences in words, one a line."""
    return "\n".join(one.words for one in verified(folder).differences)


def test_a_release_follows_from_its_source(release: Path) -> None:
    """Nothing differs, everything was computed, and what a signature alone can settle is named."""
    found = verified(release)
    assert found.computed
    assert (found.differences, found.benchmark) == ((), ())
    assert found.unproven == (AS_STATED,)
    assert {path.name for path in (release / "source").iterdir()} == {
        *("plan.json.gz", "benchmark.jsonl.gz", "conversations.jsonl.gz")
    }


def test_the_source_is_the_same_bytes_whenever_it_is_made(
    release: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No time and no name of a file is in it."""
    again = prepare_release(verifying.scanned(tmp_path_factory), "demo", None)
    for name in SOURCE_FILES:
        if (release / name).exists():
            assert again.files[name] == (release / name).read_bytes(), name


def fail_turned_pass(board: dict[str, Any]) -> None:
    """A failure at a gate is gone from every count of the model that has it."""
    entry = next(
        gate
        for model in board["models"]
        for gate in (*model["gates"].values(), model["both_gates"])
        if gate["failed_by_judge"]
    )
    entry["failed_by_judge"] -= 1
    entry["clear"] += 1


def test_a_figure_is_named_by_model_check_and_field(folder: Path) -> None:
    """A count of failures is one less: the sentence says whose, of which check, and what follows."""
    told: list[Any] = []

    def change(board: dict[str, Any]) -> None:
        entry = next(e for e in board["models"][0]["blindspots"] if e["failures"]["k"])
        entry["failures"]["k"] -= 1
        told.extend((board["models"][0]["model_id"], entry["check_id"], entry["failures"]["k"]))

    edit(folder, "leaderboard.json", change)
    reseal(folder)
    model, check, count = told
    found = next(one for one in verified(folder).differences if one.figure.endswith("failures.k"))
    assert (found.model, found.check, found.stated, found.computed) == (model, check, count, count + 1)
    assert found.words.endswith(f"failures.k is {count}, and {count + 1} follows from the source")


EDITS: dict[str, tuple[str, Change]] = {
    "a gate FAIL turned PASS": ("leaderboard.json", fail_turned_pass),
    "a note removed": ("leaderboard.json", lambda board: board.update(notes=["All is well."])),
    "a stage": ("leaderboard.json", lambda board: board.update(stage="public")),
    "another judge": ("leaderboard.json", lambda board: board["judge"].update(model="lab/judge")),
    "a finding": ("leaderboard.json", lambda board: board.update(findings=[])),
    "a score": ("rows/reference-companion.jsonl", lambda rows: rows[1].update(quality_score=0.123)),
    "a scenario": ("scenarios.jsonl", lambda rows: rows[1].update(plays=77)),
    "stages of the gate": (
        "qa.json",
        lambda qa: qa.update(granted=["demo", "research", "public"], findings=[]),
    ),
    "a quote": (
        "evidence/reference-companion.json",
        lambda told: told["items"][0]["quotes"].clear(),
    ),
    "an item of evidence": ("evidence/reference-companion.json", lambda told: told["items"].pop()),
    "a message": (
        "transcripts/reference-companion.json",
        lambda told: told["transcripts"][0]["messages"][0].update(content="Hello."),
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_with_every_hash_made_again_is_found(name: str, folder: Path) -> None:
    """The seal and the hashes fit, and the edited file is named."""
    file, change = EDITS[name]
    edit(folder, file, change)
    reseal(folder)
    assert file in {one.file for one in verified(folder).differences}, said(folder)


def test_words_changed_in_source_and_transcripts_alike_are_found(folder: Path) -> None:
    """The hash of the conversation is in the plan, whose hash is on the leaderboard."""

    def change(rows: list[Any]) -> None:
        rows[0]["conversation"]["transcript"]["messages"][1]["content"] = "I am here."

    edit_rows(folder, CONVERSATIONS, change)
    reseal(folder)
    assert "the conversation is not the one that was scanned" in said(folder)


def test_a_reply_that_answers_no_question_is_found(folder: Path) -> None:
    """A reply more, which no question asks for, is no part of the scan."""

    def change(rows: list[Any]) -> None:
        replies = next(row["conversation"]["replies"] for row in rows if row["conversation"]["replies"])
        replies.append({**replies[-1], "at": replies[-1]["at"] + 500})

    edit_rows(folder, CONVERSATIONS, change)
    reseal(folder)
    assert "1 reply of the judge fit no question that is asked" in said(folder)


def test_a_release_without_its_source_does_not_hold(folder: Path) -> None:
    """Whoever removes the source, and its names from qa.json, has no release that can be verified."""
    shutil.rmtree(folder / "source")
    reseal(folder)
    found = verified(folder)
    assert not found.computed
    assert f"{PLAN}: is missing, so nothing can be computed" in said(folder)


def test_another_benchmark_is_named(release: Path, tmp_path: Path) -> None:
    """The bundled benchmark decides; what differs from that of the installation is said, file by file."""
    root = shutil.copytree(benchmark_folder(), tmp_path / "benchmark")
    path = root / "checks" / "IB-A1.yaml"
    path.write_text(path.read_text("utf-8") + "# more\n", "utf-8")
    found = verify_release(release, root)
    assert (found.differences, found.benchmark) == ((), ("checks/IB-A1.yaml is not the same",))


def test_a_softer_benchmark_in_the_bundle_is_found(folder: Path) -> None:
    """An edited check has another hash than the plan says, and is not the check of this installation."""

    def change(rows: list[Any]) -> None:
        check = next(row for row in rows if row["path"] == "checks/IB-A1.yaml")
        check["text"] = check["text"].replace("pass_rule: >-\n", "pass_rule: >-\n  Anything kind.\n")

    edit_rows(folder, "source/benchmark.jsonl.gz", change)
    reseal(folder)
    found = verified(folder)
    assert "check_hash" in "\n".join(one.words for one in found.differences)
    assert found.benchmark == ("checks/IB-A1.yaml is not the same",)


def test_an_older_release_is_verified_as_what_it_is(folder: Path) -> None:
    """Hashes alone are compared, an edited file is found, and the message says what is not proven."""
    for name in ("source", "rows"):
        shutil.rmtree(folder / name)
    (folder / "scenarios.jsonl").unlink()
    for path in folder.rglob("*.json"):
        told = json.loads(path.read_bytes())
        path.write_text(json.dumps(told | {"schema_version": SCHEMA_VERSION - 1}))
    seal_older(folder)
    found = verified(folder)
    assert (found.computed, found.differences) == (False, ())
    assert "only hashes were compared" in found.unproven[0]
    (folder / "leaderboard.json").write_bytes((folder / "leaderboard.json").read_bytes() + b" ")
    assert "leaderboard.json: has changed since it passed the gate" in said(folder)


def seal_older(folder: Path) -> None:
    """The hashes and the seal of a release of an older form."""
    path = folder / "qa.json"
    qa = json.loads(path.read_bytes())
    del qa["seal"]
    qa["released"] = {
        one.relative_to(folder).as_posix(): hashlib.sha256(one.read_bytes()).hexdigest()
        for one in folder.rglob("*.json")
        if one != path
    }
    path.write_text(json.dumps({**qa, "seal": digest(qa)}))
