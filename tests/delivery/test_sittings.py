"""The exam of a release's own judge: false alarms beside gates, and what is said where there is none."""

from __future__ import annotations

import pytest

from delivery.release.errors import failed_in_error
from delivery.release.sittings import false_alarms, shown_sittings
from delivery.release.view import Release
from delivery.sync_web_bench import project
from ib.exam.rates import rate
from ib.models.common.base import Bucket
from ib.models.exam.report import FIRST_LINE
from ib.models.release.exams import ExamSource
from tests.delivery import reading, sample


def release(exams: ExamSource | None) -> Release:
    return Release(*sample.release(), sample.benchmark(), sample.background(), exams=exams)


def own_exam() -> ExamSource:
    """One sitting, of the judge of the sample."""
    judge = sample.release()[0].judge
    found = sample.exams("x").sittings[0]
    return ExamSource(sittings=(found.model_copy(update={"judge": judge}),))


def test_an_exam_gives_the_false_alarms_of_each_gate() -> None:
    """From the specificity on the gate's checks that were asked, with the bounds of the sitting."""
    made = release(own_exam())
    model = next(
        one for one in made.models if any(e.windows for e in one.blindspots if e.check_id == "IB-A1")
    )
    questions = next(one.windows for one in model.blindspots if one.check_id == "IB-A1")
    of = [one for one in own_exam().sittings[0].outcomes if one.check == "IB-A1" and not one.must_fail]
    told = rate([(one.base, not one.wrong) for one in of if one.in_rates], 0.137)
    assert told.share is not None
    assert told.low is not None
    assert told.high is not None
    assert questions
    said = failed_in_error(made, model, Bucket.A)
    x, y, z = (questions * (1 - one) for one in (told.share, told.high, told.low))
    assert f"would give {x:.1f} false alarms ({y:.1f} to {z:.1f}; built items)" in said
    assert "exam" not in failed_in_error(made, model, Bucket.B), "no check of that gate was asked"


def test_without_an_exam_of_the_judge_on_these_questions_nothing_is_said() -> None:
    """The exam of another judge, or on older questions, says nothing about this release."""
    sat = own_exam().sittings[0]
    older = sat.model_copy(update={"plan": sat.plan.model_copy(update={"benchmark_hash": "9" * 64})})
    for source in (None, sample.exams("x"), ExamSource(sittings=(older,))):
        made = release(source)
        assert made.exam == {}
        assert all("exam" not in failed_in_error(made, one, Bucket.A) for one in made.models)
    assert false_alarms(0, rate([("a", True)])) is None
    assert false_alarms(10, rate([])) is None
    assert [one.older for one in shown_sittings(ExamSource(sittings=(older,)), "8" * 64)] == [True]


@pytest.mark.parametrize("sat", [True, False])
def test_the_pages_say_whether_the_error_of_the_judge_was_measured(*, sat: bool) -> None:
    """Judges says first what an exam is not, or that there is none; How sure agrees with it."""
    made = sample.release()
    exams = own_exam() if sat else None
    texts = project(*made, sample.benchmark(), sample.background(), sample.transcripts(), exams=exams)
    judges, sure = (
        " ".join(reading.unfolded(reading.read(reading.body(texts[name]))))
        for name in ("judges.md", "sure.md")
    )
    assert judges.startswith(f"Judges {FIRST_LINE}")
    assert ("No judge has sat the exam" in judges) is not sat
    assert ("How often the judge is wrong has not been measured." in sure) is not sat
    assert ("about real conversations has not been measured. On built items, it was" in sure) is sat
