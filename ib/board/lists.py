"""What a release lists by name: what was never evaluated, is open, contradicts itself, or does not stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ib.models.base import State, Verdict
from ib.models.benchmark import Benchmark
from ib.models.leaderboard import NotEvaluated, OpenGate, RecordContradiction, VoidedVote
from ib.models.plan import PlannedCheck, ScanPlan
from ib.models.result import TranscriptResult
from ib.models.votes import VoteRecord


def not_evaluated(
    plan: ScanPlan, results: Sequence[TranscriptResult], benchmark: Benchmark
) -> tuple[NotEvaluated, ...]:
    """The checks without one judged row, each with its reason."""
    states: dict[str, Counter[State]] = {check_id: Counter() for check_id in benchmark.checks}
    for result in results:
        for row in result.rows:
            states[row.mode_id][row.state] += 1
    planned = {item.check_id: item for item in plan.checks}
    return tuple(
        NotEvaluated(check_id=check_id, reason=_why(planned[check_id], found))
        for check_id, found in states.items()
        if not found[State.JUDGED]
    )


def _why(planned: PlannedCheck, states: Counter[State]) -> str:
    if planned.recorded is False:
        return "no recorded verdicts"
    if not planned.selected:
        return "not asked by this profile"
    return "no judge answered" if states[State.NOT_RUN] else "due on none of these transcripts"


def open_gates(results: Iterable[TranscriptResult]) -> Iterable[OpenGate]:
    """The gate verdicts that nobody should read as settled: split votes, or no clear answer."""
    for result in results:
        for row in result.rows:
            if row.gate is not None and (row.contested or row.verdict is Verdict.UNCLEAR):
                yield OpenGate(
                    model_id=result.model_id,
                    scenario_id=result.scenario_id,
                    epoch=result.epoch,
                    check_id=row.mode_id,
                    verdict=row.verdict,
                    contested=row.contested,
                    reason=row.reason or "split votes",
                )


def contradictions(
    results: Iterable[TranscriptResult], found: Iterable[tuple[VoteRecord, Verdict]]
) -> Iterable[RecordContradiction]:
    """The records whose verdict is not what their votes say, beside what is published."""
    rows = {(r.model_id, r.scenario_id, r.epoch): r for r in results}
    for record, says in found:
        result = rows.get((record.model_id, record.scenario_id, record.epoch))
        if result is None:
            continue
        row = next((row for row in result.rows if row.mode_id == record.check_id), None)
        if row is None:
            continue
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


def voided(results: Iterable[TranscriptResult]) -> Iterable[VoidedVote]:
    """The FAIL votes that do not stand, since their words were not found."""
    for result in results:
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
