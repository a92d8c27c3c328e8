"""Sheets of exam items for readers, and what becomes of their answers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from ib.errors import DataError
from ib.exam.readings import judged
from ib.models.exam.readings import ReaderKind
from ib.store.benchmark.exam import read_readings
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from tools.exam_readings import merged, readings_of, report
from tools.exam_sheets import KeyLine, Pair, key_lines, pairs, write_sheets

CHECKS = ("IB-B7",)
TEXTS = ("a", "b")


@cache
def of_one_check() -> dict[str, list[Pair]]:
    return pairs(benchmark_folder(), load_benchmark(), CHECKS)


def sheets(folder: Path, seed: str = "s") -> list[KeyLine]:
    write_sheets(folder, load_benchmark(), of_one_check(), seed, 6)
    return list(key_lines(folder))


def right(one: KeyLine) -> dict[str, object]:
    """The answer of a reader who sees what was built."""
    seen = {one.after: one.must_fail, "b" if one.after == "a" else "a": one.base_fails}
    texts = TEXTS[: 1 if one.operator == "unedited" else 2]
    return {"item": one.number, **{name: "FAIL" if seen[name] else "PASS" for name in texts}}


def answered(folder: Path, sheet: int, reader: str, lines: list[dict[str, object]]) -> Path:
    path = folder / f"sheet-{sheet:02}.{reader}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_sheet_says_neither_edit_nor_truth_nor_order(tmp_path: Path) -> None:
    """Readers get rules and texts. The texts joined again are those of the item and of its base."""
    key = sheets(tmp_path)
    by_id = {pair.built.item.id: pair for found in of_one_check().values() for pair in found}
    orders = {one.after for one in key if one.operator != "unedited"}
    assert orders == {"a", "b"}, "the edited text is not always the same one"
    for one in key:
        path = tmp_path / "sheets" / f"sheet-{one.sheet:02}.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert set(lines[1]) >= {"check", "question", "fail_rule", "pass_rule"}
        shown = next(line for line in lines if line.get("item") == one.number)
        assert set(shown) <= {"item", "check", "country", "judged", "both", "a", "b"}
        after = [*shown.get("both", []), *shown[one.after]]
        messages = by_id[one.item].built.transcript.messages
        assert after == [f"{message.role.value}: {message.content}" for message in messages]


def test_a_rule_about_claims_stands_with_its_statements(tmp_path: Path) -> None:
    """A reader who judges claims needs what they are held to; other rules have none."""
    benchmark = load_benchmark()
    write_sheets(tmp_path, benchmark, pairs(benchmark_folder(), benchmark, ("IB-B3", "IB-A6")), "s", 40)
    rules = [
        rule
        for path in sorted((tmp_path / "sheets").iterdir())
        for rule in map(json.loads, path.read_text().splitlines())
        if "fail_rule" in rule
    ]
    statements = [entry.statement for entry in benchmark.corpus.entries]
    assert {rule["check"] for rule in rules} == {"IB-B3", "IB-A6"}
    assert all(rule.get("references") == (statements if rule["check"] == "IB-B3" else None) for rule in rules)


def test_the_same_seed_gives_the_same_sheets(tmp_path: Path) -> None:
    """Sheets and key are a function of benchmark and seed."""
    for name, seed in (("one", "s"), ("two", "s"), ("three", "t")):
        sheets(tmp_path / name, seed)
    one, two, three = (
        [path.read_bytes() for path in sorted((tmp_path / name).rglob("*.jsonl"))]
        for name in ("one", "two", "three")
    )
    assert one == two
    assert one != three


def test_an_edit_with_two_disputes_is_out_and_one_is_not(tmp_path: Path) -> None:
    """A reader who sees another verdict disputes the edit, unless it disputes the text before it, too."""
    key = [one for one in sheets(tmp_path) if one.operator == "cut"]
    sheet, lines = key[0].sheet, [right(one) for one in key]
    first = readings_of(tmp_path, answered(tmp_path, sheet, "one", lines), ReaderKind.MODEL)
    assert not any(one.disputes or one.disputes_base for one in first)
    lines[0][key[0].after] = "UNSURE"
    lines[1] = {name: "PASS" if said == "FAIL" else said for name, said in lines[1].items()}
    lines[1][key[1].after] = "FAIL"
    assert key[1].base_fails, "this reader sees both verdicts of the second item the other way round"
    second = readings_of(tmp_path, answered(tmp_path, sheet, "two", lines), ReaderKind.MODEL)
    checks = load_benchmark().checks
    found = judged([*first, *second], checks)
    assert found.summary is not None
    cell = found.summary.operators[0]
    assert (cell.operator, cell.read, cell.disputed, cell.of_text, cell.out) == ("cut", 6, 1, 1, False)
    assert found.items == {key[0].item, key[1].item}
    assert (found.summary.disputed, found.summary.read) == (2, 6)
    assert found.summary.label_error is not None
    assert found.summary.label_error > 2 / 6
    lines[2][key[2].after] = "FAIL"
    again = readings_of(tmp_path, answered(tmp_path, sheet, "two", lines), ReaderKind.MODEL)
    every = merged([*first, *second], again)
    assert len(every) == 12, "the second answers of a reader take the place of its first"
    found = judged(every, checks)
    assert found.drops("cut", checks["IB-B7"].bucket)
    assert found.summary is not None
    assert found.summary.label_error is None, "no item is left that was read and is used"
    assert "OUT" in "\n".join(report(every, checks))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"item": 99}, "the sheet has no item 99"),
        ({"item": 2}, "item 2 is answered twice"),
        ({"a": "MAYBE"}, "a: found 'MAYBE'"),
        ({"b": None}, "b: does not fit the item"),
        (None, "no answer for item 1"),
    ],
)
def test_answers_that_do_not_fit_their_sheet_are_named(
    tmp_path: Path, change: dict[str, object] | None, said: str
) -> None:
    """Each flaw is an error with file and line."""
    key = [one for one in sheets(tmp_path) if one.operator == "cut"]
    lines = [right(one) for one in key]
    lines = lines[1:] if change is None else [*lines[1:], {**lines[0], **change}]
    path = answered(tmp_path, key[0].sheet, "one", lines)
    with pytest.raises(DataError) as caught:
        readings_of(tmp_path, path, ReaderKind.MODEL)
    assert said in str(caught.value)


def test_a_file_of_readings_is_refused_by_line(tmp_path: Path) -> None:
    """A check that is not there, an item read twice by one reader, and a line of another form."""
    key = [one for one in sheets(tmp_path) if one.operator == "cut"]
    path = answered(tmp_path, key[0].sheet, "one", [right(one) for one in key])
    first = readings_of(tmp_path, path, ReaderKind.MODEL)[0].model_dump(mode="json")
    file = tmp_path / "readings.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in (first, first, {**first, "check": "IB-F9"}, {})))
    with pytest.raises(DataError) as caught:
        read_readings(file, load_benchmark().checks)
    assert f":2: reader: one has read {first['item']} in another line" in str(caught.value)
    assert ":3: check: the benchmark has no check IB-F9" in str(caught.value)
    assert ":4: item" in str(caught.value)
