"""What the pages say of a second judge, and that they say nothing without one."""

from __future__ import annotations

import pytest

from delivery.sync_web_bench import project
from delivery.words.numbers import coefficient
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.second import ComparedCheck, ComparedJudges, JudgeAgreement, SecondJudging
from tests.delivery import reading, sample

CHECKS = tuple(sample.benchmark().checks)[:2]
MANY = JudgeAgreement(n=40, agreed=38, rate=0.95, low=0.83, high=0.99, kappa=0.64, ac1=0.94, support=("ok",))
FEW = JudgeAgreement(
    n=3, agreed=2, rate=None, low=0.2, high=0.9, kappa=None, ac1=None, support=("count_only",)
)
COUNTS = {
    "questions": 47, "unanswered": 1, "rows": 31, "rows_changed": 9, "fails_removed": 5, "fails_added": 2,
    "gate_fails": 8, "gate_fails_not_shared": 6,
}  # fmt: skip
NONE = dict.fromkeys(COUNTS, 0) | {"questions": 3, "rows": 3}
SECOND = SecondJudging(
    judge=JudgeSpec(model="house/second"),
    share=0.2,
    all_checks=ComparedJudges(agreement=MANY, **COUNTS),
    checks=(
        ComparedCheck(check_id=CHECKS[0], agreement=MANY, **COUNTS),
        ComparedCheck(check_id=CHECKS[1], agreement=FEW, **NONE),
    ),
)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The files of the build folder of a release with a second judge."""
    board, evidence = sample.release()
    board = board.model_copy(update={"second_judge": SECOND})
    return project(board, evidence, sample.benchmark(), sample.background())


def text_of(page: str) -> str:
    """The text of a page, as a reader sees it."""
    return " ".join(reading.read(reading.body(page)).text.split())


def test_the_methodology_has_a_row_for_each_check(pages: dict[str, str]) -> None:
    """All checks first; few questions give counts and no share, no kappa and no AC1."""
    body = reading.read(reading.body(pages["methodology.md"]))
    table = next(t for t in body.all("table") if "Both judges compared" in t.text)
    rows = [[cell.text.strip() for cell in row.all("td")] for row in table.all("tr")[1:]]
    shown = ["38 of 40", "95%", "83% to 99%", "0.64", "0.94", "9 of 31", "5", "2", "6 of 8", "1 of 47"]
    few = ["2 of 3", "–", "–", "–", "–", "0 of 3", "0", "0", "0 of 0", "0 of 3"]
    assert rows == [shown, shown, few]
    assert "a sample with a share of 20%" in text_of(pages["methodology.md"])


def test_the_page_of_a_check_says_what_would_change(pages: dict[str, str]) -> None:
    """On a check that it was asked about; gate failures only where there were any."""
    first, second, third = (
        text_of(pages[f"checks/{check_id}.md"]) for check_id in (*CHECKS, "IB-F3-false-memory")
    )
    assert "same verdict on 38 of 40 (95%, 95% interval 83% to 99%)" in first
    assert "9 of 31 verdicts on conversations would change (5 failures removed, 2 added)" in first
    assert "It does not share 6 of 8 gate failures." in first
    assert "same verdict on 2 of 3." in second
    assert "not share" not in second
    assert "second judge" not in third


def test_without_a_second_judge_no_page_speaks_of_one(projected: dict[str, str]) -> None:
    """No empty table, and no section."""
    for path in ("methodology.md", f"checks/{CHECKS[0]}.md"):
        assert "second judge" not in text_of(projected[path]).lower()


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (1.0, "1.00"), (0.9999, "over 0.99"), (0.0, "0.00"), (-0.001, "0.00"), (-0.25, "−0.25")],
)
def test_a_coefficient_is_not_rounded_to_certainty(value: float | None, shown: str) -> None:
    """Only exactly 1 is 1.00, and there is no negative zero."""
    assert coefficient(value) == shown
