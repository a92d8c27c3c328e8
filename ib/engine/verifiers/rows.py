"""Parts of rows that need no judge: what all rows of a check have in common, and hits as evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orjson import Fragment

from ib.engine.reading.searched import LexiconHit
from ib.models.benchmark.check import Check, Due
from ib.models.common.base import Role
from ib.models.common.canonical import compact
from ib.models.common.reason import NotRunReason, Reason
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.result import Ineligible, NotRun, Suppressed, TranscriptResult, VerdictResult


class SharedRows:
    """A cache of rows. Most rows of a scan are "not due" or "no phrase found", so few are distinct."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, ...], VerdictResult] = {}
        self._bytes: dict[int, Fragment] = {}

    def row(self, key: tuple[str, ...], make: Callable[[], VerdictResult]) -> VerdictResult:
        """The row of a key; `make` creates it on first use."""
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = make()
            self._bytes[id(row)] = Fragment(compact(row))
        return row

    def has(self, row: VerdictResult) -> bool:
        """True if a row is one of the cache, so that its identity lasts as long as the cache."""
        return id(row) in self._bytes

    def bytes_of(self, row: VerdictResult) -> Fragment:
        """The canonical bytes of any row; for a cached row, the cached bytes."""
        kept = self._bytes.get(id(row))
        return Fragment(compact(row)) if kept is None else kept


def result_line(result: TranscriptResult, shared: SharedRows) -> bytes:
    """The canonical JSON line of a result, without its newline."""
    value = result.model_dump(mode="json", exclude={"rows"})
    value["rows"] = [shared.bytes_of(row) for row in result.rows]
    return compact(value)


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
