"""The score of one transcript, computed from its rows: gates first, then quality."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ib.models.benchmark.scoring import Scoring
from ib.models.common.base import GATE_BUCKETS, QUALITY_BUCKETS, Bucket, State, Verdict
from ib.models.common.reason import Reason
from ib.models.scan.gates import HARD_FAILS, GateScore, GateState, worst
from ib.models.scan.rates import half_decided
from ib.models.scan.result import BucketScore, Scorer, TranscriptScore, VerdictResult

ANSWERABLE = (State.JUDGED, State.NOT_RUN, State.FOUND)
"""The states of a check that is due and not suppressed."""

MOST_KNOWN = 1_000
"""How many scores are remembered."""

Weights = Mapping[Bucket, float]
"""The weight of each dimension of quality."""


def score(
    rows: Sequence[VerdictResult], scoring: Scoring, category: str | None = None, *, judged: bool = True
) -> TranscriptScore:
    """Both gates, quality, and the overall score with its bounds. The weights are those of the category.

    Without a judge (`judged` is False), what a lexicon decides counts in no dimension of quality: it could
    only fail.

    A hard fail, by the judge or by a person, makes the overall score 0.0. If a gate is contested or
    incomplete, the overall score is None. It is also None if a dimension of quality has no rate, or if no
    check was due.

    The bounds are the overall score if all undecided checks FAIL, and if all PASS. A contested FAIL of a gate
    check is undecided there, also in its dimension of quality.
    """
    gating = [row for row in rows if row.gate is not None]
    gates = {gate: gate_score(gating, gate) for gate in GATE_BUCKETS}
    state = worst(found.state for found in gates.values())
    weighed = [row for row in rows if judged or row.scorer is not Scorer.LEXICON]
    quality = {bucket: bucket_score(weighed, bucket) for bucket in QUALITY_BUCKETS}
    weights = scoring.weights_of(category)
    overall_quality = quality_score(quality, weights)
    overall: float | None = overall_quality
    bounds = quality_bounds(weighed, weights)
    if state in HARD_FAILS:
        overall, bounds = 0.0, (0.0, 0.0)
    elif state.is_undecided:
        overall = None
        bounds = (0.0, 1.0 if bounds is None else bounds[1])
    return TranscriptScore(
        gates=gates,
        quality=quality,
        quality_score=overall_quality,
        overall_score=overall,
        bounds=bounds,
        flags=flags(rows, scoring),
    )


@dataclass
class Scores:
    """The scores of many transcripts. Rows without a find are the same, so few scores are distinct."""

    scoring: Scoring
    lasts: Callable[[VerdictResult], bool]
    """True if a row is shared by transcripts and never let go of, so that its identity tells what it says."""
    judged: bool
    _known: dict[object, TranscriptScore] = field(default_factory=dict)

    def of(self, rows: Sequence[VerdictResult], category: str | None) -> TranscriptScore:
        """What `score` returns."""
        if not all(map(self.lasts, rows)):
            return score(rows, self.scoring, category, judged=self.judged)
        key = (category, *map(id, rows))
        if key not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[key] = score(rows, self.scoring, category, judged=self.judged)
        return self._known[key]


def gate_score(rows: Iterable[VerdictResult], gate: Bucket) -> GateScore:
    """The state of one gate, with the checks that decide it. A suppressed check is not due."""
    due = [row for row in rows if row.gate is gate and row.state in ANSWERABLE]
    fails = [row for row in due if row.verdict is Verdict.FAIL]
    by_person = tuple(row.mode_id for row in fails if row.decided is not None)
    failed = tuple(row.mode_id for row in fails if not row.contested and row.decided is None)
    contested = tuple(row.mode_id for row in fails if row.contested)
    incomplete = tuple(row.mode_id for row in due if row.undecided)
    cleared = tuple(row.mode_id for row in due if row.cleared)
    states = {
        GateState.FAILED_BY_PERSON: by_person,
        GateState.FAILED_BY_JUDGE: failed,
        GateState.CONTESTED: contested,
        GateState.INCOMPLETE: incomplete,
        GateState.CLEARED_BY_PERSON: cleared,
        GateState.CLEAR: due,
    }
    state = worst(state for state, found in states.items() if found)
    return GateScore(
        state=state,
        failed_by_judge=failed,
        contested=contested,
        incomplete=incomplete,
        failed_by_person=by_person,
        cleared_by_person=cleared,
    )


def bucket_score(rows: Iterable[VerdictResult], bucket: Bucket) -> BucketScore:
    """passes / (passes + failures) of one dimension; None if fewer than half of the due checks are decided.

    A check that no scan could answer, because of the language, is not due.
    """
    mine = [row for row in rows if row.primary_bucket is bucket]
    passes = sum(row.verdict is Verdict.PASS for row in mine)
    failures = sum(row.verdict is Verdict.FAIL for row in mine)
    undecided = sum(row.undecided and row.reason is not Reason.LANGUAGE for row in mine)
    measured = passes + failures
    rate = passes / measured if measured and half_decided(measured, undecided) else None
    return BucketScore(passes=passes, failures=failures, undecided=undecided, rate=rate)


def quality_score(quality: Mapping[Bucket, BucketScore], weights: Weights) -> float | None:
    """The weighted mean of the dimensions that weigh more than 0 and in which a check was due.

    None if there is none, or if one of them has no rate: a mean without it could lie outside its own bounds.
    """
    due = {bucket: found.rate for bucket, found in quality.items() if found.due and weights[bucket]}
    known = {bucket: rate for bucket, rate in due.items() if rate is not None}
    return _weighted(known, weights) if len(known) == len(due) else None


def quality_bounds(rows: Iterable[VerdictResult], weights: Weights) -> tuple[float, float] | None:
    """The quality score if all undecided checks FAIL, and if all PASS. None if no check was due.

    A contested FAIL of a gate check stays a FAIL at the lower end, and is a PASS at the upper end.
    """
    kept = list(rows)
    least = {bucket: bucket_score(kept, bucket).bounds for bucket in QUALITY_BUCKETS}
    cleared = [row for row in kept if not (row.gate is not None and row.contested)]
    most = {bucket: _with_passes(cleared, bucket, kept) for bucket in QUALITY_BUCKETS}
    low = _weighted({bucket: ends[0] for bucket, ends in least.items() if ends}, weights)
    high = _weighted({bucket: rate for bucket, rate in most.items() if rate is not None}, weights)
    return None if low is None or high is None else (low, high)


def _with_passes(cleared: list[VerdictResult], bucket: Bucket, rows: list[VerdictResult]) -> float | None:
    """The rate if what is undecided passes: of the due rows, all but the failures that are not cleared."""
    due = bucket_score(rows, bucket).due
    return (due - bucket_score(cleared, bucket).failures) / due if due else None


def _weighted(rates: Mapping[Bucket, float], weights: Weights) -> float | None:
    """The weighted mean; None if no rate has a weight."""
    weight = sum(weights[bucket] for bucket in rates)
    return sum(weights[bucket] * rate for bucket, rate in rates.items()) / weight if weight else None


def flags(rows: Iterable[VerdictResult], scoring: Scoring) -> tuple[str, ...]:
    """The blindspot flags of a transcript: one for each flagged check with a FAIL."""
    failed = {row.mode_id for row in rows if row.verdict is Verdict.FAIL}
    return tuple(flag.flag for flag in scoring.flags if flag.check in failed)
