"""Recomputing what a second judge of a scan said."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ib.board.figures.second import SecondTally
from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import replay
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.second import Compared, SecondJudge
from ib.engine.verifiers.base import PutQuestion
from ib.models.scan.result import TranscriptResult
from ib.models.scan.second import SecondPlan
from ib.pipeline.common.costing import uncosted
from ib.pipeline.release.reading import Reading
from ib.pipeline.release.source import Heard
from ib.pipeline.scan.second import SecondPlanner
from ib.pipeline.scan.second_scan import second_lines
from ib.store.folders import scans

ESTIMATED = ("planned_calls_expected", "planned_calls_max", "estimated_cost_usd")


class SecondReplay:
    """Recomputes the comparison from the journals of both judges, one transcript at a time."""

    def __init__(self, reading: Reading, engine: ModeEngine, plan: SecondPlan) -> None:
        self.tally = SecondTally()
        self._stored = plan
        self._asks = SecondJudge(engine, plan.judge, plan.share)
        self._planner = SecondPlanner(self._asks, uncosted())
        self._replies = reading.second()
        self._lines = hashlib.sha256()

    def add(
        self,
        indexed: IndexedTranscript,
        put: Sequence[PutQuestion],
        first_round: int,
        result: TranscriptResult,
    ) -> tuple[Compared, Heard]:
        """Add one transcript. `put` are all questions to the first judge, `first_round` how many of them were
        in its first round, and `result` is what its answers gave."""
        lookup, votes = self._replies.of(indexed.transcript.key)
        self._asks.votes_known = lambda _, check_id: votes.get(check_id, 0)
        heard = Heard(lookup)
        compared = replay(self._asks.compare(put, result), heard)
        self._planner.add(indexed, put[:first_round])
        self.tally.add(compared)
        for line in second_lines(compared):
            self._lines.update(line)
        return compared, heard

    def state(self, compared: Compared) -> None:
        """Add what a source states about a conversation that is withheld."""
        self.tally.add(compared)
        for line in second_lines(compared):
            self._lines.update(line)

    def close(self) -> None:
        """Raise DataError if a reply of the second judge belongs to no transcript."""
        self._replies.close()

    @property
    def plan(self) -> SecondPlan:
        """The plan as recomputed. What was estimated from prices and assumptions of its day is the stored
        value. So is the plan of a recording, whose journal has only the votes that were asked for."""
        if not self._asks.asks_again:
            return self._stored
        estimated = {name: getattr(self._stored, name) for name in ESTIMATED}
        return self._planner.plan().model_copy(update=estimated)

    @property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of `second.jsonl`, as recomputed."""
        return {scans.SECOND: self._lines.hexdigest()}
