"""Requests for adjudication: the rows that a person should review, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from ib.models.common.base import Verdict
from ib.models.common.canonical import digest
from ib.models.scan.gates import GateState
from ib.models.scan.result import TranscriptResult, VerdictResult
from ib.models.scan.votes import Adjudication

if TYPE_CHECKING:
    from ib.models.scan.supplement import Supplement

FAILED = (GateState.FAILED_BY_JUDGE, GateState.CONTESTED)
Contradicted = Collection[tuple[str, str, int | None, str]]


def requests(
    result: TranscriptResult, contradicted: Contradicted, supplement: Supplement | None = None
) -> Iterator[Adjudication]:
    """A request for each gate row that is not settled, and for each row that contradicts its record.

    If no gate check FAILs on the transcript, also for each autofail of a rubric.
    """
    for row in result.rows:
        key = (result.model_id, result.scenario_id, result.epoch, row.mode_id)
        question = _question(row, key in contradicted)
        if question is not None:
            yield Adjudication(
                model_id=result.model_id,
                scenario_id=result.scenario_id,
                epoch=result.epoch,
                check_id=row.mode_id,
                transcript_hash=result.transcript_hash,
                row_hash=digest(row),
                question=question,
                machine_verdict=row.verdict,
            )

    if supplement is not None and result.score.gate_state not in FAILED:
        from ib.models.conversation.scenario import RubricKind

        for graded in supplement.rubrics:
            if graded.kind is RubricKind.AUTOFAIL and graded.level == 1:
                yield Adjudication(
                    model_id=result.model_id,
                    scenario_id=result.scenario_id,
                    epoch=result.epoch,
                    rubric_id=graded.id,
                    transcript_hash=result.transcript_hash,
                    row_hash=digest(graded),
                    question="an autofail of the rubric that no gate saw",
                    machine_verdict=Verdict.FAIL,
                )


def _question(row: VerdictResult, contradicted: bool) -> str | None:
    if contradicted:
        return "the recorded verdict is not what its votes give"
    if row.gate is None:
        return None
    if row.verdict is Verdict.UNCLEAR:
        return f"a gate verdict is unclear: {row.reason}"
    if row.contested:
        return "a hard fail is contested: fewer than most of the votes say FAIL"
    return "the votes on a gate are split" if row.split else None
