"""What a release lists: checks not evaluated, open gates, contradictions, and votes that do not count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ib.board.figures.tally import CheckTally
from ib.models.common.base import State, Verdict
from ib.models.release.leaderboard import NotEvaluated, RecordContradiction, ScenarioOfModel, VoidedVote
from ib.models.release.rows import TranscriptRow
from ib.models.scan.gates import OpenGate
from ib.models.scan.plan import PlannedCheck, ScanPlan
from ib.models.scan.result import TranscriptResult, VerdictResult
from ib.models.scan.votes import VoteKey, VoteRecord


class Listed:
    """Finds what is listed of each transcript.

    `contradictions` are records whose verdict contradicts their votes, each with the verdict of the votes.
    """

    def __init__(self, contradictions: Iterable[tuple[VoteRecord, Verdict]] = ()) -> None:
        self._contradictions = {record.key: (record, says) for record, says in contradictions}

    def row(self, result: TranscriptResult, told: ScenarioOfModel) -> TranscriptRow:
        """The row of a transcript in a release. `told` is what is said of every transcript."""
        return TranscriptRow(
            **dict(told),
            open_gates=tuple(_open_gate(row, result) for row in result.rows if row.unsettled),
            record_contradictions=tuple(self._contradicted(result)),
            voided_votes=tuple(_voided(result)),
        )

    def _contradicted(self, result: TranscriptResult) -> Iterator[RecordContradiction]:
        for row in result.rows if self._contradictions else ():
            key: VoteKey = (result.model_id, result.scenario_id, result.epoch, row.mode_id)
            if key in self._contradictions:
                record, says = self._contradictions[key]
                yield RecordContradiction(
                    model_id=record.model_id,
                    scenario_id=record.scenario_id,
                    epoch=record.epoch,
                    check_id=record.check_id,
                    recorded=record.verdict,
                    votes=record.votes,
                    votes_say=says,
                    published=row.verdict,
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


def _voided(result: TranscriptResult) -> Iterator[VoidedVote]:
    """FAIL votes that do not count, because their quotes were not found."""
    for row in result.rows:
        void = sum(v.verdict is None and v.stated is Verdict.FAIL for v in row.votes)
        if void:
            yield VoidedVote(
                model_id=result.model_id,
                scenario_id=result.scenario_id,
                epoch=result.epoch,
                check_id=row.mode_id,
                votes=void,
                published=row.verdict,
            )
