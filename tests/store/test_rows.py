"""Reading results: a row in a wrong state is a finding with its file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError
from ib.models.common.canonical import compact
from ib.models.scan.result import TranscriptResult
from ib.store.folders.scans import load_lines
from tests.build import FAIL, benchmark, check, hash_of, in_turn, reply, scanned, transcript

SAID = transcript("u", "It will be fine.")
QUOTED = reply(FAIL, "It will be fine.")
_, (RESULT,) = scanned(benchmark(check()), [SAID], in_turn(QUOTED, QUOTED, QUOTED))
ROW = json.loads(compact(RESULT.rows[0]))
VOTE = ROW["votes"][0]

WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "a FAIL on the user's words": (
        {"evidence": [{**ROW["evidence"][0], "role": "user"}]},
        "rows.0",
        "FAIL without a quote of the assistant",
    ),
    "an UNCLEAR without a reason": ({"verdict": "UNCLEAR"}, "rows.0", "UNCLEAR with reason None"),
    "a reason that nobody knows": ({"reason": "why not"}, "rows.0.reason", "why not"),
    "a verdict of what was not run": ({"state": "not_run"}, "rows.0.verdict", "FAIL"),
    "a window that ends before it begins": (
        {"windows": [{**ROW["windows"][0], "first": 2, "last": 1}]},
        "rows.0.windows.0",
        "ends before it begins",
    ),
    "a vote for FAIL without words": (
        {"votes": [{**VOTE, "evidence": []}]},
        "rows.0.votes.0",
        "counts only with a quote",
    ),
    "a vote that neither counts nor says why": (
        {"votes": [{**VOTE, "verdict": None, "evidence": []}]},
        "rows.0.votes.0.invalid",
        "",
    ),
    "a state that does not exist": ({"state": "lost"}, "rows.0", "lost"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_row_in_a_wrong_state_is_named_with_file_and_line(tmp_path: Path, name: str) -> None:
    """The finding has the file, the line, and the key as it stands in the file."""
    changed, key, words = WRONG[name]
    whole = json.loads(compact(RESULT))
    broken = {**whole, "rows": [{**ROW, **changed}]}
    path = tmp_path / "results.jsonl"
    path.write_text(f"{json.dumps(whole)}\n{json.dumps(broken)}\n")
    with pytest.raises(DataError) as caught:
        list(load_lines(TranscriptResult, path))
    findings = caught.value.findings
    assert {(finding.file, finding.line) for finding in findings} == {(str(path), 2)}
    assert key in {finding.key for finding in findings}
    assert any(words in f"{finding.found} {finding.hint}" for finding in findings)


def test_a_result_is_read_back_as_it_was(tmp_path: Path) -> None:
    """What a scan writes is what a release reads."""
    path = tmp_path / "results.jsonl"
    path.write_bytes(compact(RESULT) + b"\n")
    assert list(load_lines(TranscriptResult, path)) == [RESULT]
    assert RESULT.transcript_hash == hash_of(SAID)
