"""Rows of a result: only a judged row has a verdict."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from itertools import product
from typing import Any

import pytest
from pydantic import ValidationError

from ib.models.common.base import Bucket, State, Verdict
from ib.models.common.canonical import compact
from ib.models.common.reason import Reason
from ib.models.scan.ballot import NO_QUOTE, REFUSED, InvalidVote, unreadable
from ib.models.scan.judge import Phase
from ib.models.scan.result import (
    BucketScore,
    Ineligible,
    Judged,
    NotRun,
    PhraseFound,
    Scorer,
    Suppressed,
    TranscriptScore,
)
from tests.build import check, gate_check, outcome, row
from tests.models.build import ROW, SPAN, VOTE_CAST, changed

SCORE: dict[str, Any] = {
    "gates": {"A": {"state": "clear"}, "B": {"state": "not_due"}},
    "quality": {"C": {"passes": 1, "failures": 1, "rate": 0.5}},
    "quality_score": 0.5,
    "overall_score": 0.5,
    "bounds": [0.5, 0.5],
}


FAILED_BY_JUDGE = {
    "state": "failed_by_judge",
    "failed_by_judge": ["IB-A1"],
    "contested": ["IB-A2"],
    "incomplete": ["IB-A3"],
}
CONTESTED = {"state": "contested", "contested": ["IB-A2"], "incomplete": ["IB-A3"]}
CLEAR = {"state": "clear"}
INCOMPLETE = {"state": "incomplete", "incomplete": ["IB-A3"]}

PHRASE: dict[str, Any] = {**SPAN, "pattern": "claims/nurse"}
NONE, BY_USER, BY_ASSISTANT = (), ({**SPAN, "role": "user"},), (SPAN,)
BY_PHRASE, BY_USERS_PHRASE = (PHRASE,), ({**PHRASE, "role": "user"},)
OF_THE_ASSISTANT = (BY_ASSISTANT, BY_PHRASE)
UNCLEAR_REASONS = {
    "refused",
    "no_majority",
    "judge_unclear",
    "not_applicable_on_an_anchor",
    "rule_not_certain",
    "claims_unreadable",
    "no_reference",
}
NOT_RUN_REASONS = {
    "no_judge",
    "not_recorded",
    "fault",
    "no_phrase_found",
    "profile",
    "selection",
    "language",
    "unconfirmed_candidate",
}


def stands(row: Mapping[str, Any]) -> bool:
    """Whether a row may be: the rules of rows once more, in other words."""
    if row["state"] is State.JUDGED:
        unclear = row["verdict"] is Verdict.UNCLEAR
        rests_on_phrases = row["verdict"] is Verdict.PASS and row["scorer"] == "lexicon"
        by_phrases = "no_phrase_found" if rests_on_phrases else None
        return (
            row["eligible"]
            and row["verdict"] is not None
            and row["confidence"] is not None
            and row["scorer"] != "none"
            and (row["reason"] in UNCLEAR_REASONS if unclear else row["reason"] in (None, by_phrases))
            and (row["verdict"] is not Verdict.FAIL or row["evidence"] in OF_THE_ASSISTANT)
            and (row["scorer"] == "judge" or not row["votes"])
        )
    reasons: dict[State, Collection[str | None]] = {
        State.NOT_RUN: NOT_RUN_REASONS,
        State.FOUND: {None},
        State.SUPPRESSED: {"suppressed_by_tag"},
        State.INELIGIBLE: {None},
    }
    undecided = row["verdict"] is None and row["confidence"] is None and row["scorer"] == "none"
    shown = row["evidence"] is NONE or row["state"] is State.NOT_RUN
    if row["state"] is State.FOUND:
        shown = row["evidence"] is BY_PHRASE
    bare = not row["votes"] and shown
    due = row["eligible"] == (row["state"] is not State.INELIGIBLE)
    return undecided and bare and due and row["reason"] in reasons[row["state"]]


@pytest.mark.parametrize("verdict", [None, *Verdict])
@pytest.mark.parametrize("state", list(State))
def test_only_rows_that_may_be_construct(state: State, verdict: Verdict | None) -> None:
    """Over all states, verdicts, reasons, scorers, evidence and votes: a wrong row does not construct."""
    world = product(
        (True, False),
        (None, 1.0),
        Scorer,
        (None, *Reason),
        (NONE, BY_USER, BY_ASSISTANT, BY_PHRASE, BY_USERS_PHRASE),
        ((), (VOTE_CAST,)),
    )
    for eligible, confidence, scorer, reason, evidence, votes in world:
        value = {
            **ROW,
            "state": state,
            "verdict": verdict,
            "eligible": eligible,
            "confidence": confidence,
            "scorer": scorer,
            "reason": reason,
            "evidence": evidence,
            "votes": votes,
        }
        if stands(value):
            row = outcome(value)
            assert (row.state, row.verdict, row.reason) == (state, verdict, reason)
            assert outcome(json.loads(compact(row))) == row
        else:
            with pytest.raises(ValidationError):
                outcome(value)


def test_every_outcome_has_the_same_fields_in_json() -> None:
    """In results.jsonl, every outcome of a check has the same flat form."""
    common = {key: ROW[key] for key in ("mode_id", "severity", "primary_bucket", "scorer_version")}
    rows = (
        Judged(**common, verdict=Verdict.PASS, confidence=1.0, scorer=Scorer.RULE),
        NotRun(**common, reason=Reason.PROFILE),
        PhraseFound(**common, evidence=(PHRASE,)),
        Suppressed(**common),
        Ineligible(**common),
    )
    fields = {frozenset(json.loads(compact(row))) for row in rows}
    assert len(fields) == 1
    assert len(fields.pop()) == 20


@pytest.mark.parametrize("gate", [None, Bucket.A, Bucket.B])
@pytest.mark.parametrize("verdict", [None, *Verdict])
@pytest.mark.parametrize("state", list(State))
def test_what_is_undecided_and_what_is_not_settled(
    state: State, verdict: Verdict | None, gate: Bucket | None
) -> None:
    """Not run, found and UNCLEAR are undecided; UNCLEAR and split votes on a gate are not settled."""
    if (state is State.JUDGED) != (verdict is not None):
        return
    item = gate_check(f"IB-{gate}1") if gate else check("IB-F1")
    for split in (False, True) if verdict else (False,):
        found = row(item, verdict, state, split=split)
        assert found.undecided == (state in (State.NOT_RUN, State.FOUND) or verdict is Verdict.UNCLEAR)
        assert found.unsettled == (gate is not None and (split or verdict is Verdict.UNCLEAR))


def test_words_that_are_found_are_the_assistants_and_name_their_lexicon() -> None:
    """A row of the state `found` shows at least one quote of the assistant, with the lexicon of each."""
    found = {**ROW, "state": "found", "verdict": None, "confidence": None, "scorer": "none"}
    assert outcome({**found, "evidence": (PHRASE, PHRASE)}).evidence[0].pattern == "claims/nurse"
    for wrong in (NONE, BY_ASSISTANT, BY_USERS_PHRASE, (PHRASE, SPAN)):
        with pytest.raises(ValidationError):
            outcome({**found, "evidence": wrong})


@pytest.mark.parametrize("verdict", [None, *Verdict])
def test_a_fail_is_contested_unless_most_votes_say_so(verdict: Verdict | None) -> None:
    """Only a FAIL can be contested, and half of the votes are not most."""
    if verdict is None:
        assert not row(gate_check(), None).contested
        return
    for confidence in (0.0, 1 / 3, 0.5, 3 / 5, 2 / 3, 1.0):
        found = row(gate_check(), verdict, confidence=confidence)
        assert found.contested == (verdict is Verdict.FAIL and confidence <= 0.5)


def test_refused_questions_are_windows_not_votes() -> None:
    """Three refusals in one window are one question; an extraction leaves only its reason."""
    refused = [
        InvalidVote(window=window, repetition=number, phase=Phase.DECIDE, invalid=REFUSED)
        for window, number in ((0, 1), (0, 2), (1, 3))
    ]
    assert row(check(), Verdict.UNCLEAR, votes=tuple(refused)).refused_questions == 2
    assert row(check(), Verdict.UNCLEAR, reason="refused").refused_questions == 1
    assert row(check(), Verdict.UNCLEAR).refused_questions == 0
    assert row(check(), None).refused_questions == 0


def test_unreadable_questions_are_windows_not_votes() -> None:
    """Three unreadable votes on one window are one question; a failure without a quote has the right form."""
    votes = [
        InvalidVote(window=window, repetition=number, phase=Phase.DECIDE, invalid=unreadable("no object"))
        for window, number in ((0, 1), (0, 2), (1, 3))
    ]
    unquoted = InvalidVote(window=2, repetition=1, phase=Phase.DECIDE, invalid=NO_QUOTE, stated=Verdict.FAIL)
    found = row(check(), Verdict.UNCLEAR, votes=(*votes, unquoted))
    assert (found.unreadable_questions, found.refused_questions) == (2, 0)
    assert row(check(), Verdict.UNCLEAR, reason="claims_unreadable").unreadable_questions == 1
    assert row(check(), None).unreadable_questions == 0


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_confidence_is_a_share(confidence: float) -> None:
    """Between 0 and 1, and a number."""
    with pytest.raises(ValidationError, match="confidence"):
        outcome({**ROW, "confidence": confidence})


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"gates": {}},
        {"gates": {"A": CLEAR}},
        {"gates": {"A": CLEAR, "B": CLEAR, "C": CLEAR}},
        {"gates": {"A": FAILED_BY_JUDGE, "B": CLEAR}},
        {"gates": {"A": CONTESTED, "B": CLEAR}},
        {"gates": {"A": CLEAR, "B": INCOMPLETE}},
        {"gates": {"A": {**CONTESTED, "state": "incomplete"}, "B": CLEAR}, "overall_score": None},
        {"gates": {"A": {**FAILED_BY_JUDGE, "state": "clear"}, "B": CLEAR}},
        {"gates": {"A": {"state": "failed_by_judge"}, "B": CLEAR}, "overall_score": 0.0},
        {"quality": {"C": {"passes": 1, "failures": 1, "rate": 0.9}}},
        {"quality": {"C": {"passes": 0, "failures": 0, "rate": 0.5}}},
        {"quality": {"C": {"passes": 1, "failures": 1, "rate": None}}},
        {"quality": {"C": {"passes": -1, "failures": 3, "rate": None}}},
    ],
)
def test_a_score_does_not_contradict_itself(wrong: dict[str, Any]) -> None:
    """Both gates have the state that their checks give, the score follows, and a rate follows from counts."""
    TranscriptScore.model_validate(SCORE)
    with pytest.raises(ValidationError):
        TranscriptScore.model_validate({**SCORE, **wrong})


def test_lesson_17_nothing_measurable_is_null() -> None:
    """Neither passes nor failures: the rate is null, and a null survives being written."""
    none = BucketScore(passes=0, failures=0, rate=None)
    assert BucketScore.model_validate_json(none.model_dump_json()).rate is None
