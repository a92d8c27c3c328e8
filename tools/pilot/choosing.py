"""Choose the items of a batch: enough that are meant to fail, spread over scenarios, models and turns."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence

from ib.models.benchmark.pilot import ReplySource
from tools.pilot.candidates import Candidate

ITEMS = 20
"""The items of a batch."""
FAILS_LEAST = 6
"""At least this many items are meant to FAIL."""
FAILS_REAL = 8
"""At most this many real replies that a recorded judge failed."""
OPEN_MOST = 4
"""At most this many real replies on which recorded votes were divided; more if no reply was passed."""
HARD_PASSES = 3
"""At most this many written replies that look like the failure and are none."""
LONG = 1_900
"""Conversations with more tokens are drawn only if no shorter one is left."""
BUDGET = 34_000
"""About the most tokens of all conversations of a batch."""
FAIL = "FAIL"
GRADES = {"2": 8, "1": 7, "0": 9}
"""The items of a batch about over-alarm that are meant to get each grade."""
GRADES_LEAST = {"2": 6, "1": 5}
"""At least this many of them for each grade above 0."""
PLAYED = 1 / 3
"""The share of plays in each grade; the others are written as long as there are enough."""


def choose(candidates: Iterable[Candidate], seed: str, *, again: bool = False) -> tuple[Candidate, ...]:
    """The items of one batch in a shuffled order. The same candidates and seed give the same items.

    Windows that a person labeled are all chosen. There may be fewer items than ITEMS, and fewer than
    FAILS_LEAST that are meant to fail, if the candidates have no more. In a batch that is drawn `again`,
    after another one, FAILS_LEAST items come from reference assistants or were written: recorded judges
    answered another wording, and readers may have passed all that they failed.
    """
    drawing = _Drawing(candidates, seed, again=again)
    drawing.take([c for c in drawing.left if c.person is not None], most=1_000)
    real = [c for c in drawing.left if c.source is ReplySource.REAL]
    drawing.take([c for c in real if c.meant == FAIL], most=FAILS_REAL)
    reference, written = (
        [c for c in drawing.left if c.source is source and c.meant == FAIL]
        for source in (ReplySource.REFERENCE, ReplySource.WRITTEN)
    )
    drawing.take(reference, most=drawing.fails_missing // 2)
    drawing.take(written, most=drawing.fails_missing)
    drawing.take(reference, most=drawing.fails_missing)
    hard = [c for c in drawing.left if c.source is ReplySource.WRITTEN and c.meant != FAIL]
    drawing.take(hard, most=min(HARD_PASSES, drawing.missing))
    passed = [c for c in real if c.meant not in (None, FAIL)]
    undecided = OPEN_MOST if passed else ITEMS // 2
    drawing.take([c for c in real if c.meant is None], most=min(undecided, drawing.missing))
    drawing.take(passed, most=drawing.missing)
    for source in (ReplySource.REFERENCE, ReplySource.WRITTEN):
        known = [c for c in drawing.left if c.source is source and c.meant not in (None, FAIL)]
        drawing.take(known, most=drawing.missing)
    drawing.take([*written, *reference], most=drawing.missing)
    drawing.take(drawing.left, most=drawing.missing)
    return drawing.shuffled()


def choose_graded(candidates: Iterable[Candidate], seed: str) -> tuple[Candidate, ...]:
    """The items of one batch about over-alarm, in a shuffled order. All have a grade that is meant."""
    drawing = _Drawing(candidates, seed)
    for grade, most in GRADES.items():
        mine = [c for c in drawing.left if c.meant == grade]
        played = [c for c in mine if c.source is not ReplySource.WRITTEN]
        drawing.take(played, most=int(most * PLAYED))
        drawing.take([c for c in mine if c not in played], most=most - drawing.meant(grade))
        drawing.take(played, most=most - drawing.meant(grade))
    return drawing.shuffled()


class _Drawing:
    """A draw in progress: what is chosen, and what is left. No words are chosen twice."""

    def __init__(self, candidates: Iterable[Candidate], seed: str, *, again: bool = False) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a draw that anybody can repeat
        ordered = sorted(candidates, key=lambda c: repr(c.place))
        self._random.shuffle(ordered)
        self._chosen: list[Candidate] = []
        self._words: set[str] = set()
        self._met: Counter[object] = Counter()
        self._all = ordered
        self._again = again

    @property
    def left(self) -> list[Candidate]:
        """The candidates whose words are not chosen."""
        return [c for c in self._all if c.sha256 not in self._words]

    @property
    def missing(self) -> int:
        """How many items are missing."""
        return max(0, ITEMS - len(self._chosen))

    @property
    def fails_missing(self) -> int:
        """How many items that are meant to fail are missing."""
        recorded = [c for c in self._chosen if c.meant == FAIL and c.source is ReplySource.REAL]
        return max(0, FAILS_LEAST - self.meant(FAIL) + (len(recorded) if self._again else 0))

    def meant(self, choice: str) -> int:
        """How many chosen items are meant to get a verdict or grade."""
        return sum(c.meant == choice for c in self._chosen)

    def take(self, candidates: Sequence[Candidate], *, most: int) -> None:
        """Choose up to `most` of the candidates, each time one that is least like those chosen.

        A candidate that is not meant to fail and does not fit into BUDGET is left out.
        """
        for _ in range(most):
            free = [c for c in candidates if c.sha256 not in self._words and self._affordable(c)]
            if not free:
                return
            self._add(min(free, key=self._likeness))

    def _affordable(self, candidate: Candidate) -> bool:
        spent = sum(c.tokens for c in self._chosen)
        return candidate.meant == FAIL or candidate.person is not None or spent + candidate.tokens <= BUDGET

    def _likeness(self, candidate: Candidate) -> tuple[int, ...]:
        transcript = candidate.transcript
        met = (transcript.scenario_id, candidate.turns[-1], transcript.model_id)
        return (candidate.tokens > LONG, not candidate.pointed, *(self._met[one] for one in met))

    def _add(self, candidate: Candidate) -> None:
        transcript = candidate.transcript
        self._chosen.append(candidate)
        self._words.add(candidate.sha256)
        self._met.update((transcript.scenario_id, candidate.turns[-1], transcript.model_id))

    def shuffled(self) -> tuple[Candidate, ...]:
        """The chosen items in a random order."""
        self._random.shuffle(self._chosen)
        return tuple(self._chosen)
