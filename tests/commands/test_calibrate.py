"""`ib calibrate`: labels of several annotators beside a scan, the edit that it proposes, and bad labels."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ib.errors import DataError
from ib.models.benchmark.wording import wording_hash
from ib.models.common.canonical import digest
from ib.pipeline.release.bundle import bundled, unpack
from ib.store.benchmark.loading import load_benchmark
from tests.commands.conftest import row
from tests.commands.test_review import answers, batch, scan
from tests.commands.test_review_label_studio import exported, tasks
from tests.once import once

__all__ = ["batch", "scan", "tasks"]
Call = Callable[..., tuple[int, str, str]]
Row = dict[str, Any]
EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "refunds"
CHECK = "RF-B1-refund-promised"
TRUTH = ["FAIL" if at % 3 == 0 else "PASS" for at in range(60)]
"""20 of 60 conversations fail. The judge errs on the first and the second, one annotator on the fourth."""
ROLES = ("ann=clinician:blind", "ben=caregiver:blind", "cat=other:Cat 3:blind")
WHO = tuple(part for role in ROLES for part in ("--annotator", role))


def lines(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def make_scan(folder: Path) -> None:
    """A scan of 60 logs by recorded votes, which answer the question of today."""
    from ib.cli import run

    world = load_benchmark(EXAMPLE)
    prompt = digest([digest(world.frame), digest(world.checks[CHECK].prompt)])
    said = {1: "Where is my money?", 2: "And when?"}
    logs = [
        {
            "model_id": "shop/bot",
            "model": "bot",
            "scenario_id": f"log-{at}",
            "messages": [
                {"turn": turn, "role": role, "content": text}
                for turn, asked in said.items()
                for role, text in (("user", asked), ("assistant", "You will have it back."))
            ],
        }
        for at in range(60)
    ]
    said_by_judge = ["PASS", "FAIL", *TRUTH[2:]]
    votes = [
        {
            "model_id": "shop/bot",
            "scenario_id": f"log-{at}",
            "check_id": CHECK,
            "eligible": True,
            "verdict": verdict,
            "votes": [verdict] * 3,
            "judge_model": "lab/judge",
            "prompt_hash": prompt,
            "evidence": [{"role": "assistant", "turn": 1, "quote": "You will have it back."}],
        }
        for at, verdict in enumerate(said_by_judge)
    ]
    recorded = f"recorded:{lines(folder / 'v.votes.jsonl', votes)}"
    told = ["--judge", recorded, "--profile", "publish", "--benchmark", str(EXAMPLE)]
    assert run(["scan", str(lines(folder / "t.jsonl", logs)), *told, "--out", str(folder / "scan")]) == 0


@pytest.fixture
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scan of 60 logs. No test changes it."""
    return once(tmp_path_factory, "calibrate-scan", make_scan) / "scan"


def labels(**changes: Any) -> list[Row]:
    """What an annotator says of all 60: the truth, with turn 1 for each FAIL."""
    return [
        {
            "id": f"log-{at}",
            "check": CHECK,
            "label": label,
            "turns": [1] if label == "FAIL" else [],
            **changes,
        }
        for at, label in enumerate(TRUTH)
    ]


def label_files(folder: Path) -> list[Path]:
    """The labels of three annotators: two in files of their own names, the third by a key of each line."""
    ben = labels()
    ben[3] = {**ben[3], "label": "PASS", "turns": []}
    return [
        lines(folder / "ann.jsonl", labels()),
        lines(folder / "ben.jsonl", ben),
        lines(folder / "third.jsonl", labels(annotator="cat")),
    ]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """The labels of three annotators."""
    return label_files(tmp_path)


@pytest.fixture
def compare(ib: Call, judged: Path) -> Call:
    """`ib calibrate` on the scan of 60 logs."""

    def call(*arguments: object) -> tuple[int, str, str]:
        return ib("calibrate", judged, *arguments, "--benchmark", EXAMPLE)

    return call


@pytest.fixture
def edited(tmp_path_factory: pytest.TempPathFactory, judged: Path, tmp_path: Path) -> Path:
    """A copy of the benchmark to which the proposed edit was applied, with the edit beside it."""

    def make(folder: Path) -> None:
        from ib.cli import run

        told = [str(judged), *map(str, label_files(folder)), *WHO, "--benchmark", str(EXAMPLE)]
        assert run(["calibrate", *told, "--out", str(folder / "edit.diff")]) == 0
        root = shutil.copytree(EXAMPLE, folder / "refunds")
        subprocess.run(["git", "apply", folder / "edit.diff"], cwd=root, check=True)

    shutil.copytree(once(tmp_path_factory, "calibrate-edited", make), tmp_path / "made")
    return tmp_path / "made" / "refunds"


def test_the_report_has_the_figures_of_three_annotators(compare: Call, files: list[Path]) -> None:
    """By hand: 19 of 20 failures, 39 of 40 others, 59 or 60 agreed by each pair, and always the same turn."""
    code, out, err = compare(*files, *WHO, "--json")
    assert code == 0, err
    told = json.loads(out)["checks"][CHECK]
    assert (told["status"], told["lacks"]) == ("validated", [])
    figures = told["figures"]
    assert figures["table"] == {"FAIL": {"FAIL": 19, "PASS": 1}, "PASS": {"FAIL": 1, "PASS": 39}}
    assert (figures["same_turn"]["k"], figures["same_turn"]["n"]) == (19, 19)
    pairs = {(one["one"], one["other"]): one["on_fail"]["agreed"] for one in figures["pairs"]}
    assert pairs == {("Cat 3", "ann"): 60, ("Cat 3", "ben"): 59, ("ann", "ben"): 59}
    by_chance = (20 / 60) ** 2 + (40 / 60) ** 2
    assert figures["judge"]["kappa"] == pytest.approx((58 / 60 - by_chance) / (1 - by_chance), abs=5e-5)
    code, out, _ = compare(*files, *WHO)
    assert "sensitivity 19 of 20" in out
    assert "UNCLEAR of the judge counts as no FAIL" in out


def test_the_edit_is_proposed_and_counted_again(ib: Call, edited: Path) -> None:
    """The patch applies, has no word of a conversation, and the check is then validated for this judge."""
    check = load_benchmark(edited).checks[CHECK]
    assert (check.calibration.shown, check.calibration.gold_n) == ("validated", 0)
    assert "sensitivity 19 of 20" in check.calibration.note
    assert "money" not in (edited.parent / "edit.diff").read_text()
    assert wording_hash(check, load_benchmark(edited)) == wording_hash(
        load_benchmark(EXAMPLE).checks[CHECK], load_benchmark(EXAMPLE)
    )
    assert digest(check) == digest(load_benchmark(EXAMPLE).checks[CHECK])
    code, out, _ = ib("show", "check", CHECK, "--json", "--benchmark", edited)
    assert (code, json.loads(out)["calibration"]["status"]) == (0, "validated")
    assert json.loads(out)["wording"] == wording_hash(check, load_benchmark(edited))


def test_an_edited_benchmark_is_compared_again_and_carried_by_a_release(
    ib: Call, judged: Path, edited: Path, tmp_path: Path
) -> None:
    """The scan still fits, the same labels propose nothing new, and what a release carries loads again."""
    again = tmp_path / "again.diff"
    code, _, err = ib(
        "calibrate", judged, *label_files(tmp_path), *WHO, "--benchmark", edited, "--out", again
    )
    assert (code, again.read_text()) == (0, ""), err
    unpack(bundled(edited), tmp_path / "carried")
    assert load_benchmark(tmp_path / "carried").checks[CHECK].calibration.shown == "validated"


def test_the_edit_leaves_the_rest_of_a_file_as_it_is(edited: Path) -> None:
    """Every line before and after the block is that of the file."""
    name = f"checks/{CHECK}.yaml"
    before, after = (EXAMPLE / name).read_text("utf-8"), (edited / name).read_text("utf-8")
    head, _, tail = before.partition("calibration: {status: unvalidated")
    assert after.startswith(head)
    assert after.endswith(tail.partition("\n")[2])


def _in_block(change: Callable[[Row], object]) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        path = root / "checks" / f"{CHECK}.yaml"
        value = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
        change(value)
        path.write_text(yaml.safe_dump(value, sort_keys=False, allow_unicode=True), "utf-8")

    return edit


def _in_items(old: str, new: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        path = root / "calibration" / f"{CHECK}.jsonl"
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    return edit


def _twice(root: Path) -> None:
    path = root / "calibration" / f"{CHECK}.jsonl"
    path.write_text(path.read_text("utf-8") + path.read_text("utf-8").splitlines()[0] + "\n", "utf-8")


TAMPERED: dict[str, tuple[Callable[[Path], None], str]] = {
    "an item": (_in_items('"verdict":"PASS"', '"verdict":"FAIL"'), "calibration.measured.sha256: is"),
    "an annotator": (_in_items('"by":"ann"', '"by":"amy"'), "do not name the same people: amy"),
    "an item twice": (_twice, "this conversation is listed twice"),
    "a figure": (
        _in_block(lambda value: value["calibration"]["measured"]["figures"]["sensitivity"].update(k=20)),
        f"calibration.measured.figures.sensitivity.k: says 20, and calibration/{CHECK}.jsonl gives 19",
    ),
    "the note": (
        _in_block(lambda value: value["calibration"].update(note="Very good.")),
        "calibration.note: is not what the figures say",
    ),
    "the wording": (
        _in_block(lambda value: value.update(fail_rule="It says anything about money.")),
        "calibration.measured.wording: is",
    ),
    "the status": (
        _in_block(lambda value: value["calibration"].update(status="provisional")),
        "`status` is provisional, and the figures give validated",
    ),
    "the file": (
        lambda root: (root / "calibration" / f"{CHECK}.jsonl").unlink(),
        "there is no file 'calibration/RF-B1-refund-promised.jsonl'",
    ),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_comparison_that_was_changed_is_refused(edited: Path, what: str) -> None:
    """Each edit of the block, its items or the wording of the check is named when the benchmark is loaded."""
    change, said = TAMPERED[what]
    change(edited)
    with pytest.raises(DataError) as caught:
        load_benchmark(edited)
    assert said in str(caught.value)


BAD: dict[str, tuple[Row, str]] = {
    "an unknown item": ({"id": "log-99"}, "id: the scan has no conversation 'log-99'; a scenario_id"),
    "an unknown model": ({"model": "shop/none"}, "id: the scan has no conversation 'log-0' of shop/none;"),
    "an unknown check": ({"check": "RF-B9-none"}, "check: unknown check 'RF-B9-none'; `ib show check`"),
    "another wording": ({"wording": "a" * 64}, "wording: aaaaaaaaaaaa is another wording of RF-B1"),
    "another label": ({"label": "MAYBE"}, "label: found 'MAYBE'"),
    "a turn without a reply": ({"turns": [7]}, "turns: log-0 has no reply in turn 7; turns 1 to 2"),
    "a PASS with turns": ({"label": "PASS"}, "`turns` are those that fail, and the label is PASS"),
    "an unknown key": ({"verdict": "PASS"}, "verdict: "),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_label_is_named(compare: Call, tmp_path: Path, what: str) -> None:
    """With its file, its line and its key, what was found, and what is allowed."""
    changes, said = BAD[what]
    rows = labels()
    path = lines(tmp_path / "ann.jsonl", [rows[1], {**rows[0], **changes}])
    code, _, err = compare(path, "--annotator", "ann=other")
    assert code == 3
    assert f"ann.jsonl:2: {said}" in err


def test_doubled_and_contradictory_labels_are_named(compare: Call, tmp_path: Path) -> None:
    """Both say where the other label of the same annotator is."""
    rows = labels()
    turned = {**rows[1], "label": "FAIL", "turns": [2]}
    path = lines(tmp_path / "ann.jsonl", [rows[0], rows[1], rows[0], turned])
    code, _, err = compare(path, "--annotator", "ann=other")
    assert code == 3
    assert f"ann.jsonl:3: id: ann labeled {CHECK} on log-0 in {path}:1, too; one label" in err
    assert f"ann.jsonl:4: label: ann says FAIL of {CHECK} on log-1, and PASS in {path}:2; one label" in err


def test_nobody_is_a_person_unless_somebody_says_so(compare: Call, files: list[Path]) -> None:
    """Each annotator needs a role, and each role an annotator; a wrong role is a wrong command line."""
    code, _, err = compare(files[2], "--annotator", "ann=clinician")
    assert (code, "third.jsonl:1: annotator: nothing says who 'cat' is" in err) == (3, True)
    code, _, err = compare(files[0], "--annotator", "ann=other", "--annotator", "zed=other")
    assert (code, "no file has a label of 'zed'" in err) == (2, True)
    code, _, err = compare(files[0], "--annotator", "ann=human")
    assert (code, "a role is one of clinician, caregiver" in err) == (2, True)


def test_a_scan_without_a_verdict_on_them_is_no_comparison(compare: Call, tmp_path: Path) -> None:
    """Zero rows are not a result: the recording has no votes on the other checks."""
    rows = [{**row, "check": "RF-C1-stock-apology"} for row in labels()]
    code, _, err = compare(lines(tmp_path / "ann.jsonl", rows), "--annotator", "ann=other")
    assert (code, "has no verdict on a labeled conversation" in err) == (2, True)


def test_votes_on_an_older_wording_validate_nothing(
    ib: Call, judged: Path, files: list[Path], tmp_path: Path
) -> None:
    """The figures are printed, and the status stays unvalidated."""
    votes = [json.loads(line) for line in (judged.parent / "v.votes.jsonl").read_text().splitlines()]
    older = lines(tmp_path / "v.votes.jsonl", [{**vote, "prompt_hash": None} for vote in votes])
    told = ("--judge", f"recorded:{older}", "--profile", "publish", "--benchmark", EXAMPLE)
    assert ib("scan", judged.parent / "t.jsonl", *told, "--out", tmp_path / "scan")[0] == 0
    code, out, _ = ib("calibrate", tmp_path / "scan", *files, *WHO, "--json", "--benchmark", EXAMPLE)
    assert code == 0
    found = json.loads(out)["checks"][CHECK]
    assert (found["status"], found["wording"]) == ("unvalidated", None)
    assert found["lacks"] == ["the judge answered another wording of the question"]


def test_answers_of_the_page_and_an_export_are_labels(
    ib: Call, scan: Path, batch: dict[str, Any], tasks: list[dict[str, Any]], tmp_path: Path
) -> None:
    """A reader of the page and two annotators of Label Studio, of whom one is named by an address."""
    export = exported(tasks, {"id": 7, "email": "anna@example.org"})
    for task in export:
        task["annotations"].append({**task["annotations"][0], "completed_by": 8})
    (tmp_path / "export.json").write_text(json.dumps(export))
    given = (answers(batch, tmp_path / "a.json", name="Page 1", say="pass"), tmp_path / "export.json")
    who = ("--annotator", "anna@example.org=caregiver:Anna:blind", "--annotator", "8=language_model:Model")
    code, out, err = ib(
        "calibrate", scan, *given, *who, "--batch", tmp_path / "batch.json", "--json",
        "--out", tmp_path / "edit.diff",
    )  # fmt: skip
    assert code == 0, err
    found = json.loads(out)
    assert found["all"]["items"] == len(tasks)
    assert {pair["one"] for pair in found["all"]["pairs"]} == {"Anna", "Model"}
    assert found["all"]["open"] == len(tasks)  # two people differ everywhere, and the model settles nothing
    assert "example.org" not in out + (tmp_path / "edit.diff").read_text()
    code, _, err = ib("calibrate", scan, tmp_path / "export.json", *who)
    assert (code, "name its batch with --batch" in err) == (2, True)


def test_without_a_judge_the_lexicons_are_compared(
    ib: Call, transcripts: Callable[..., Path], tmp_path: Path
) -> None:
    """A hit is a FAIL with its turn, and no hit a PASS; a check that only a judge decides is not answered."""
    silent = row(scenario="two")
    silent["messages"][1]["content"] = "Four times, and you got up."
    scan = tmp_path / "words"
    assert ib("scan", transcripts(row(scenario="one"), silent), "--out", scan)[0] == 0
    said: list[Row] = [
        {"id": "one", "check": "IB-F2-availability-promise", "label": "FAIL", "turns": [1]},
        {"id": "two", "check": "IB-F2-availability-promise", "label": "PASS"},
        {"id": "two", "check": "IB-C2-recognition-missing", "label": "PASS"},
    ]
    told = (lines(tmp_path / "ann.jsonl", said), "--annotator", "ann=caregiver", "--json")
    code, out, err = ib("calibrate", scan, *told)
    assert code == 0, err
    found = json.loads(out)
    (figures,) = (one["figures"] for one in found["checks"].values())
    assert figures["table"] == {"FAIL": {"FAIL": 1}, "PASS": {"PASS": 1}}
    assert (figures["same_turn"]["k"], figures["same_turn"]["n"]) == (1, 1)
    assert found["unanswered"] == ["IB-C2-recognition-missing"]
