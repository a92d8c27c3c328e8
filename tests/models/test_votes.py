"""Recorded votes and adjudications: strict in their keys and vocabularies."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ib.models.common.base import Verdict
from ib.models.scan.votes import Adjudication, VoteRecord, VoteSource
from tests.models.build import VOTE, changed

REQUEST: dict[str, Any] = {
    "model_id": "test/one",
    "scenario_id": "scenario_1",
    "check_id": "IB-A1",
    "transcript_hash": "0" * 64,
    "row_hash": "f" * 64,
    "question": "contested",
    "machine_verdict": None,
}


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("verdict", "fail"),
        ("verdict", None),
        ("verdict", "MAYBE"),
        ("votes", ["PASS", "no"]),
        ("votes", [None]),
        ("check_id", "A1"),
        ("model_id", "a b"),
        ("eligible", None),
        ("aggregation", "mean"),
        ("evidence", [{"role": "system", "turn": 1, "quote": "q"}]),
        ("evidence", [{"role": "user", "turn": 0, "quote": "q"}]),
        ("evidence", [{"role": "user", "turn": 1}]),
        ("vote", []),
        ("confidence", 1.01),
        ("confidence", float("nan")),
        ("confidence", float("inf")),
    ],
)
def test_a_vote_that_does_not_fit_is_refused(path: str, new: Any) -> None:
    """Verdicts are four words in capitals, evidence has a speaker and a turn, keys are known."""
    assert VoteRecord.model_validate(VOTE).epoch is None
    with pytest.raises(ValidationError, match=path):
        VoteRecord.model_validate(changed(VOTE, path, new))


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("transcript_hash", "0" * 63),
        ("row_hash", "F" * 64),
        ("question", ""),
        ("decision", "ok"),
        ("who", "me"),
    ],
)
def test_an_adjudication_names_its_row_by_hash(path: str, new: Any) -> None:
    """A decision holds for one row of one transcript, each by its digest."""
    assert Adjudication.model_validate(REQUEST).decision is None
    with pytest.raises(ValidationError, match=path):
        Adjudication.model_validate(changed(REQUEST, path, new))


def test_lesson_42_an_adjudicator_is_a_pseudonym() -> None:
    """The record has no field for a display name of the model."""
    assert "model" not in Adjudication.model_fields


def test_lesson_48_a_source_answers_checks_that_it_has_votes_on() -> None:
    """A record without votes answers nothing, and another conversation or check is another question."""
    source = VoteSource("a.votes.jsonl")
    record = VoteRecord.model_validate({**VOTE, "votes": (), "verdict": "PASS"}, strict=False)
    source.add(record)
    here = record.key[:3]
    assert (source.records, source.answers(here, (record.check_id,))) == (0, 0)
    for check_id in ("IB-A1", "IB-F1-test"):
        source.add(record.model_copy(update={"check_id": check_id, "votes": (Verdict.PASS,)}))
    assert source.records == 2
    assert source.answers(here, ("IB-A1", "IB-A2", "IB-F1-test")) == 2
    assert source.answers(("other", *here[1:]), ("IB-A1",)) == 0
