"""How often wrong votes alone make a FAIL, if a vote errs with a given chance and votes err together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

from ib.engine.votes.voting import Quota, next_round, tally
from ib.models.common.base import Aggregation, Verdict

WRONG = 0.02
"""The assumed share of a judge's votes on a flawless reply that say FAIL. No exam has measured it."""
CORRELATIONS = (0.75, 0.5, 0.25, 0.0)
"""Correlations between the votes on one question. 0 means that they are independent, which is the ideal."""

Asked = tuple[Aggregation, Quota, int]
"""The rule of a check, the votes on each of its questions, and how many questions were asked."""


@dataclass(frozen=True)
class Chances:
    """The chance of a FAIL by most votes, and of any FAIL, contested ones included."""

    by_most: float
    failed: float


def chance_of(votes: Sequence[bool], share: float, correlation: float) -> float:
    """The chance of these votes in this order, if a vote is True with chance `share`.

    The number of True votes has a beta-binomial distribution: each question has a share of its own, drawn
    from a beta distribution with mean `share`, so that any two votes on it have this correlation.
    """
    trues = sum(votes)
    if not correlation:
        return float(share**trues * (1 - share) ** (len(votes) - trues))
    size = (1 - correlation) / correlation
    a, b = share * size, (1 - share) * size
    top = prod(a + i for i in range(trues)) * prod(b + i for i in range(len(votes) - trues))
    return float(top / prod(size + i for i in range(len(votes))))


def polls(quota: Quota, votes: tuple[Verdict, ...] = ()) -> Iterator[tuple[Verdict, ...]]:
    """Every sequence of PASS and FAIL votes with which a poll can end."""
    batch = next_round(votes, quota)
    if not batch:
        yield votes
        return
    for number in range(2**batch):
        more = (Verdict.FAIL if number >> at & 1 else Verdict.PASS for at in range(batch))
        yield from polls(quota, (*votes, *more))


@cache
def of_question(rule: Aggregation, quota: Quota, share: float, correlation: float = 0.0) -> Chances:
    """The chances of one question if a vote says FAIL with chance `share`, and PASS otherwise."""
    by_most = failed = 0.0
    for votes in polls(quota):
        found = tally(votes, len(votes), rule)
        if found.verdict is Verdict.FAIL:
            chance = chance_of([vote is Verdict.FAIL for vote in votes], share, correlation)
            failed += chance
            by_most += chance * (found.confidence > 0.5)
    return Chances(by_most, failed)


def failed_by_error(asked: Iterable[Asked], correlation: float) -> float:
    """How many questions without a failure are expected to FAIL by most votes, at an error of `WRONG`."""
    return sum(count * of_question(rule, quota, WRONG, correlation).by_most for rule, quota, count in asked)
