"""What `ib export` writes, read by the released tools of its readers."""

from __future__ import annotations

import importlib
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries, write_eval_log

from delivery.export.registry import FORMS, LOGS
from delivery.export.writing import write_export
from ib.cli import run
from tests.pipeline.verifying import released
from voting import verdicts


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small release."""
    return released(tmp_path_factory)


@pytest.fixture(scope="module")
def logs(release: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """The logs of the release in both formats, by the endings of their names."""
    folder = tmp_path_factory.mktemp("logs")
    for ending, form in LOGS.items():
        write_export(form, release, folder / ending)
    return {ending: sorted((folder / ending).glob(f"*.{ending}")) for ending in LOGS}


@pytest.mark.parametrize("ending", LOGS)
def test_inspect_reads_its_log(logs: dict[str, list[Path]], ending: str) -> None:
    """Whole, and in summaries as `inspect view` shows them; a verdict is a word."""
    assert logs[ending]
    for path in logs[ending]:
        log = read_eval_log(str(path))
        assert log.samples
        assert log.status == "success"
        assert {one.id for one in read_eval_log_sample_summaries(str(path))} == {
            one.id for one in log.samples
        }
        words = {word for one in log.samples for word in verdicts(one, "invisiblebench").values()}
        assert words <= {"PASS", "FAIL", "CONTESTED", "UNCLEAR", "NOT_APPLICABLE"}


def test_mlcroissant_reads_its_description(release: Path, tmp_path: Path) -> None:
    """Without an error, and the records of its table are the lines of the file."""
    mlcroissant = pytest.importorskip("mlcroissant")
    write_export(FORMS["croissant"], release, tmp_path / "croissant")
    dataset = mlcroissant.Dataset(jsonld=str(tmp_path / "croissant" / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    (table,) = dataset.metadata.record_sets
    lines = (tmp_path / "croissant" / "verdicts.jsonl").read_bytes().splitlines()
    assert len(list(dataset.records(table.id))) == len(lines) > 0


def test_inspect_packs_a_log_as_the_export_does(logs: dict[str, list[Path]], tmp_path: Path) -> None:
    """Inspect writes the log in JSON as .eval: members, log and summaries are those of the export in .eval.

    `ib import` reads the same conversations from all three.
    """
    path, ours, theirs = logs["json"][0], logs["eval"][0], tmp_path / "log.eval"
    write_eval_log(read_eval_log(str(path)), str(theirs))
    assert names(ours) == names(theirs)
    plain, first, second = (
        read_eval_log(str(one)).model_dump(exclude=PLACES) for one in (path, ours, theirs)
    )
    assert plain == first == second
    assert summaries(ours) == summaries(theirs)
    for one in (path, ours, theirs):
        assert run(["import", str(one), "--out", str(tmp_path / f"{one.name}.jsonl")]) == 0
    read = {(tmp_path / f"{one.name}.jsonl").read_bytes() for one in (path, ours, theirs)}
    assert len(read - {b""}) == 1


PLACES = {"location", "etag"}
"""The keys of a log that say where it was read."""


def names(path: Path) -> list[str]:
    """The members of a packed log, in their order."""
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def summaries(path: Path) -> list[dict[str, Any]]:
    """The summaries of a log without their metadata: the export leaves out what is long, Inspect says so."""
    found = [one.model_dump(exclude={"metadata"}) for one in read_eval_log_sample_summaries(str(path))]
    for one in found:
        for score in one["scores"].values():
            score.pop("metadata")
    return found


def test_every_eval_ever_finds_nothing_to_say(release: Path, tmp_path: Path) -> None:
    """Neither errors nor warnings: schema, paths, companion files, identities, scores."""
    sys.path.append(str(Path(sys.prefix) / "every-eval-ever"))
    try:
        validate = importlib.import_module("every_eval_ever.validator.validate").main
    finally:
        sys.path.pop()
    write_export(FORMS["every-eval-ever"], release, tmp_path / "every")
    made = [path for path in (tmp_path / "every").rglob("*") if path.suffix in (".json", ".jsonl")]
    assert made
    assert validate([*map(str, made)]) == 0
