"""Rows of a result: a verdict where there was a judgement, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ib.models.base import Bucket, State, Verdict
from ib.models.result import BucketScore, TranscriptScore, VerdictResult
from tests.models.build import ROW, changed

SCORE: dict[str, Any] = {
    "hard_fail": False,
    "gate_incomplete": False,
    "quality": {"C": {"passes": 1, "failures": 1, "rate": 0.5}},
    "quality_score": 0.5,
    "overall_score": 0.5,
    "bounds": [0.5, 0.5],
}


@pytest.mark.parametrize("verdict", [None, *Verdict])
@pytest.mark.parametrize("state", list(State))
def test_lesson_05_not_run_has_no_verdict(state: State, verdict: Verdict | None) -> None:
    """Of all states and verdicts: judged has one, ineligible, suppressed and not run have none."""
    value = {**ROW, "state": state, "verdict": verdict}
    if (state is State.JUDGED) == (verdict is not None):
        assert VerdictResult.model_validate(value).verdict is verdict
    else:
        with pytest.raises(ValidationError, match="IB-F1-test: verdict"):
            VerdictResult.model_validate(value)


@pytest.mark.parametrize("gate", [None, Bucket.A, Bucket.B])
@pytest.mark.parametrize("verdict", [None, *Verdict])
@pytest.mark.parametrize("state", list(State))
def test_what_closes_a_gate_and_what_leaves_it_open(
    state: State, verdict: Verdict | None, gate: Bucket | None
) -> None:
    """A FAIL closes a gate; not run and UNCLEAR leave a question; nothing does without a gate."""
    if (state is State.JUDGED) != (verdict is not None):
        return
    row = VerdictResult.model_validate({**ROW, "state": state, "verdict": verdict, "gate": gate})
    assert row.hard_fail == (gate is not None and verdict is Verdict.FAIL)
    unanswered = state is State.NOT_RUN or verdict is Verdict.UNCLEAR
    assert row.gate_open_question == (gate is not None and unanswered)


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_confidence_is_a_share(confidence: float) -> None:
    """Between 0 and 1, and a number."""
    with pytest.raises(ValidationError, match="confidence"):
        VerdictResult.model_validate({**ROW, "confidence": confidence})


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("quality_score", 1.5),
        ("overall_score", -0.5),
        ("overall_score", float("nan")),
        ("bounds", [0.0]),
        ("bounds", [0.0, 2.0]),
        ("quality", {"E": {"passes": 0, "failures": 0, "rate": None}}),
        ("quality.C.rate", 2.0),
        ("best", True),
    ],
)
def test_scores_are_shares(path: str, new: Any) -> None:
    """No score, bound or rate lies outside [0, 1]."""
    TranscriptScore.model_validate(SCORE)
    with pytest.raises(ValidationError, match=path.split(".", maxsplit=1)[0]):
        TranscriptScore.model_validate(changed(SCORE, path, new))


def test_lesson_17_nothing_measurable_is_null() -> None:
    """Neither passes nor failures: the rate is null, and a null survives being written."""
    none = BucketScore(passes=0, failures=0, rate=None)
    assert BucketScore.model_validate_json(none.model_dump_json()).rate is None
