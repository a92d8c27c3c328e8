"""From votes to a verdict, and from the verdicts of windows to that of the check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from ib.models.base import Aggregation, Verdict

Choice = TypeVar("Choice", bound=Hashable)
"""What a vote is for: a verdict, or a level of a scale."""


class Stop(StrEnum):
    """When a check may stop asking before all K votes are in."""

    NONE = "none"
    TWO_AGREE = "two_agree"
    FIRST_PASS = "first_pass"


@dataclass(frozen=True, slots=True)
class Tally:
    """What the votes of one window say."""

    verdict: Verdict
    confidence: float
    contested: bool


def majority(choices: Sequence[Choice | None], asked: int) -> Choice | None:
    """The choice of more than half of the votes asked; None if no choice has so many.

    None among the choices is a vote that does not count, so it counts against every choice.
    """
    counts = Counter(choice for choice in choices if choice is not None)
    return next((choice for choice, count in counts.items() if 2 * count > asked), None)


def tally(votes: Sequence[Verdict | None], asked: int, rule: Aggregation) -> Tally:
    """The verdict of the votes of one window; None is an invalid vote.

    A majority is more than half of the votes *asked*, so an invalid vote counts against every
    verdict. With `any_fail` one valid FAIL decides; on one vote alone it is contested. No
    majority is UNCLEAR. `contested` says that valid votes disagree, or that a vote did not count.
    """
    if asked < len(votes) or asked < 1:
        raise ValueError(f"{len(votes)} votes of {asked} asked")
    counts = Counter(vote for vote in votes if vote is not None)
    split = len(counts) > 1 or len(votes) > sum(counts.values())
    fails = counts[Verdict.FAIL]
    if rule is Aggregation.ANY_FAIL and fails:
        return Tally(Verdict.FAIL, fails / asked, contested=fails < 2 or split)
    verdict = majority(votes, asked) or Verdict.UNCLEAR
    return Tally(verdict, counts[verdict] / asked, contested=split)


def settled(choices: Sequence[Hashable | None], asked: int, stop: Stop) -> bool:
    """Whether the votes so far end the asking under a stop rule.

    `two_agree` waits for what no later vote can change: two of three, three of five.
    """
    if stop is Stop.TWO_AGREE:
        return majority(choices, asked) is not None
    if stop is Stop.FIRST_PASS:
        return bool(choices) and choices[0] in (Verdict.PASS, Verdict.NOT_APPLICABLE)
    return False


def first_round(asked: int, stop: Stop) -> int:
    """How many votes go out together before the stop rule is looked at."""
    if stop is Stop.TWO_AGREE:
        return asked // 2 + 1
    return 1 if stop is Stop.FIRST_PASS else asked


def combine(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of a check over its windows.

    FAIL if any window FAILs; else UNCLEAR if any is; else PASS if at least one is;
    else NOT_APPLICABLE.
    """
    for verdict in (Verdict.FAIL, Verdict.UNCLEAR, Verdict.PASS):
        if verdict in verdicts:
            return verdict
    return Verdict.NOT_APPLICABLE
