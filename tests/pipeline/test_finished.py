"""Resuming a finished scan: recognized by its inputs, without planning it again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from ib.models.common.settings import CallLimits, ModelSettings
from ib.models.scan.part import Part, Sampling
from ib.pipeline.common.configured import Calling
from ib.pipeline.scan.finished import LEFT_OUT, finished_plan, inputs_hash
from ib.pipeline.scan.prepare import ScanOptions
from ib.store.folders import scans
from tests.build import transcript
from tests.commands.conftest import ib, row, transcripts  # noqa: F401 - fixtures

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
LEXICAL = ScanOptions(profile="publish", judge="lexical")
CHANGED: dict[str, Any] = {
    "hints": False,
    "profile": "full",
    "regard": True,
    "rubrics": True,
    "drafts": ("IB-Z9",),
    "part": Part(limit=3),
    "redact": ("own",),
    "sampling": Sampling(n=3),
    "rejudges": "0" * 64,
}
"""Another value of each option that is part of the hash."""


@pytest.fixture
def finished(ib: Call, transcripts: Write, tmp_path: Path) -> tuple[Path, Path]:  # noqa: F811
    """The transcripts and the folder of a finished scan."""
    path, out = transcripts(row()), tmp_path / "scan"
    assert ib("scan", path, "--profile", "publish", "--judge", "lexical", "--out", out)[0] == 0
    return path, out


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_finished_scan_is_recognized_without_planning(finished: tuple[Path, Path]) -> None:
    """Its plan is read, not made."""
    path, out = finished
    found = finished_plan([path], LEXICAL, out)
    assert found == scans.ScanFolder(out).plan()


def test_resuming_a_finished_scan_succeeds_and_changes_nothing(
    ib: Call,  # noqa: F811
    finished: tuple[Path, Path],
) -> None:
    """Exit 0, said in words; also if the inputs have to be planned again to find out."""
    path, out = finished
    arguments = ("scan", path, "--profile", "publish", "--judge", "lexical", "--out", out, "--resume")
    for _ in range(2):
        before = content(out)
        code, said, err = ib(*arguments)
        assert (code, "the scan is complete; nothing was asked" in err) == (0, True)
        assert said.startswith("scanned 1 transcript,")
        assert content(out) == before
        manifest = json.loads(before[scans.MANIFEST])
        (out / scans.MANIFEST).write_text(json.dumps({**manifest, "inputs_hash": None}))


def test_resuming_with_other_inputs_is_refused(
    ib: Call,  # noqa: F811
    transcripts: Write,  # noqa: F811
    finished: tuple[Path, Path],
) -> None:
    """A finished scan of something else is no answer."""
    path, out = finished
    other = transcripts(row(scenario="other"), name="other.jsonl")
    before = content(out)
    for source, profile in ((other, "publish"), (path, "full")):
        code, _, err = ib(
            "scan", source, "--profile", profile, "--judge", "lexical", "--out", out, "--resume"
        )
        assert (code, "complete scan of other inputs" in err) == (2, True)
        assert content(out) == before


def test_every_option_is_in_the_hash_or_left_out_with_a_reason() -> None:
    """An option that is added later is part of the hash, unless it is listed."""
    names = {field.name for field in fields(ScanOptions)}
    assert names == {*CHANGED, *LEFT_OUT}
    base = inputs_hash([transcript("u", "a")], LEXICAL)
    for name, value in CHANGED.items():
        assert inputs_hash([transcript("u", "a")], replace(LEXICAL, **{name: value})) != base, name
    for calling, same in (
        (Calling(limits=CallLimits(max_calls=3)), True),
        (Calling(ModelSettings(temperature=0.5)), False),
        (Calling(config=Path(__file__)), False),
    ):
        assert (inputs_hash([transcript("u", "a")], replace(LEXICAL, calling=calling)) == base) == same


def test_every_file_is_in_the_hash(tmp_path: Path) -> None:
    """Transcripts in any order, the votes of a recording, and the files of the benchmark."""
    one, two, votes = (tmp_path / name for name in ("one", "two", "votes.jsonl"))
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "file.yaml").write_text("a")
    for path in (one, two, votes):
        path.write_text(path.name)
    options = ScanOptions(profile="publish", judge=f"recorded:{votes}", benchmark=pack)
    base = inputs_hash([one, two], options)
    assert inputs_hash([two, one], options) == base
    assert inputs_hash([one], options) != base
    for path in (one, votes, pack / "file.yaml"):
        before = path.read_text()
        path.write_text("changed")
        assert inputs_hash([one, two], options) != base
        path.write_text(before)
    assert inputs_hash([one, two], options) == base


def test_an_input_that_can_be_read_once_has_no_hash(tmp_path: Path) -> None:
    """A pipe is left for the scan to read."""
    assert inputs_hash([Path("/dev/stdin")], LEXICAL) is None or Path("/dev/stdin").is_file()
    assert inputs_hash([tmp_path / "missing"], LEXICAL) is None
    assert inputs_hash([], ScanOptions()) is None
