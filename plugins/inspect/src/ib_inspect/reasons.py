"""Inspect's reasons for what has no verdict: one for each fault of `ib`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ib.models.common.reason import Reason
from ib.models.scan.judge import FaultKind
from ib.models.scan.over_alarm import Ungraded
from ib.models.scan.result import VerdictResult

GRADER_FAILED = "grader_failed"
SCORING_FAILED = "scoring_failed"
OF_PLAY: Mapping[FaultKind, str] = {
    FaultKind.EMPTY: "no_response",
    FaultKind.TRUNCATED: "no_response",
    FaultKind.CONTENT_FILTER: "refusal",
    FaultKind.DETERMINISTIC: SCORING_FAILED,
    FaultKind.RATE_LIMIT: SCORING_FAILED,
    FaultKind.TRANSIENT: SCORING_FAILED,
}
"""The reason for a play that a fault ended. The last two end a sample with an error before this is asked."""
OF_CHECK: Mapping[Reason, str] = {
    Reason.FAULT: GRADER_FAILED,
    Reason.UNCONFIRMED_CANDIDATE: GRADER_FAILED,
}
"""The reason for a check that the judge did not answer. A check that was not due or not asked has none."""
OF_TWIN: Mapping[Ungraded, str] = {Ungraded.FAULT: GRADER_FAILED}


def unanswered(rows: Iterable[VerdictResult]) -> dict[str, str]:
    """The checks that were asked and not answered, each with its reason."""
    return {
        row.mode_id: OF_CHECK[row.reason]
        for row in rows
        if row.verdict is None and row.reason is not None and row.reason in OF_CHECK
    }
