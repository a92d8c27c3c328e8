"""Quotes, votes and windows: valid and invalid values, and one flat form in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from ib.models.common.base import Unit, Verdict
from ib.models.common.canonical import compact
from ib.models.scan.ballot import (
    FAULTS,
    NO_QUOTE,
    NOT_RECORDED,
    REFUSED,
    CountedVote,
    CueAnswer,
    EvidenceSpan,
    Invalidity,
    InvalidKind,
    Vote,
    Window,
    unreadable,
)
from ib.models.scan.judge import FaultKind, Phase
from tests.models.build import SPAN, VOTE_CAST

VOTES: TypeAdapter[Vote] = TypeAdapter(Vote)
NONE, BY_USER, BY_ASSISTANT = (), ({**SPAN, "role": "user"},), (SPAN,)
KINDS = (
    NOT_RECORDED,
    NO_QUOTE,
    FAULTS[FaultKind.TRANSIENT],
    REFUSED,
    unreadable("no JSON object in the reply"),
)


def counts(vote: Mapping[str, Any]) -> bool:
    """Whether a vote may be that has a verdict."""
    quoted = vote["verdict"] is not Verdict.FAIL or vote["evidence"] is BY_ASSISTANT
    return vote["stated"] is None and vote["invalid"] is None and quoted


def is_void(vote: Mapping[str, Any]) -> bool:
    """Whether a vote may be that has no verdict."""
    stated: Mapping[Any, set[Verdict | None]]
    stated = {NO_QUOTE: {Verdict.FAIL}, NOT_RECORDED: {None}, KINDS[2]: {None}, REFUSED: {None}}
    allowed = stated.get(vote["invalid"], {None, *Verdict})
    return vote["invalid"] is not None and vote["evidence"] is NONE and vote["stated"] in allowed


@pytest.mark.parametrize("verdict", [None, *Verdict])
def test_a_vote_counts_or_says_why_not(verdict: Verdict | None) -> None:
    """Over all verdicts, statements, reasons and evidence: both, neither, or a bare FAIL do not construct."""
    for stated, invalid, evidence in product((None, *Verdict), (None, *KINDS), (NONE, BY_USER, BY_ASSISTANT)):
        value = {**VOTE_CAST, "verdict": verdict, "stated": stated, "invalid": invalid, "evidence": evidence}
        if counts(value) if verdict is not None else is_void(value):
            vote = VOTES.validate_python(value)
            assert (vote.verdict, vote.stated, vote.invalid) == (verdict, stated, invalid)
            assert VOTES.validate_python(json.loads(compact(vote))) == vote
        else:
            with pytest.raises(ValidationError):
                VOTES.validate_python(value)


@pytest.mark.parametrize("kind", InvalidKind)
@pytest.mark.parametrize("fault", [None, *FaultKind])
@pytest.mark.parametrize("problem", ["", "no JSON object in the reply", "fault: transient", "not_recorded"])
def test_a_fault_is_known_by_its_kind_and_never_by_its_text(
    kind: InvalidKind, fault: FaultKind | None, problem: str
) -> None:
    """A fault is named where there was one; no problem of a reply can pass for anything else."""
    right = (kind is InvalidKind.FAULT) == (fault is not None)
    right &= (kind is InvalidKind.UNREADABLE) == bool(problem)
    if right and problem in ("", "no JSON object in the reply"):
        assert Invalidity(kind, fault, problem).kind is kind
    else:
        with pytest.raises(ValueError, match=r"fault|problem|another kind"):
            Invalidity(kind, fault, problem)


def test_the_text_of_every_kind_is_read_back() -> None:
    """What a vote says in JSON gives the same vote again, and the texts are those of earlier scans."""
    void = {**VOTE_CAST, "verdict": None}
    for kind in (NOT_RECORDED, REFUSED, *FAULTS.values(), unreadable("reply, verdict: Field required")):
        assert VOTES.validate_python({**void, "invalid": str(kind)}).invalid == kind
    assert str(NOT_RECORDED) == "not_recorded"
    assert str(REFUSED) == "refused"
    assert str(NO_QUOTE) == "no assistant quote of it was found"
    assert str(FAULTS[FaultKind.RATE_LIMIT]) == "fault: rate_limit"
    assert VOTES.validate_json(json.dumps({**void, "invalid": "fault: rate"})).invalid == unreadable(
        "fault: rate"
    )


def test_a_vote_keeps_what_it_says_of_cues_and_occurrences() -> None:
    """Both are read back, a vote that was not asked for occurrences has none, and turns are turns."""
    vote = {**VOTE_CAST, "verdict": "FAIL", "evidence": BY_ASSISTANT}
    cues = [{"turn": 1, "met": False}, {"turn": 3, "met": None}]
    said = VOTES.validate_python({**vote, "occurrences": [1, 4], "cues": cues})
    assert isinstance(said, CountedVote)
    assert (said.occurrences, said.cues) == (
        (1, 4),
        (CueAnswer(turn=1, met=False), CueAnswer(turn=3, met=None)),
    )
    assert VOTES.validate_json(compact(said)) == said
    bare = VOTES.validate_python(vote)
    assert isinstance(bare, CountedVote)
    assert (bare.occurrences, bare.cues) == (None, ())
    for wrong in ({"occurrences": [0]}, {"cues": [{"turn": 0, "met": True}]}, {"cues": [{"turn": 1}]}):
        with pytest.raises(ValidationError):
            VOTES.validate_python({**vote, **wrong})


def test_a_vote_that_does_not_count_says_nothing_of_cues() -> None:
    """What an invalid reply says of cues and occurrences is not kept."""
    void = {**VOTE_CAST, "verdict": None, "invalid": "refused"}
    VOTES.validate_python(void)
    for said in ({"occurrences": [1]}, {"cues": [{"turn": 1, "met": True}]}):
        with pytest.raises(ValidationError):
            VOTES.validate_python({**void, **said})


@pytest.mark.parametrize("phase", Phase)
def test_a_window_does_not_end_before_it_begins(phase: Phase) -> None:
    """Turns are counted from 1; votes are asked for exactly where no rule decides."""
    for first, last, asked in product(range(-1, 4), range(-1, 4), (0, 3)):
        value = {"kind": Unit.TURN_LEVEL, "first": first, "last": last, "phase": phase, "asked": asked}
        if 1 <= first <= last and (asked == 0) == (phase is Phase.RULE):
            assert Window(**value, verdict=Verdict.PASS).asked == asked
        else:
            with pytest.raises(ValidationError):
                Window(**value, verdict=Verdict.PASS)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (0, 0), (3, 3), (4, 3)])
def test_a_quote_holds_something(start: int, end: int) -> None:
    """A span begins in the message and ends behind its beginning."""
    with pytest.raises(ValidationError):
        EvidenceSpan.model_validate({**SPAN, "start": start, "end": end})


@pytest.mark.parametrize(("quote", "end"), [("", 1), ("  \n", 3), ("one", 2), ("one", 4)])
def test_a_quote_has_words_and_the_length_of_its_place(quote: str, end: int) -> None:
    """A FAIL with an empty quote would be a FAIL without evidence."""
    EvidenceSpan.model_validate({**SPAN, "quote": "one", "start": 0, "end": 3})
    with pytest.raises(ValidationError, match="quote"):
        EvidenceSpan.model_validate({**SPAN, "quote": quote, "start": 0, "end": end})
