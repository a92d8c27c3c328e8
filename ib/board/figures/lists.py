"""What a release lists: checks not evaluated, open gates, contradictions, and votes that do not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ib.board.figures.tally import CheckTally
from ib.models.common.base import State, Verdict
from ib.models.release.leaderboard import NotEvaluated, RecordContradiction, VoidedVote
from ib.models.scan.gates import OpenGate
from ib.models.scan.plan import PlannedCheck, ScanPlan
from ib.models.scan.result import TranscriptResult, VerdictResult
from ib.models.scan.votes import VoteKey, VoteRecord


class Listed:
    """Collects the listed rows, one result at a time."""

    def __init__(self, contradictions: Iterable[tuple[VoteRecord, Verdict]] = ()) -> None:
        self.open_gates: list[OpenGate] = []
        """Gate verdicts that are not settled: the votes are split, or the verdict is unclear."""
        self.voided: list[VoidedVote] = []
        """FAIL votes that do not count, because their quotes were not found."""
        self._contradictions = tuple(contradictions)
        self._contradicted = {record.key for record, _ in self._contradictions}
        self._published: dict[VoteKey, Verdict | None] = {}

    def add(self, result: TranscriptResult) -> None:
        """Add one result."""
        for row in result.rows:
            if row.unsettled:
                self.open_gates.append(_open_gate(row, result))
            void = sum(v.verdict is None and v.stated is Verdict.FAIL for v in row.votes)
            if void:
                self.voided.append(_voided(row, result, void))
            key = (result.model_id, result.scenario_id, result.epoch, row.mode_id)
            if key in self._contradicted:
                self._published[key] = row.verdict

    def record_contradictions(self) -> tuple[RecordContradiction, ...]:
        """The records whose verdict contradicts their votes, with the published verdict."""
        return tuple(
            RecordContradiction(
                model_id=record.model_id,
                scenario_id=record.scenario_id,
                epoch=record.epoch,
                check_id=record.check_id,
                recorded=record.verdict,
                votes=record.votes,
                votes_say=says,
                published=self._published[record.key],
            )
            for record, says in self._contradictions
            if record.key in self._published
        )

    @staticmethod
    def not_evaluated(plan: ScanPlan, tallies: Mapping[str, CheckTally]) -> tuple[NotEvaluated, ...]:
        """The checks without a judged row, each with the reason."""
        planned = {item.check_id: item for item in plan.checks}
        return tuple(
            NotEvaluated(check_id=check_id, reason=_why(planned[check_id], tally))
            for check_id, tally in tallies.items()
            if not tally.states[State.JUDGED]
        )


def _why(planned: PlannedCheck, tally: CheckTally) -> str:
    if planned.recorded is False:
        return "no recorded verdicts"
    if not planned.selected:
        return "not selected for this scan"
    if tally.searched:
        return "no judge; phrases were looked for, and decide nothing"
    return "no judge answered" if tally.states[State.NOT_RUN] else "due on none of these transcripts"


def _open_gate(row: VerdictResult, result: TranscriptResult) -> OpenGate:
    return OpenGate(
        model_id=result.model_id,
        scenario_id=result.scenario_id,
        epoch=result.epoch,
        check_id=row.mode_id,
        verdict=row.verdict,
        contested=row.contested,
        split=row.split,
        older_question=row.older_question,
        reason=row.reason or "split votes",
    )


def _voided(row: VerdictResult, result: TranscriptResult, void: int) -> VoidedVote:
    return VoidedVote(
        model_id=result.model_id,
        scenario_id=result.scenario_id,
        epoch=result.epoch,
        check_id=row.mode_id,
        votes=void,
        published=row.verdict,
    )
