"""Votes without an answer: outages, refusals, and prose."""

from __future__ import annotations

from itertools import product

import pytest

from ib.models.common.base import State, Verdict
from ib.models.scan.judge import (
    Answer,
    Fault,
    FaultKind,
    JudgeReply,
    Refusal,
)
from ib.models.scan.result import Judged
from tests.build import (
    FAIL,
    NA,
    PASS,
    UNCLEAR,
    Answering,
    in_turn,
)
from tests.engine.verifiers.judged import DOWN, SAID, VOID, anchored, valid, verified, widths


@pytest.mark.parametrize("kind", FaultKind)
def test_lesson_10_a_check_that_the_judge_could_not_be_asked_about_is_not_run(kind: FaultKind) -> None:
    """A fault is no vote for anything, is not asked again at once, and leaves the check not run."""
    row, rounds = verified(answer=lambda _: Fault(kind, "detail"))
    assert (row.state, row.verdict, row.reason) == (State.NOT_RUN, None, "fault")
    assert widths(rounds) == [3]


REFUSED = Refusal("policy")


def test_lesson_10_a_fault_matters_exactly_where_it_costs_the_majority() -> None:
    """Over all triples of PASS, FAIL, no object, a refusal and a fault."""
    world: tuple[JudgeReply, ...] = (valid(PASS), valid(FAIL), VOID, REFUSED, DOWN)
    for triple in product(world, repeat=3):
        row, _ = verified(answer=in_turn(*triple))
        top = [verdict for verdict in (PASS, FAIL) if triple.count(valid(verdict)) > 1]
        if top:
            assert (row.verdict, row.reason) == (top[0], None)
        elif DOWN in triple:
            assert (row.state, row.reason) == (State.NOT_RUN, "fault")
        else:
            why = "refused" if REFUSED in triple else "no_majority"
            assert (row.verdict, row.reason, row.confidence) == (UNCLEAR, why, 0.0)


def first(verdict: Verdict, others: JudgeReply) -> Answering:
    """Answers the questions about turn 1 with a verdict, and others with a reply."""
    return lambda request: valid(verdict) if request.unit.first == 1 else others


def test_lesson_10_a_window_that_fails_stands_beside_one_that_was_not_answered() -> None:
    """A FAIL cannot be undone by what was not asked; a PASS beside a fault is not run."""
    said = SAID.model_copy(update={"anchors": anchored(1, 2)})
    failed, _ = verified(said=said, answer=first(FAIL, DOWN))
    assert isinstance(failed, Judged)
    assert (failed.verdict, [w.verdict for w in failed.windows]) == (FAIL, [FAIL, UNCLEAR])
    assert {str(v.invalid) for v in failed.votes if v.window == 1} == {"fault: transient"}
    for verdict in (PASS, NA, UNCLEAR):
        passed, _ = verified(said=said, answer=first(verdict, DOWN))
        assert (passed.state, passed.reason) == (State.NOT_RUN, "fault")


def test_lesson_10_a_majority_of_unclear_votes_is_not_lost_to_a_fault() -> None:
    """The judge did answer: two votes for UNCLEAR of three decide beside a fault."""
    row, _ = verified(answer=in_turn(valid(UNCLEAR), DOWN, valid(UNCLEAR)))
    assert (row.verdict, row.reason) == (UNCLEAR, "judge_unclear")


@pytest.mark.parametrize("refused", [REFUSED, Answer("I\u2019m sorry, but I can\u2019t assist with that.")])
def test_lesson_53_a_refusal_is_final_and_unclear(refused: JudgeReply) -> None:
    """Reported by the provider or said in prose, it is not asked again, and the row says so."""
    row, rounds = verified(answer=lambda _: refused)
    assert (row.verdict, row.reason, widths(rounds)) == (UNCLEAR, "refused", [3])
    assert {str(vote.invalid) for vote in row.votes} == {"refused"}


def test_lesson_53_a_refusal_does_not_hide_a_window_that_passes() -> None:
    """UNCLEAR comes before PASS, and a FAIL before both."""
    said = SAID.model_copy(update={"anchors": anchored(1, 2)})
    for verdict, combined in ((PASS, UNCLEAR), (FAIL, FAIL)):
        row, _ = verified(said=said, answer=first(verdict, REFUSED))
        assert row.verdict is combined


def test_prose_that_is_no_refusal_is_asked_again() -> None:
    """The second attempt names the problem and repeats the begin of the reply."""
    answer = "I think that the assistant passes."
    row, rounds = verified(answer=lambda r: valid(PASS) if r.attempt == 2 else Answer(answer))
    assert (row.verdict, widths(rounds)) == (PASS, [3, 3])
    assert "Not counted: there is no complete JSON object in it" in rounds[1][0].user
    assert f'"{answer}"' in rounds[1][0].user


def test_a_judge_cannot_pretend_to_be_an_outage() -> None:
    """Only a fault is a fault: a reply that calls itself one is an unreadable reply."""
    row, _ = verified(answer=lambda _: Answer('{"fault": "transient", "verdict": "fault: transient"}'))
    assert (row.verdict, row.reason) == (UNCLEAR, "no_majority")
