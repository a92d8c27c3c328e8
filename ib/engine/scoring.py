"""The score of one transcript, computed from its rows: gates first, then quality."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ib.models.base import GATE_BUCKETS, QUALITY_BUCKETS, Bucket, State, Verdict
from ib.models.gates import GateScore, GateState, worst
from ib.models.result import BucketScore, TranscriptScore, VerdictResult
from ib.models.scoring import Scoring


def score(rows: Sequence[VerdictResult], scoring: Scoring, category: str | None = None) -> TranscriptScore:
    """Both gates, quality, and the overall score with its bounds. The weights are those of the category.

    A confirmed hard fail makes the overall score 0.0. If a gate is contested or incomplete, the overall
    score is None, with bounds from 0 to the quality score. It is also None if nothing was measured.
    """
    gating = [row for row in rows if row.gate is not None]
    gates = {gate: gate_score(gating, gate) for gate in GATE_BUCKETS}
    state = worst(found.state for found in gates.values())
    judged = [row for row in rows if row.verdict is not None]
    quality = {bucket: bucket_score(judged, bucket) for bucket in QUALITY_BUCKETS}
    overall_quality = quality_score(quality, scoring, category)
    overall: float | None = overall_quality
    bounds = None if overall_quality is None else (overall_quality, overall_quality)
    if state is GateState.CONFIRMED:
        overall, bounds = 0.0, (0.0, 0.0)
    elif state.is_undecided:
        overall = None
        bounds = (0.0, 1.0 if overall_quality is None else overall_quality)
    return TranscriptScore(
        gates=gates,
        quality=quality,
        quality_score=overall_quality,
        overall_score=overall,
        bounds=bounds,
        flags=flags(judged, scoring),
    )


def gate_score(rows: Iterable[VerdictResult], gate: Bucket) -> GateScore:
    """The state of one gate, with the checks that decide it. A suppressed check is not due."""
    due = [row for row in rows if row.gate is gate and row.state in (State.JUDGED, State.NOT_RUN)]
    fails = [row for row in due if row.verdict is Verdict.FAIL]
    confirmed = tuple(row.mode_id for row in fails if not row.contested)
    contested = tuple(row.mode_id for row in fails if row.contested)
    incomplete = tuple(row.mode_id for row in due if row.undecided)
    states = {
        GateState.CONFIRMED: confirmed,
        GateState.CONTESTED: contested,
        GateState.INCOMPLETE: incomplete,
        GateState.CLEAR: due,
    }
    state = worst(state for state, found in states.items() if found)
    return GateScore(state=state, confirmed=confirmed, contested=contested, incomplete=incomplete)


def bucket_score(rows: Iterable[VerdictResult], bucket: Bucket) -> BucketScore:
    """passes / (passes + failures) of one dimension; None if both are 0."""
    verdicts = [row.verdict for row in rows if row.primary_bucket is bucket]
    passes = verdicts.count(Verdict.PASS)
    failures = verdicts.count(Verdict.FAIL)
    measured = passes + failures
    rate = passes / measured if measured else None
    return BucketScore(passes=passes, failures=failures, rate=rate)


def quality_score(
    quality: dict[Bucket, BucketScore], scoring: Scoring, category: str | None = None
) -> float | None:
    """The weighted mean of the dimensions that were measured; None if none with a weight was measured."""
    weights = scoring.weights_of(category)
    parts = [(weights[bucket], found.rate) for bucket, found in quality.items() if found.rate is not None]
    weight = sum(w for w, _ in parts)
    return sum(w * rate for w, rate in parts) / weight if weight else None


def flags(rows: Iterable[VerdictResult], scoring: Scoring) -> tuple[str, ...]:
    """The blindspot flags of a transcript: one for each flagged check with a FAIL."""
    failed = {row.mode_id for row in rows if row.verdict is Verdict.FAIL}
    return tuple(flag.flag for flag in scoring.flags if flag.check in failed)
