"""Rates of all logs in a report on a sampled scan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ib.board.report.cases import kind_of
from ib.errors import DataError
from ib.models.benchmark.calibration import CalibrationStatus
from ib.models.benchmark.check import Check
from ib.models.common.base import State, Verdict
from ib.models.common.reason import Reason
from ib.models.report.report import CaseKind, WholeRate
from ib.models.scan.part import SampledConversation, SamplePlan
from ib.models.scan.rates import half_decided
from ib.models.scan.result import OCCURRING, NotRun, TranscriptResult, VerdictResult
from ib.stats.design import Estimate
from ib.stats.sampling import Design, Drawn, Sample

NOT_MEASURABLE = "not measurable: false alarms of the judge alone could explain the failures that it names"
_FAILED, _PASSED, _OPEN, _OUT = range(4)
"""What a row says of a check: it failed or passed; it was due and is not decided; it was not due, or does not
apply."""


def design_of(plan: SamplePlan) -> Design:
    """The design of a sample, as the estimator takes it."""
    sizes, drawn = zip(*((part.conversations, part.drawn) for part in plan.parts), strict=True)
    return Design(sizes, drawn, plan.products)


def measured_bounds(checks: Iterable[Check], judge: str) -> dict[str, float]:
    """For each check that people compared with this judge: the upper bound of its false alarms.

    It is the upper end of the interval of their share among items on which people found no failure. `judge`
    is the identity of the judge.
    """
    bounds = {}
    for check in checks:
        measured = check.calibration.measured
        if measured is None or check.calibration.of(judge) is CalibrationStatus.UNVALIDATED:
            continue
        if measured.figures.specificity.low is not None:
            bounds[check.id] = 1 - measured.figures.specificity.low
    return bounds


class SampledTally:
    """Keeps what was said of each conversation of a sample, in the order of the plan.

    `false_alarms` has, for each check, the upper bound of the share of conversations without the failure that
    the judge calls a failure; a check is missing if its bound is not known.
    """

    def __init__(
        self, plan: SamplePlan, lines: Sequence[SampledConversation], false_alarms: Mapping[str, float]
    ) -> None:
        self._lines, self._false_alarms = lines, false_alarms
        self._sample = Sample(
            design_of(plan), [Drawn(one.stratum, one.cluster, one.of_cluster) for one in lines]
        )
        self._checks: dict[str, bytearray] = {}
        self._any = bytearray()
        """Whether a check failed: `_OPEN` if none has a clear answer."""
        self._values: list[str | None] = []

    def add(self, result: TranscriptResult, value: str | None) -> None:
        """Keep one conversation, with its value of the key that conversations are grouped by.

        Raises DataError if it is not the next one of the sample.
        """
        at = len(self._any)
        if at >= len(self._lines) or self._lines[at].played != result.played:
            found = f"line {at + 1} is not about {result.scenario_id}"
            raise DataError.one("sample.jsonl", None, "", found, "one line per result, in order")
        for row in result.rows:
            self._checks.setdefault(row.mode_id, bytearray()).append(_said(row))
        failed = any(kind_of(row) is CaseKind.FAILED for row in result.rows)
        decided = any(row.verdict in OCCURRING for row in result.rows)
        self._any.append(_FAILED if failed else _PASSED if decided else _OPEN)
        self._values.append(value)

    def check(self, check_id: str) -> WholeRate:
        """The rate of a check among all logs."""
        return self._rate(self._checks.get(check_id, bytearray(len(self._lines) * [_OUT])), check_id)

    def group(self, value: str | None) -> WholeRate:
        """The share of conversations in which a check failed, among all logs with a value of the key."""
        mine = (said if own == value else _OUT for said, own in zip(self._any, self._values, strict=True))
        return self._rate(bytearray(mine))

    def _rate(self, said: bytearray, check_id: str | None = None) -> WholeRate:
        failed = [None if one in (_OPEN, _OUT) else one == _FAILED for one in said]
        decided = self._sample.total([one is not None for one in failed])
        undecided = self._sample.total([one == _OPEN for one in said])
        events = self._sample.total([one == _FAILED for one in said])
        both = decided + undecided
        bound = None if check_id is None else self._false_alarms.get(check_id)
        known = WholeRate(
            decided=decided,
            undecided=undecided,
            bounds=(events / both, (events + undecided) / both) if undecided else None,
            false_alarms=bound,
        )
        return known.model_copy(update=self._told(failed, known))

    def _told(self, failed: Sequence[bool | None], known: WholeRate) -> dict[str, float | str | None]:
        """The estimate, or why there is none."""
        if not known.decided:
            return {"reason": "no case with a clear answer"}
        if not half_decided(known.decided, known.undecided):
            return {"reason": "fewer than half of the cases due are decided"}
        found = self._sample.rate(failed)
        if not isinstance(found, Estimate):
            return {"reason": found.reason, "at_most": self._sample.at_most(failed)}
        if known.false_alarms is not None and known.false_alarms > found.low:
            return {"reason": NOT_MEASURABLE}
        return {"rate": found.rate, "low": found.low, "high": found.high}


def _said(row: VerdictResult) -> int:
    if row.verdict in OCCURRING:
        return _FAILED if row.verdict is Verdict.FAIL else _PASSED
    reads = not (isinstance(row, NotRun) and row.reason is Reason.LANGUAGE)
    due = row.eligible and row.state is not State.SUPPRESSED and reads
    return _OUT if row.verdict is Verdict.NOT_APPLICABLE or not due else _OPEN
