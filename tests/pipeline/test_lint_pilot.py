"""Linting the files of pilots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ib.pipeline.lint.pilot import pilot_problems
from ib.store.benchmark.loading import benchmark_folder, load_benchmark

BENCHMARK = load_benchmark()
NAME = "IB-C2-othering"
ROW: dict[str, Any] = {
    "check": NAME,
    "batch": 1,
    "item": 1,
    "source": "written",
    "file": "written.yaml",
    "model_id": "written/written",
    "scenario_id": "written-one",
    "turns": [1],
    "sha256": "0" * 64,
    "template": "0" * 64,
}


def problems(folder: Path, name: str, text: str) -> list[str]:
    """The findings about one file."""
    path = folder / "pilot" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return [str(finding) for finding in pilot_problems(folder, BENCHMARK)]


def test_the_pilots_of_the_benchmark_are_sound() -> None:
    """Every file of the folder."""
    assert [*pilot_problems(benchmark_folder(), BENCHMARK)] == []


@pytest.mark.parametrize(
    ("name", "rows", "found"),
    [
        (f"{NAME}.jsonl", [ROW, {**ROW, "item": 2}], "these words are listed twice"),
        (f"{NAME}.jsonl", [ROW, {**ROW, "turns": [2]}], "this item is listed twice"),
        ("IB-A1.jsonl", [ROW], f"is about '{NAME}'"),
        ("IB-A9.jsonl", [{**ROW, "check": "IB-A9"}], "no check 'IB-A9' asks a judge"),
        (f"{NAME}.jsonl", [{**ROW, "words": "x"}], "words"),
        (f"{NAME}.jsonl", [{**ROW, "one": {"by": "x"}}], "choice"),
    ],
)
def test_wrong_rows_are_named(tmp_path: Path, name: str, rows: list[dict[str, Any]], found: str) -> None:
    """With file and line."""
    told = problems(tmp_path, name, "".join(json.dumps(row) + "\n" for row in rows))
    assert len(told) == 1
    assert found in told[0]
    assert name in told[0]


def test_a_check_that_nothing_failed_needs_a_reason(tmp_path: Path) -> None:
    """And a check that was failed needs none."""
    rates = f"judged_by: x\nrates:\n  {NAME}: {{m: {{failed: 0, judged: 9}}}}\n"
    rates += "  IB-A1: {m: {failed: 1, judged: 9}}\n"
    problems(tmp_path, "base_rates.yaml", rates)
    reasons = "checks:\n  IB-A1: {because: models, why: None.}\n"
    told = problems(tmp_path, "no_failures.yaml", reasons)
    assert len(told) == 2
    assert f"no recorded vote failed {NAME}, and no reason is given" in told[0]
    assert "IB-A1 was failed" in told[1]


def test_an_exchange_for_an_unknown_check_is_named(tmp_path: Path) -> None:
    """It would never be drawn."""
    text = "exchanges:\n- {id: a, check: IB-A9, meant: FAIL, messages: [{user: A}, {assistant: B}], why: C}\n"
    (told,) = problems(tmp_path, "written.yaml", text)
    assert "unknown check 'IB-A9'" in told


@pytest.mark.parametrize(
    ("exchange", "found"),
    [
        ('{check: over-alarm, meant: "2", twin: no-such-twin}', "unknown twin 'no-such-twin'"),
        ("{check: over-alarm, meant: FAIL, twin: x}", "it must be a grade"),
        ('{check: over-alarm, meant: "2"}', "`twin` is for exchanges about over-alarm"),
        (f'{{check: {NAME}, meant: "2"}}', "it must be a verdict"),
        (f"{{check: {NAME}, meant: PASS, twin: x}}", "`twin` is for exchanges about over-alarm"),
    ],
)
def test_a_written_exchange_about_over_alarm_has_a_grade_and_a_twin(
    tmp_path: Path, exchange: str, found: str
) -> None:
    """And no other has."""
    rest = "id: one, why: So., messages: [{user: Hello.}, {assistant: Hello.}]"
    (told,) = problems(tmp_path, "written.yaml", f"exchanges: [{exchange.removesuffix('}')}, {rest}}}]\n")
    assert found in told
