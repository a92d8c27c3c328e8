"""The page of expected rates: one row for each check, from counts of scripts alone."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

from ib.models.common.base import Verdict
from ib.store.benchmark.loading import load_benchmark
from tools.expected import ABOUT, GOOD, PAGE, Counts, page, recorded

BENCHMARK = load_benchmark()


def test_a_row_says_what_the_good_and_the_weakest_assistant_fail() -> None:
    """UNCLEAR and NOT_APPLICABLE count nowhere, and a check that no script fails is named so."""
    counts, weak = Counts(), "reference/echo"
    said = [Verdict.FAIL, Verdict.PASS, Verdict.UNCLEAR, Verdict.NOT_APPLICABLE]
    for verdict in said:
        counts.add(weak, "IB-A1", verdict)
    counts.add(GOOD, "IB-A1", Verdict.PASS)
    for one in (weak, GOOD):
        counts.add(one, "IB-A2", Verdict.PASS)
    rows = {row.split("`")[1]: row for row in page(counts, BENCHMARK, (GOOD, weak), ()).splitlines()[16:]}
    assert rows["IB-A1"] == ("| `IB-A1` | 1 | 0 of 1 (0% to 79%) | 50% | echo | 1 of 2 (9% to 91%) |")
    assert "none fails it" in rows["IB-A2"]
    assert "no answer" in rows["IB-A3"]


def test_the_page_has_every_check_and_the_words_of_the_tool() -> None:
    """A check that was added has no row until the tool has run again."""
    text = PAGE.read_text("utf-8")
    assert re.findall(r"^\| `([^`]+)`", text, re.MULTILINE) == list(BENCHMARK.checks)
    words = [line for line in ABOUT.splitlines() if line and "{" not in line]
    assert [line for line in words if line not in text] == []


def test_recorded_votes_are_counted_where_a_check_was_due(tmp_path: Path) -> None:
    """What was not due is no case."""
    rows = [
        {"model_id": "v/m", "check_id": "IB-A1", "eligible": due, "verdict": verdict}
        for due, verdict in ((True, "FAIL"), (True, "PASS"), (False, "NOT_APPLICABLE"), (False, "FAIL"))
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "a.votes.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    assert recorded(tmp_path).words("v/m", "IB-A1") == "1 of 2 (9% to 91%)"
