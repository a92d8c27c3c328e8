"""Parts of rows that need no judge: what all rows of a check have in common, and hits as evidence."""

from __future__ import annotations

from typing import Any

from ib.engine.reading.searched import LexiconHit
from ib.models.benchmark.check import Check, Due
from ib.models.common.base import Role
from ib.models.common.reason import NotRunReason, Reason
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.result import Ineligible, NotRun, Suppressed, VerdictResult

SCORER_VERSION = "1"


def about(check: Check) -> dict[str, Any]:
    """The fields that all rows of a check have in common."""
    return {
        "mode_id": check.id,
        "severity": check.severity,
        "primary_bucket": check.bucket,
        "gate": check.gate,
        "scorer_version": SCORER_VERSION,
    }


def unasked_row(check: Check, due: Due, reason: NotRunReason = Reason.PROFILE) -> VerdictResult:
    """The row of a check that is not asked: not due, suppressed, or left out for a `reason`."""
    told = about(check)
    if due is Due.NO:
        return Ineligible(**told)
    return Suppressed(**told) if due is Due.SUPPRESSED else NotRun(**told, reason=reason)


def hit_evidence(found: LexiconHit, role: Role) -> EvidenceSpan:
    """A lexicon hit as evidence, with its words as written."""
    hit = found.hit
    return EvidenceSpan(
        role=role,
        turn=found.turn,
        quote=hit.quote,
        start=hit.start,
        end=hit.end,
        pattern=f"{hit.lexicon}/{hit.pattern}",
    )
