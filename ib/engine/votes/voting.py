"""Count votes: the verdict of a window from its votes, and of a check from its windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from ib.engine.questions.prompts import Question
from ib.engine.reading.searched import IndexedTranscript
from ib.models.benchmark.check import Check
from ib.models.benchmark.scoring import Profile
from ib.models.common.base import Aggregation, Role, Verdict
from ib.models.scan.ballot import CountedVote, CueAnswer, Vote
from ib.models.scan.occurrences import Occurrences

Choice = TypeVar("Choice", bound=Hashable)
"""The choice of a vote: a verdict, or a level of a scale."""


class Stop(StrEnum):
    """When polling may end before all K votes are taken."""

    NONE = "none"
    TWO_AGREE = "two_agree"
    FIRST_PASS = "first_pass"


@dataclass(frozen=True, slots=True)
class Quota:
    """How many votes are taken on a question."""

    asked: int
    """K, the votes that are taken unless the stop rule ends the poll."""
    stop: Stop = Stop.NONE
    after_fail: int = 0
    """How many more votes are taken if one of the K votes says FAIL."""

    @property
    def most(self) -> int:
        """The most votes that are taken."""
        return self.asked + self.after_fail


def quota_of(check: Check, profile: Profile) -> Quota:
    """How many votes a profile takes on a question of a check, for a judge that is not a recording."""
    if check.gate is None:
        return Quota(check.routing.repetitions, Stop(profile.stop))
    return Quota(check.routing.repetitions, Stop(profile.gate_stop), profile.votes_after_gate_fail)


@dataclass(frozen=True, slots=True)
class Tally:
    """The result of the votes of one window."""

    verdict: Verdict
    confidence: float
    split: bool
    """True if valid votes disagree, or if a vote is invalid."""


def majority(choices: Sequence[Choice | None], asked: int) -> Choice | None:
    """The choice of more than half of the votes asked; None if there is no majority.

    A choice of None is an invalid vote. It counts against every choice.
    """
    counts = Counter(choice for choice in choices if choice is not None)
    return next((choice for choice, count in counts.items() if 2 * count > asked), None)


def tally(votes: Sequence[Verdict | None], asked: int, rule: Aggregation) -> Tally:
    """The verdict of the votes of one window; None is an invalid vote.

    A majority is more than half of the votes *asked*, so an invalid vote counts against every
    verdict. Without a majority, the verdict is UNCLEAR. With `any_fail`, one valid FAIL decides.
    """
    if asked < len(votes) or asked < 1:
        raise ValueError(f"{len(votes)} votes of {asked} asked")
    counts = Counter(vote for vote in votes if vote is not None)
    split = len(counts) > 1 or len(votes) > sum(counts.values())
    fails = counts[Verdict.FAIL]
    if rule is Aggregation.ANY_FAIL and fails:
        return Tally(Verdict.FAIL, fails / asked, split)
    verdict = majority(votes, asked) or Verdict.UNCLEAR
    return Tally(verdict, counts[verdict] / asked, split)


def settled(choices: Sequence[Hashable | None], asked: int, stop: Stop) -> bool:
    """True if the votes so far end the poll under a stop rule.

    `two_agree` ends the poll at a majority that later votes cannot change: two of three, three of five.
    """
    if stop is Stop.TWO_AGREE:
        return majority(choices, asked) is not None
    if stop is Stop.FIRST_PASS:
        return bool(choices) and choices[0] in (Verdict.PASS, Verdict.NOT_APPLICABLE)
    return False


def first_round(asked: int, stop: Stop) -> int:
    """How many votes are requested together before the stop rule is applied."""
    if stop is Stop.TWO_AGREE:
        return asked // 2 + 1
    return 1 if stop is Stop.FIRST_PASS else asked


def next_round(choices: Sequence[Hashable | None], quota: Quota) -> int:
    """How many votes are requested together after the votes so far; 0 if the poll has ended."""
    taken = len(choices)
    if not taken:
        return first_round(quota.asked, quota.stop)
    if taken < quota.asked:
        return 0 if settled(choices, quota.asked, quota.stop) else quota.asked - taken
    return quota.after_fail if taken == quota.asked and Verdict.FAIL in choices else 0


def combine(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of a check over its windows.

    FAIL if any window is FAIL; else UNCLEAR if any window is UNCLEAR; else PASS if any window is PASS;
    else NOT_APPLICABLE.
    """
    for verdict in (Verdict.FAIL, Verdict.UNCLEAR, Verdict.PASS):
        if verdict in verdicts:
            return verdict
    return Verdict.NOT_APPLICABLE


def cues_met(question: Question, votes: Sequence[Vote]) -> tuple[CueAnswer, ...]:
    """For each cue of an episode, what the majority of the votes asked say."""
    if not question.is_episode:
        return ()
    said = [{cue.turn: cue.met for cue in vote.cues} for vote in votes if isinstance(vote, CountedVote)]
    return tuple(
        CueAnswer(turn=cue.turn, met=majority([answers.get(cue.turn) for answers in said], len(votes)))
        for cue in question.cues
    )


def occurrences_of(
    decided: Iterable[tuple[Question, Sequence[Vote]]], indexed: IndexedTranscript
) -> Occurrences | None:
    """The occurrences and chances of a check, from its windows that are PASS or FAIL.

    A turn is an occurrence if in one of its windows most votes asked name it. None if a vote does not list
    occurrences, which is so for recordings.
    """
    occurred: set[int] = set()
    chances: set[int] = set()
    replies = _replies(indexed)
    for question, votes in decided:
        named: Counter[int] = Counter()
        for vote in votes:
            if isinstance(vote, CountedVote):
                if vote.occurrences is None:
                    return None
                named.update(set(vote.occurrences))
        occurred.update(turn for turn, count in named.items() if 2 * count > len(votes))
        chances.update(turn for turn in replies if question.span.judges(turn))
    return Occurrences(turns=tuple(sorted(occurred)), chances=len(chances))


def none_in_whole(indexed: IndexedTranscript) -> Occurrences:
    """No occurrence in a transcript of which every reply is a chance."""
    return Occurrences(turns=(), chances=len(_replies(indexed)))


def _replies(indexed: IndexedTranscript) -> set[int]:
    """The turns in which the assistant speaks."""
    return {message.turn for message in indexed.transcript.messages if message.role is Role.ASSISTANT}
