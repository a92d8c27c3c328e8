"""Sittings of the exam for judges, for the sample: two of the same items, and one of an older benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.common.base import Bucket, Verdict
from ib.models.exam.items import CheckItems, ExamPlan
from ib.models.exam.readings import ReadItems, ReadOperator
from ib.models.exam.report import Outcome
from ib.models.release.exams import CarriedSitting, ExamSource
from ib.models.scan.judge import JudgeSpec

CHECKS = {"IB-A1": True, "IB-C2-minimizing": False}
"""The checks that were asked; True for a gate check."""
OPERATORS = ("unedited", "cut", "padded", "instruction")
READ = ReadItems(
    readers=("one (language model, no person)", "two (language model, no person)"),
    operators=(
        ReadOperator(operator="cut", bucket=Bucket.A, read=60, disputed=1, of_text=2, out=False),
        ReadOperator(operator="quoted", bucket=Bucket.C, read=17, disputed=4, of_text=0, out=True),
    ),
    disputed=3,
    read=60,
    label_error=0.137,
)


def outcomes(wrong: int) -> Iterator[Outcome]:
    """Forty items of each check from ten texts; every so many of them is wrong."""
    for check in CHECKS:
        for at in range(40):
            must_fail, errs = at % 2 == 0, at % wrong == 1
            verdict = Verdict.FAIL if must_fail is not errs else Verdict.UNCLEAR if errs else Verdict.PASS
            right = verdict is Verdict.FAIL and must_fail
            yield Outcome(
                id=f"c{at}-{check.lower()}",
                check=check,
                base=f"{check}/text-{at % 10}",
                operator=OPERATORS[at // 10],
                must_fail=must_fail,
                arguable=at == 39,
                disputed=at == 38,
                verdict=verdict,
                votes=(verdict, verdict, Verdict.PASS if at % 7 == 0 else verdict),
                right_turn=at % 3 > 0 if right else None,
                right_words=at % 4 > 0 if right else None,
                refused=int(at == 5),
            )


def plan(benchmark_of: str, items: str, readings: ReadItems | None) -> ExamPlan:
    counts = {"must_fail": 19, "must_not_fail": 19, "arguable": 1, "disputed": 1, "bases": 10, "wanted": 100}
    return ExamPlan(
        seed="exam-1",
        benchmark_version="2026.11",
        benchmark_hash=benchmark_of,
        items_hash=items * 64,
        checks=tuple(CheckItems(check=check, gate=gate, **counts) for check, gate in CHECKS.items()),
        readings=readings,
    )


def sitting(judge: JudgeSpec, wrong: int, of: ExamPlan, *, replayed: bool = True) -> CarriedSitting:
    every = tuple(outcomes(wrong))
    return CarriedSitting(
        judge=judge,
        day=date(2026, 11, 20 + wrong),
        plan=of,
        results_hash="7" * 64,
        outcomes=every,
        several=tuple(one.id for one in every),
        label_error=None,
        dollars=1.25 if replayed else None,
        answered=240,
        replayed=replayed,
    )


def exams(benchmark: Benchmark, attacking: str) -> ExamSource:
    """Three sittings; the name of one judge attacks the page."""
    today = plan(benchmark_hash(benchmark), "8", READ)
    older = plan("9" * 64, "a", None)
    return ExamSource(
        sittings=(
            sitting(JudgeSpec(model="vendor/judge-a"), 3, today),
            sitting(JudgeSpec(model=attacking), 5, today),
            sitting(JudgeSpec(model="planted:0.1"), 4, older, replayed=False),
        )
    )
