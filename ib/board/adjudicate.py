"""Which rows a person should look at, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ib.models.base import Verdict
from ib.models.canonical import digest
from ib.models.result import TranscriptResult, VerdictResult
from ib.models.votes import Adjudication

Contradicted = Collection[tuple[str, str, int | None, str]]


def requests(result: TranscriptResult, contradicted: Contradicted) -> Iterator[Adjudication]:
    """A request for each gate row that is split or unclear, and each row its record contradicts."""
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


def _question(row: VerdictResult, contradicted: bool) -> str | None:
    if contradicted:
        return "the recorded verdict is not what its votes give"
    if row.gate is None:
        return None
    if row.verdict is Verdict.UNCLEAR:
        return f"a gate verdict is unclear: {row.reason}"
    return "the votes on a gate are split" if row.contested else None
