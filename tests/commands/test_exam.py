"""`ib exam`: judges whose errors are planted are found out, and a sitting goes on only with its own items."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.models.benchmark.exam import CheckExam
from ib.models.common.base import Verdict
from ib.models.exam.items import Source
from ib.models.exam.report import FIRST_LINE
from ib.pipeline.exam.plays import Plays
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.folders.exams import ExamFolder
from tests.once import once

Call = Callable[..., tuple[int, str, str]]
FEW = ("--check", "IB-A1", "--check", "IB-B7", "--items", 12)
"""Items of a check about something left out, and of one about something said."""


def sit(folder: Path, name: str, judge: str) -> None:
    from ib.cli import run

    given = ["exam", "--judge", judge, *map(str, FEW), "--out", str(folder / name)]
    assert run(given) == 0


def make(folder: Path) -> None:
    """A judge without errors, one that misses every omission, one that believes every instruction, and one
    whose votes err by themselves."""
    sit(folder, "perfect", "planted:0")
    sit(folder, "blind", "planted:1:blind")
    sit(folder, "believing", "planted:1:believing")
    sit(folder, "random", "planted:0.3:random")


@pytest.fixture
def sittings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "exams", make)


def report(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "report.json").read_bytes())
    return value


def wrong(folder: Path) -> set[tuple[str, str]]:
    """The check and the operator of every wrong outcome that counts."""
    found = ExamFolder(folder).outcomes()
    return {(one.check, one.operator) for one in found if one.wrong and not one.arguable}


def test_a_perfect_judge_gets_every_item_right(sittings: Path) -> None:
    """Every FAIL is found with its turn and words, and nothing else fails."""
    assert wrong(sittings / "perfect") == set()
    for check in report(sittings / "perfect")["checks"]:
        for name in ("sensitivity", "specificity"):
            assert (check[name]["k"], check[name]["n"]) == (12, 12)
        for name in ("right_turn", "right_words"):
            assert check[name]["k"] == check[name]["n"]
    assert report(sittings / "perfect")["first_line"] == FIRST_LINE


def test_a_judge_that_is_blind_to_omissions_is_found_out(sittings: Path) -> None:
    """It misses every item of the check about an omission, and none of the other."""
    assert {check for check, _ in wrong(sittings / "blind")} == {"IB-A1"}
    of_a1 = next(one for one in report(sittings / "blind")["checks"] if one["check"] == "IB-A1")
    assert of_a1["sensitivity"]["k"] == 0
    assert of_a1["specificity"]["k"] == 12


def test_a_judge_that_believes_instructions_is_found_out(sittings: Path) -> None:
    """It errs on the edit that tells it the wrong verdict, which should change nothing, and on no other."""
    assert {operator for _, operator in wrong(sittings / "believing")} == {"instruction"}
    changed = {
        one["operator"]: (one["changed"]["k"], one["changed"]["n"])
        for one in report(sittings / "believing")["operators"]
        if one["neutral"]
    }
    k, n = changed.pop("instruction")
    assert k == n > 0
    assert {k for k, _ in changed.values()} == {0}


def test_votes_that_err_by_themselves_are_told_from_votes_that_err_alike(sittings: Path) -> None:
    """The correlation of wrong votes on one item is 1 for errors of items, and small for errors of votes."""
    alike = report(sittings / "blind")["misses"]
    assert alike["correlation"] == pytest.approx(1.0)
    by_itself = report(sittings / "random")["misses"]
    assert 0.15 < by_itself["wrong_votes"] / by_itself["votes"] < 0.45
    assert abs(by_itself["correlation"]) < 0.4


def test_one_wrong_vote_of_three_fails_an_item_of_a_gate(sittings: Path) -> None:
    """With errors in each vote, far more items that must not FAIL are wrong than votes."""
    of_a1 = [one for one in ExamFolder(sittings / "random").outcomes() if one.check == "IB-A1"]
    right = [one for one in of_a1 if one.must_fail is False]
    assert all(one.wrong is (Verdict.FAIL in one.votes) for one in right)
    assert {len(one.votes) for one in right if not one.wrong} == {3}
    assert any(one.wrong and one.votes.count(Verdict.FAIL) == 1 for one in right)


def test_the_report_and_the_page_say_first_what_it_is_not(ib: Call, sittings: Path, tmp_path: Path) -> None:
    """The first line is the caveat; the page lists every sitting beside it, without a pass mark."""
    code, shown, _ = ib("exam", "--judge", "planted:0", *FEW, "--out", tmp_path / "again")
    assert code == 0
    assert shown.splitlines()[0] == FIRST_LINE
    assert "no pass mark" in shown.splitlines()[1]
    assert (tmp_path / "again" / "report.json").read_bytes() == (
        sittings / "perfect/report.json"
    ).read_bytes()
    assert (tmp_path / "again" / "items.jsonl").read_bytes() == (
        sittings / "perfect/items.jsonl"
    ).read_bytes()
    page = (sittings / "random" / "report.html").read_text()
    assert page.index(FIRST_LINE) < page.index("<main>")
    assert all(f'<th scope="row">{name}</th>' in page for name in ("perfect", "random", "blind", "believing"))


def test_nothing_that_a_judge_sees_marks_an_item(sittings: Path) -> None:
    """The scan of the items names neither exam nor edit in any field that a prompt is made from."""
    for line in (sittings / "perfect" / "scan" / "transcripts.jsonl").read_text().splitlines():
        transcript = json.loads(line)
        assert set(transcript) <= {
            *(
                "anchors",
                "country",
                "eligible_checks",
                "language",
                "messages",
                "model",
                "model_id",
                "scenario_id",
                "jurisdiction",
            )
        }
        assert "exam" not in json.dumps([transcript["messages"], transcript.get("anchors")]).lower()


def test_two_judges_side_by_side(ib: Call, sittings: Path) -> None:
    """Errors of each and of both, and the error left where both agree."""
    code, shown, _ = ib("exam", "compare", sittings / "blind", sittings / "believing", "--json")
    assert code == 0
    every = json.loads(shown)["checks"][0]
    blind, believing = (ExamFolder(sittings / name).outcomes() for name in ("blind", "believing"))
    pairs = [(a.wrong, b.wrong) for a, b in zip(blind, believing, strict=True) if not a.arguable]
    assert every["wrong"] == [sum(a for a, _ in pairs), sum(b for _, b in pairs)]
    assert every["both_wrong"] == every["left"]["k"] == sum(a and b for a, b in pairs)
    assert every["left"]["n"] == sum(a == b for a, b in pairs)
    assert ib("exam", "compare", sittings / "blind", sittings / "believing")[1].startswith(FIRST_LINE)


def test_every_sitting_is_listed(ib: Call, sittings: Path) -> None:
    """The list has a line for each finished sitting, and says so if there is none."""
    code, shown, _ = ib("exam", "list", sittings)
    assert code == 0
    assert [line.split()[0] for line in shown.splitlines()] == [
        "folder",
        "believing",
        "blind",
        "perfect",
        "random",
    ]
    assert ib("exam", "list", sittings / "perfect")[0] == 2


def test_a_plan_asks_nothing(ib: Call, tmp_path: Path) -> None:
    """A dry run counts the items of each check, the questions and the dollars, and writes only both plans."""
    code, shown, _ = ib("exam", "--judge", "openai/gpt-4o", *FEW, "--dry-run", "--out", tmp_path / "plan")
    assert code == 0
    assert "$" in shown
    assert "IB-B7" in shown
    assert sorted(path.name for path in (tmp_path / "plan").iterdir()) == [
        *("exam_plan.json", "items.jsonl", "scan"),
    ]
    assert not (tmp_path / "plan" / "scan" / "replies.jsonl").exists()


def test_a_sitting_goes_on_only_with_its_own_items(ib: Call, sittings: Path, tmp_path: Path) -> None:
    """Another seed, other checks and a folder without a sitting are named; the same items are complete."""
    place = sittings / "perfect"
    code, _, err = ib("exam", "--judge", "planted:0", *FEW, "--items-seed", "x", "--out", place, "--resume")
    assert code == 2
    assert "holds a sitting with other items (seed exam-1)" in err
    code, _, err = ib("exam", "--judge", "planted:0", *FEW, "--out", tmp_path, "--resume")
    assert code == 2
    assert "holds no sitting" in err
    code, _, err = ib("exam", "--judge", "planted:0", *FEW, "--out", place)
    assert code == 2
    assert "already exists" in err


WRONG = (
    (("--judge", "none"), "it answers nothing"),
    (("--judge", "scripts"), "reference assistants"),
    (("--judge", "recorded:votes.jsonl"), "its votes are on other conversations"),
    (("--judge", "planted:2"), "a rate from 0 to 1"),
    (("--judge", "planted:0.1:odd"), "blind errs on omissions alone"),
    (("--judge", "planted:0", "--check", "IB-B5"), "a rule decides it"),
    (("--judge", "planted:0", "--check", "IB-Z9"), "no such check"),
    ((), "name the judge with --judge"),
)
"""Command lines that cannot sit the exam, each with what is said."""


def test_what_cannot_sit_the_exam_is_named(ib: Call, tmp_path: Path) -> None:
    """A judge that cannot answer, or a check without a question, is refused before anything is made."""
    for given, said in WRONG:
        code, _, err = ib("exam", *given, "--out", tmp_path / "out")
        assert (code, said in err) == (2, True), (given, err)
        assert not (tmp_path / "out").exists()


def test_plays_are_texts_with_a_declared_verdict() -> None:
    """A scenario gives one text to a check; on a twin nothing is left out; another draw has other words."""
    checks = load_benchmark().checks
    root, check, knows = benchmark_folder(), checks["IB-A1"], CheckExam(check="IB-A1")
    plays = Plays(root, load_benchmark(), "seed")
    texts = list(plays.of(check, knows))
    assert len({one.id for one in texts}) == len(texts) > 8
    assert {one.source for one in texts} == {Source.PLAY, Source.TWIN}
    assert {one.fails for one in texts if one.source is Source.PLAY} == {True, False}
    assert not any(one.fails for one in texts if one.source is Source.TWIN)
    for one in texts:
        assert all(anchor.checks == ("IB-A1",) for anchor in one.anchors)
        assert not one.deciding, "what decides is not marked in a play"
    other = Plays(root, load_benchmark(), "seed", DrawKey(b"another key"))
    assert [one.messages for one in other.of(check, knows)] != [one.messages for one in texts]
    assert list(plays.of(checks["IB-C1"], CheckExam(check="IB-C1"))) == [], "only checks of gates have plays"


def test_hints_that_raise_false_alarms_are_found(ib: Call, tmp_path: Path) -> None:
    """A judge that fails whatever a search for phrases found sits the exam with and without these hints."""
    asked = ("exam", "--judge", "planted:1:hinted", "--check", "IB-F1-feelings-claim", "--items", 12)
    for name, more in (("with", ()), ("without", ("--without-hints",))):
        code, said, err = ib(*asked, *more, "--out", tmp_path / name)
        assert code == 0, err
        assert ("without phrase hints" in said.splitlines()[1]) is (name == "without")
    code, shown, _ = ib("exam", "compare", tmp_path / "without", tmp_path / "with", "--json")
    told = json.loads(shown)["checks"][1]
    without, with_hints = told["alarms"]
    assert without == 0 < with_hints <= told["must_not_fail"] == 12
    shown = ib("exam", "compare", tmp_path / "with", tmp_path / "without")[1]
    assert f"raise false alarms in IB-F1-feelings-claim: {with_hints} with hints, 0 without, of 12." in shown
    code, _, err = ib(*asked, "--out", tmp_path / "without", "--resume")
    assert (code, "other options" in err) == (2, True), err
