"""What `ib export` writes, read by the released tools of its readers."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries, write_eval_log

from delivery.export.registry import FORMS
from delivery.export.writing import write_export
from ib.cli import run
from tests.pipeline.verifying import released
from voting import verdicts


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small release."""
    return released(tmp_path_factory)


def test_inspect_reads_its_log(release: Path, tmp_path: Path) -> None:
    """Whole, and in summaries as `inspect view` shows them; a verdict is a word."""
    write_export(FORMS["inspect"], release, tmp_path / "logs")
    logs = sorted((tmp_path / "logs").glob("*.json"))
    assert logs
    for path in logs:
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


def test_a_log_has_the_same_verdicts_in_the_other_format(release: Path, tmp_path: Path) -> None:
    """Inspect writes it as .eval, and `ib import` reads the same conversations from it."""
    write_export(FORMS["inspect"], release, tmp_path / "logs")
    path = min((tmp_path / "logs").glob("*.json"))
    packed = path.with_suffix(".eval")
    write_eval_log(read_eval_log(str(path)), str(packed))
    again = read_eval_log(str(packed))
    first = {one.id: verdicts(one, "invisiblebench") for one in read_eval_log(str(path)).samples or []}
    assert {one.id: verdicts(one, "invisiblebench") for one in again.samples or []} == first
    for one in (path, packed):
        assert run(["import", str(one), "--out", f"{one}.jsonl"]) == 0
    assert Path(f"{packed}.jsonl").read_bytes() == Path(f"{path}.jsonl").read_bytes() != b""


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
