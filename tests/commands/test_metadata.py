"""The log's own id and the chosen metadata of a conversation, from a transcript to its result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ib as api
from ib.models.common.canonical import compact
from ib.store.folders.scans import RESULTS, ScanFolder
from tests.commands.conftest import Row, row

Ib = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
LOGGED: dict[str, Any] = {"provenance": {"source": {"form": "openai", "file": "a.jsonl", "id": "talk 7/b"}}}
META = {"version": "2.1", "channel": "app"}


def results(ib: Ib, path: Path, out: Path) -> list[dict[str, Any]]:
    """The lines of a smoke scan, as data."""
    assert ib("scan", path, "--out", out)[0] == 0
    return [json.loads(line) for line in (out / RESULTS).read_bytes().splitlines()]


def test_a_result_has_the_names_of_the_log(ib: Ib, transcripts: Write, tmp_path: Path) -> None:
    """The log's own id and the metadata are in the line of the result, and in the value that reads it."""
    (line,) = results(ib, transcripts(row(meta=META, **LOGGED)), tmp_path / "scan")
    assert (line["log_id"], line["meta"]) == ("talk 7/b", META)
    (result,) = ScanFolder(tmp_path / "scan").results()
    assert (result.log_id, result.meta) == ("talk 7/b", META)


def test_metadata_changes_nothing_else(ib: Ib, transcripts: Write, tmp_path: Path) -> None:
    """Rows, score and comparability key are those of the conversation without it; its line has no new key."""
    (plain,) = results(ib, transcripts(row()), tmp_path / "plain")
    (named,) = results(ib, transcripts(row(meta=META), name="n.jsonl"), tmp_path / "named")
    assert not plain.keys() & {"log_id", "meta"}
    assert {**named, "transcript_hash": ""} == {**plain, "transcript_hash": "", "meta": META}
    keys = {ScanFolder(tmp_path / name).plan().comparability_key for name in ("plain", "named")}
    assert len(keys) == 1
    assert (tmp_path / "plain" / RESULTS).read_bytes() == compact(plain) + b"\n"


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a list": ({"version": ["2.1"]}, "meta.version"),
    "null": ({"version": None}, "meta.version"),
    "no text": ({"version": ""}, "meta.version"),
    "a long text": ({"version": "v" * 201}, "meta.version"),
    "a name with a space": ({"my version": "2"}, "meta"),
}


@pytest.mark.parametrize("name", WRONG)
def test_metadata_of_another_form_is_named(name: str, ib: Ib, transcripts: Write, tmp_path: Path) -> None:
    """A value is a text of at most 200 characters, and a name has no spaces: file, line and key say where."""
    meta, key = WRONG[name]
    path = transcripts(row(), row(scenario="night-02", meta=meta))
    code, _, told = ib("scan", path, "--out", tmp_path / "scan")
    assert code == 3
    assert f"{path}:2: {key}" in told


def test_numbers_and_truths_are_metadata_too(ib: Ib, transcripts: Write, tmp_path: Path) -> None:
    """They are kept as texts, so that groups have one kind of name."""
    given: Row = row(meta={"version": 3, "share": 0.5, "paid": True})
    (line,) = results(ib, transcripts(given), tmp_path / "scan")
    assert line["meta"] == {"version": "3", "share": "0.5", "paid": "true"}


def test_python_gives_ids_and_metadata(tmp_path: Path) -> None:
    """`Transcript.from_messages` takes an id in any form, also next to a provenance."""
    talk = [("user", "I'm so tired."), ("assistant", "Tired, and nobody helps?")]
    plain = api.Transcript.from_messages("my/bot", "a", talk, log_id="Fall \u00e4/1", meta={"version": 3})
    known = api.Transcript.from_messages("my/bot", "b", talk, log_id="2", provenance={"date": "2026-01-02"})
    assert known.provenance is not None
    assert (known.provenance.date, known.log_id) == ("2026-01-02", "2")
    found = [(one.log_id, one.meta) for one in api.scan([plain, known], out=tmp_path / "scan").results()]
    assert found == [("Fall \u00e4/1", {"version": "3"}), ("2", {})]
