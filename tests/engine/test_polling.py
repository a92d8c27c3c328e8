"""Asking K times: what is asked in which round, and which votes come of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import pytest

from ib.engine.questions.protocol import Requests, replay
from ib.engine.votes.polling import take_votes
from ib.engine.votes.voting import Quota, Stop, majority
from ib.models.common.base import Unit
from ib.models.scan.judge import (
    Answer,
    Fault,
    FaultKind,
    JudgeReply,
    JudgeRequest,
    NotRecorded,
    Phase,
    Refusal,
    UnitSpan,
)
from tests.build import Rounds, run

YES, NO, UNREADABLE, FINAL = Answer("yes"), Answer("no"), Answer("???"), Answer("I decline")
DOWN, SILENT, REFUSED = Fault(FaultKind.TRANSIENT, "503"), NotRecorded(), Refusal("policy")
REPLIES: tuple[JudgeReply, ...] = (YES, NO, UNREADABLE, FINAL, DOWN, SILENT, REFUSED)
TRIPLES: list[tuple[JudgeReply, ...]] = list(product(REPLIES, repeat=3))
REQUEST = JudgeRequest(
    "", "IB-C1", "m", "s", None, UnitSpan(Unit.TURN_LEVEL, 1, 1), Phase.DECIDE, 1, 1, "", ""
)


@dataclass
class YesOrNo:
    """A poll whose votes are the replies themselves; an answer is `yes`, `no`, unreadable or final."""

    again: bool = True
    echoed: list[tuple[int, JudgeReply, str]] = field(default_factory=list)
    """The repetition, vote and text of each reply that was asked for again."""

    def asks_again(self, vote: JudgeReply) -> bool:
        return self.again and vote != FINAL

    def requests(self, repetitions: Sequence[int]) -> Requests:
        return tuple(replace(REQUEST, key=f"{r}", repetition=r) for r in repetitions)

    def request_again(self, repetition: int, vote: JudgeReply, reply: Answer) -> JudgeRequest:
        self.echoed.append((repetition, vote, reply.text))
        return replace(REQUEST, key=f"{repetition} again", repetition=repetition, attempt=2)

    def read(self, repetition: int, reply: JudgeReply) -> JudgeReply:
        return reply

    def choice(self, vote: JudgeReply) -> str | None:
        return vote.text if vote in (YES, NO) and isinstance(vote, Answer) else None


def polled(
    first: Sequence[JudgeReply], second: JudgeReply, *, again: bool = True, stop: Stop = Stop.NONE
) -> tuple[tuple[JudgeReply, ...], Rounds]:
    """The votes and the rounds of a poll with these first replies, and this one to a second request."""
    votes, rounds = run(
        lambda: take_votes(YesOrNo(again), Quota(len(first), stop)),
        lambda request: first[request.repetition - 1] if request.attempt == 1 else second,
    )
    return votes, rounds


@pytest.mark.parametrize("second", REPLIES, ids=str)
def test_only_an_answer_that_does_not_count_is_asked_for_again(second: JudgeReply) -> None:
    """Over all triples: an unreadable answer is replaced by the second reply unless none was recorded.

    A refusal and a fault are not asked for again, nor is an answer that the poll calls final.
    """
    for first in TRIPLES:
        votes, rounds = polled(first, second)
        void = [r for r, reply in enumerate(first, start=1) if reply == UNREADABLE]
        assert [[(r.repetition, r.attempt) for r in wanted] for wanted in rounds] == [
            [(1, 1), (2, 1), (3, 1)],
            *([[(r, 2) for r in void]] if void else []),
        ]
        kept = UNREADABLE if second == SILENT else second
        assert votes == tuple(kept if reply == UNREADABLE else reply for reply in first)


def test_the_second_request_knows_the_answer_that_did_not_count() -> None:
    """The poll is given the vote and the text of the answer, for each repetition that is repeated."""
    poll = YesOrNo()
    first = (UNREADABLE, YES, Answer("maybe"))

    def answer(request: JudgeRequest) -> JudgeReply:
        return first[request.repetition - 1] if request.attempt == 1 else YES

    made = take_votes(poll, Quota(3))
    result = replay(made, answer)
    assert result == (YES, YES, YES)
    assert poll.echoed == [(1, UNREADABLE, "???"), (3, Answer("maybe"), "maybe")]


def test_a_judge_that_is_not_asked_again_keeps_its_first_replies() -> None:
    """Where the judge has one answer a repetition, there is one round."""
    for first in TRIPLES:
        votes, rounds = polled(first, YES, again=False)
        assert (votes, len(rounds)) == (first, 1)


@pytest.mark.parametrize("stop", Stop)
def test_a_stop_rule_never_changes_what_the_majority_says(stop: Stop) -> None:
    """`two_agree` ends a poll only when no later vote can matter; without a rule all K are asked."""
    fives: list[tuple[JudgeReply, ...]] = list(product((YES, NO, DOWN), repeat=5))
    for first in fives:
        votes, rounds = polled(first, YES, stop=stop)
        assert votes == first[: len(votes)]
        if stop is Stop.NONE:
            assert len(votes) == 5
        if stop is not Stop.FIRST_PASS:
            choices = [YesOrNo().choice(vote) for vote in first]
            assert majority(choices[: len(votes)], 5) == majority(choices, 5)
        assert len(rounds) <= 2


def test_a_majority_is_of_the_asked_whatever_is_voted_on() -> None:
    """Levels are counted as verdicts are: 0 is a choice, and a vote that does not count is none."""
    for votes in product((0, 1, 2, None), repeat=3):
        top = [level for level in (0, 1, 2) if votes.count(level) > 1]
        assert majority(votes, 3) == (top[0] if top else None)
        assert majority(votes, 6) is None
