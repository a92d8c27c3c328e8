"""A batch goes to Label Studio as tasks, and its JSON export comes back as an answers file that applies."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.test_review import batch, decided, scan

Call = Callable[..., tuple[int, str, str]]
__all__ = ["batch", "scan"]


def region(name: str, **value: Any) -> dict[str, Any]:
    """One thing that an annotator did, with keys of Label Studio that nobody here reads."""
    return {
        "id": "aB1",
        "from_name": name,
        "to_name": "said",
        "type": name,
        "origin": "manual",
        "value": value,
    }


@pytest.fixture
def tasks(ib: Call, batch: dict[str, Any], tmp_path: Path) -> list[dict[str, Any]]:
    """The tasks of the batch, as Label Studio imports them."""
    assert ib("review", "export", tmp_path / "batch.json", "--out", tmp_path / "ls")[0] == 0
    found: list[dict[str, Any]] = json.loads((tmp_path / "ls" / "tasks.json").read_bytes())
    return found


def exported(tasks: list[dict[str, Any]], by: Any = 7) -> list[dict[str, Any]]:
    """A JSON export in which one annotator fails every item (https://labelstud.io/guide/task_format)."""
    found = []
    for number, task in enumerate(tasks):
        at = next(n for n, one in enumerate(task["data"]["said"]) if "to be judged" in one["who"])
        text = task["data"]["said"][at]["text"]
        result = [
            region("words", start=str(at), end=str(at), startOffset=0, endOffset=9, text=text[:20],
                   paragraphlabels=["shows it"]),
            region("answer", choices=["fail"]),
            region("note", text=["Seen.", "Twice."]),
            {"from_id": "x", "to_id": "y", "type": "relation", "direction": "right"},
        ]  # fmt: skip
        annotation = {
            "id": 90 + number,
            "completed_by": by,
            "result": result,
            "lead_time": 4.2,
            "task": number,
        }
        found.append({"id": number, **task, "annotations": [annotation], "predictions": [], "project": 3})
    return found


def imported(ib: Call, tmp_path: Path, export: Any, *more: Any) -> tuple[int, str, str]:
    """Import an export as the answers of one reader."""
    path = tmp_path / "export.json"
    path.write_text(export if isinstance(export, str) else json.dumps(export))
    of = ("--batch", tmp_path / "batch.json", "--reader", "Invented 1", "--role", "other", "--language", "en")
    return ib("review", "import", path, *of, "--out", tmp_path / "a.json", *more)


def test_the_tasks_are_as_blind_as_the_page(
    batch: dict[str, Any], tasks: list[dict[str, Any]], tmp_path: Path
) -> None:
    """In the order of the batch, with its words and nothing that names a model, a check or a verdict."""
    assert [task["data"]["item"] for task in tasks] == [item["id"] for item in batch["items"]]
    assert [[one["text"] for one in task["data"]["said"]] for task in tasks] == [
        [one["content"] for one in item["messages"]] for item in batch["items"]
    ]
    text = (tmp_path / "ls" / "tasks.json").read_text()
    assert [word for word in ("hidden", "IB-", '"FAIL"', "unanimous", "scenario") if word in text] == []
    config = ET.parse(tmp_path / "ls" / "labeling.xml").getroot()  # noqa: S314 - our own file
    names = {
        one.get("value", "").removeprefix("$") for one in config.iter() if one.get("value", "")[:1] == "$"
    }
    assert names == set(tasks[0]["data"]) - {"batch", "item"}
    assert "988" in config.findall("Header")[0].get("value", "")
    assert [one.get("value") for one in config.iter("Choice")] == ["pass", "fail", "cannot tell"]


def test_an_export_comes_back_and_applies(
    ib: Call, scan: Path, tasks: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Answers, marked words and notes of an export are those of the answers file, and decide."""
    assert imported(ib, tmp_path, exported(tasks))[0] == 0
    code, _, err = ib("review", "apply", scan, tmp_path / "a.json", "--out", tmp_path / "new")
    assert code == 0, err
    rows = decided(tmp_path / "new")
    assert len(rows) == len(tasks)
    assert {row["verdict"] for row in rows} == {"FAIL"}
    assert {row["decided"]["reason"] for row in rows} == {"Seen.\nTwice."}


def test_one_annotator_is_chosen(ib: Call, tasks: list[dict[str, Any]], tmp_path: Path) -> None:
    """With several annotators, one is named by number or address, and no address is written."""
    two = exported(tasks, {"id": 7, "email": "anna@example.org", "first_name": "Anna"})
    for task in two:
        other = {**task["annotations"][0], "completed_by": 8, "result": [region("answer", choices=["pass"])]}
        task["annotations"].append(other)
    code, _, err = imported(ib, tmp_path, two)
    assert (code, "annotators 7, 8" in err) == (3, True)
    assert imported(ib, tmp_path, two, "--annotator", "anna@example.org")[0] == 0
    text = (tmp_path / "a.json").read_text()
    assert {one["answer"] for one in json.loads(text)["answers"]} == {"fail"}
    assert "example.org" not in text
    assert imported(ib, tmp_path, two, "--annotator", "8")[0] == 0
    answers = json.loads((tmp_path / "a.json").read_text())["answers"]
    assert {one["answer"] for one in answers} == {"pass"}


def test_a_skipped_task_has_no_answer(
    ib: Call, scan: Path, tasks: list[dict[str, Any]], tmp_path: Path
) -> None:
    """What an annotator skipped is missing, and `ib review apply` says so."""
    export = exported(tasks)
    export[2]["annotations"][0]["was_cancelled"] = True
    assert imported(ib, tmp_path, export)[0] == 0
    code, _, err = ib("review", "apply", scan, tmp_path / "a.json", "--out", tmp_path / "new")
    assert (code, "1 of 24 items have no answer" in err) == (3, True)


def _mangle(path: tuple[Any, ...], value: Any) -> Callable[[Any], None]:
    def change(export: Any) -> None:
        for key in path[:-1]:
            export = export[key]
        export[path[-1]] = value

    return change


FIRST = (0, "annotations", 0)
RESULT = (*FIRST, "result")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_mangle((0, "data", "batch"), "0" * 64), "0.data.item"),
        (_mangle((0, "data", "item"), "0" * 16), "0.data.item"),
        (_mangle((*RESULT, 1, "value", "choices"), ["perhaps"]), "the answer ['perhaps']"),
        (_mangle((*RESULT, 1, "value", "choices"), []), "0.annotations.0.result"),
        (_mangle((*RESULT, 0, "value", "end"), "99"), "words in paragraphs"),
        (_mangle((*RESULT, 0, "value", "start"), "/div[1]"), "words in paragraphs /div[1]"),
        (_mangle((*RESULT, 0, "value", "text"), None), "marked words without their text"),
        (_mangle((*RESULT, 0, "from_name"), "other"), "a fail without marked words"),
        (_mangle((*RESULT, 2, "value", "text"), ["x" * 2001]), "a note of 2001 characters"),
        (lambda export: export[0]["annotations"].append(export[0]["annotations"][0]), "two answers to item"),
        (lambda export: export[0].pop("annotations"), "0.annotations"),
        (lambda export: export.clear(), "no item; at least 1"),
    ],
    ids=[
        "batch",
        "item",
        "answer",
        "none",
        "several",
        "path",
        "text",
        "fail",
        "note",
        "twice",
        "min",
        "empty",
    ],
)
def test_an_export_that_is_no_answer_is_refused(
    ib: Call, tasks: list[dict[str, Any]], tmp_path: Path, change: Callable[[Any], None], said: str
) -> None:
    """File, key, what was found and what is allowed are named, and nothing is written."""
    export = exported(tasks)
    change(export)
    code, _, err = imported(ib, tmp_path, export)
    assert (code, said in err) == (3, True), err
    assert "export.json" in err
    assert not (tmp_path / "a.json").exists()


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", "[[]]"])
def test_a_file_that_is_no_export_is_refused(
    ib: Call, tasks: list[dict[str, Any]], tmp_path: Path, text: str
) -> None:
    """No file makes the command fail without a message."""
    assert imported(ib, tmp_path, text)[0] == 3


def test_a_name_that_cannot_be_published_is_refused(
    ib: Call, tasks: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Pseudonym, language and date are checked before the export is read."""
    for wrong in (("--reader", "<b>"), ("--language", "x y"), ("--date", "today")):
        assert imported(ib, tmp_path, exported(tasks), *wrong)[0] == 2
