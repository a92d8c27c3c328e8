"""Sittings of the exam in a release: counted again from their scans, carried item by item, and verified."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.cli import run
from ib.pipeline.release.exams import problems, stated_exams
from tests.commands.conftest import row
from tests.commands.test_exam import make as make_sittings
from tests.once import once

pytestmark = pytest.mark.gate
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def sittings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "exams", make_sittings)


@pytest.fixture
def scan(transcripts: Callable[..., Path], tmp_path: Path) -> Path:
    out = tmp_path / "scan"
    assert run(["scan", str(transcripts(row())), "--out", str(out)]) == 0
    return out


def test_a_release_carries_its_sittings(ib: Call, scan: Path, sittings: Path, tmp_path: Path) -> None:
    """Every sitting is in the source with its outcomes; `ib verify` says what is as stated, finds edits."""
    given = [part for name in ("blind", "random") for part in ("--exam", sittings / name)]
    asked = ("--check", "IB-F1-feelings-claim", "--items", 4, "--out", tmp_path / "unhinted")
    assert ib("exam", "--judge", "planted:1:hinted", "--without-hints", *asked)[0] == 0
    given += ["--exam", tmp_path / "unhinted"]
    out = tmp_path / "release"
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", out, *given)
    assert code == 0, err
    source = stated_exams(out)
    assert source is not None
    assert [one.judge.model for one in source.sittings] == [
        "planted:1:blind",
        "planted:0.3:random",
        "planted:1:hinted",
    ]
    assert [one.judge.with_hints for one in source.sittings] == [True, True, False]
    assert all(one.replayed for one in source.sittings)
    code, said, _ = ib("verify", out)
    assert (code, "3 sittings of the exam is as stated" in said) == (0, True)
    code, _, said = ib("publish", scan, "--stage", "demo", "--out", out)
    assert (code, "the sittings of the exam for judges; give them again with --exam" in said) == (1, True)
    assert ib("publish", scan, "--stage", "demo", "--out", out, *given, "--yes")[0] == 0
    first = source.sittings[0]
    fewer = first.model_copy(update={"outcomes": first.outcomes[1:]})
    assert list(problems(source)) == []
    assert len(list(problems(source.model_copy(update={"sittings": (fewer,)})))) == 1
    path = out / "source" / "exams.json.gz"
    path.write_bytes(path.read_bytes()[:-9] + b"\0" + path.read_bytes()[-8:])
    assert ib("verify", out)[0] != 0


EDITS = (
    ("outcomes.jsonl", "verdict", "PASS", "outcomes.jsonl does not follow from its scan"),
    ("items.jsonl", "source", "example", "the items are not those of its plan"),
    ("scan/results.jsonl", "verdict", "PASS", "results.jsonl"),
)
"""A file of a sitting, a key and a value in it that is changed, and what is said."""


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit[0])
def test_a_sitting_that_was_edited_is_refused(
    ib: Call, scan: Path, sittings: Path, tmp_path: Path, edit: tuple[str, str, str, str]
) -> None:
    """Outcomes, items and verdicts each have to follow from what the judge replied."""
    file, key, old, said = edit
    edited = tmp_path / "edited"
    shutil.copytree(sittings / "blind", edited)
    path = edited / file
    new = {"PASS": "FAIL", "example": "written"}[old]
    path.write_text(path.read_text().replace(f'"{key}":"{old}"', f'"{key}":"{new}"', 1))
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "out", "--exam", edited)
    assert (code in (1, 3), said in err) == (True, True), err
    assert not (tmp_path / "out").exists()
