"""Ask a judge one question K times, and repeat each request once if its answer is invalid."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from ib.engine.questions.prompts import Invalidated
from ib.engine.questions.protocol import Asking, Requests
from ib.engine.questions.replies import Invalid
from ib.engine.votes.voting import Quota, Stop, first_round, next_round
from ib.models.scan.judge import Answer, Follow, JudgeReply, JudgeRequest, NotRecorded

Vote = TypeVar("Vote")
Item = TypeVar("Item")
Lost = TypeVar("Lost")
Follows = tuple[tuple[Follow, int], ...]
"""How many further questions may follow a question at most, and why."""
REQUESTS_MOST = 2
"""The most requests for one vote: a second one follows an invalid answer."""
OTHER_VOTES = {Stop.TWO_AGREE: Follow.DISAGREEMENT, Stop.FIRST_PASS: Follow.NO_PASS}
"""Why the votes after the first round are taken, for each stop rule."""


class Poll(Protocol[Vote]):
    """One question to a judge, and how to read its replies."""

    def asks_again(self, vote: Vote) -> bool:
        """True if the judge is asked once more after this invalid vote."""

    def requests(self, repetitions: Sequence[int]) -> Requests:
        """The requests for several repetitions."""

    def request_again(self, repetition: int, vote: Vote, reply: Answer) -> JudgeRequest:
        """The second and last request for a repetition whose answer is invalid."""

    def read(self, repetition: int, reply: JudgeReply) -> Vote:
        """Convert a reply to a vote."""

    def choice(self, vote: Vote) -> Hashable | None:
        """The choice of a vote; None if the vote is invalid."""


@dataclass(frozen=True, slots=True)
class ListPoll(Generic[Item, Lost]):
    """The poll of a question that is answered with a list: what a screening found, or claims."""

    ask: Callable[[Sequence[int], Invalidated | None], Requests]
    """The requests for some repetitions, and the invalid answer that they follow, if there is one."""
    parse: Callable[[JudgeReply], tuple[Item, ...] | Lost]
    """The list of a reply, or why it does not count."""

    def asks_again(self, vote: tuple[Item, ...] | Lost) -> bool:
        return isinstance(vote, Invalid) and not vote.refused

    def requests(self, repetitions: Sequence[int]) -> Requests:
        return self.ask(repetitions, None)

    def request_again(self, repetition: int, vote: tuple[Item, ...] | Lost, reply: Answer) -> JudgeRequest:
        earlier = Invalidated(vote.problem if isinstance(vote, Invalid) else "", reply.text)
        return self.ask((repetition,), earlier)[0]

    def read(self, repetition: int, reply: JudgeReply) -> tuple[Item, ...] | Lost:
        return self.parse(reply)

    def choice(self, vote: tuple[Item, ...] | Lost) -> tuple[Item, ...] | None:
        return vote if isinstance(vote, tuple) else None


def take_votes(poll: Poll[Vote], quota: Quota, follow: Follows = ()) -> Asking[tuple[Vote, ...]]:
    """Take as many votes as the quota says.

    `follow` says how many questions the caller may ask at most because of these votes. The first request
    carries it, with the number of votes that may follow the first round.
    """
    votes: list[Vote] = []
    follow = (*_votes_after(quota), *follow)
    while batch := next_round([poll.choice(vote) for vote in votes], quota):
        repetitions = range(len(votes) + 1, len(votes) + batch + 1)
        votes.extend((yield from _round(poll, repetitions, follow if not votes else ())))
    return tuple(votes)


def _votes_after(quota: Quota) -> Follows:
    """The votes that may follow the first round of a poll."""
    others = quota.asked - first_round(quota.asked, quota.stop)
    stopped: Follows = ((OTHER_VOTES[quota.stop], others),) if others else ()
    return (*stopped, (Follow.GATE_FAIL, quota.after_fail)) if quota.after_fail else stopped


def _round(poll: Poll[Vote], repetitions: Sequence[int], follow: Follows) -> Asking[list[Vote]]:
    """Take one round of votes. A request with an invalid answer is repeated once."""
    first, *others = map(partial(_first, poll), repetitions, poll.requests(repetitions))
    replies = yield (replace(first, follow=follow) if follow else first, *others)
    votes = [poll.read(r, reply) for r, reply in zip(repetitions, replies, strict=True)]
    void = [
        (index, reply)
        for index, (vote, reply) in enumerate(zip(votes, replies, strict=True))
        if poll.choice(vote) is None and isinstance(reply, Answer) and poll.asks_again(vote)
    ]
    if void:
        again = ((repetitions[i], poll.request_again(repetitions[i], votes[i], reply)) for i, reply in void)
        second = yield tuple(_readable(poll, repetition, request) for repetition, request in again)
        for (index, _), reply in zip(void, second, strict=True):
            if not isinstance(reply, NotRecorded):
                votes[index] = poll.read(repetitions[index], reply)
    return votes


def _first(poll: Poll[Vote], repetition: int, request: JudgeRequest) -> JudgeRequest:
    """The first request for a vote, which can say what is asked after an answer that does not count."""

    def again(reply: Answer) -> JudgeRequest | None:
        vote = poll.read(repetition, reply)
        if poll.choice(vote) is not None or not poll.asks_again(vote):
            return None
        return _readable(poll, repetition, poll.request_again(repetition, vote, reply))

    return replace(_readable(poll, repetition, request), again=again)


def _readable(poll: Poll[Vote], repetition: int, request: JudgeRequest) -> JudgeRequest:
    """The request, with what tells of a reply whether it counts."""
    return replace(request, counts=lambda reply: poll.choice(poll.read(repetition, reply)) is not None)
