"""What most votes on a window say beside its verdict: which cues were met, and where the failure occurred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ib.engine.questions.prompts import Question
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.votes.voting import majority
from ib.models.common.base import Role
from ib.models.scan.ballot import CountedVote, CueAnswer, Vote
from ib.models.scan.occurrences import Occurrences


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


def of_whole(indexed: IndexedTranscript, turns: Iterable[int] = ()) -> Occurrences:
    """The occurrences in these turns, if every reply of the transcript is a chance."""
    return Occurrences(turns=tuple(sorted(set(turns))), chances=len(_replies(indexed)))


def _replies(indexed: IndexedTranscript) -> set[int]:
    """The turns in which the assistant speaks."""
    return {message.turn for message in indexed.transcript.messages if message.role is Role.ASSISTANT}
