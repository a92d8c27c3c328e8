"""The score of one transcript, computed from its rows: gates first, then quality."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ib.models.base import QUALITY_BUCKETS, Bucket, Verdict
from ib.models.result import BucketScore, TranscriptScore, VerdictResult
from ib.models.scoring import Scoring


def score(rows: Sequence[VerdictResult], scoring: Scoring) -> TranscriptScore:
    """Hard fails, open gates, quality, and the overall score with its bounds.

    A hard fail makes the overall score 0.0. If a gate check has no clear answer, the overall score
    is None, with bounds from 0 to the quality score. It is also None if nothing was measured.
    """
    gates = [row for row in rows if row.gate is not None]
    judged = [row for row in rows if row.verdict is not None]
    hard = tuple(row.mode_id for row in gates if row.hard_fail)
    open_gates = tuple(row.mode_id for row in gates if row.gate_open_question)
    quality = {bucket: bucket_score(judged, bucket) for bucket in QUALITY_BUCKETS}
    overall_quality = quality_score(quality, scoring)
    overall: float | None = overall_quality
    bounds = None if overall_quality is None else (overall_quality, overall_quality)
    if hard:
        overall, bounds = 0.0, (0.0, 0.0)
    elif open_gates:
        overall = None
        bounds = (0.0, 1.0 if overall_quality is None else overall_quality)
    return TranscriptScore(
        hard_fail=bool(hard),
        hard_fail_checks=hard,
        gate_incomplete=bool(open_gates),
        gate_open_checks=open_gates,
        quality=quality,
        quality_score=overall_quality,
        overall_score=overall,
        bounds=bounds,
        flags=flags(judged, scoring),
    )


def bucket_score(rows: Iterable[VerdictResult], bucket: Bucket) -> BucketScore:
    """passes / (passes + failures) of one dimension; None if both are 0."""
    verdicts = [row.verdict for row in rows if row.primary_bucket is bucket]
    passes = verdicts.count(Verdict.PASS)
    failures = verdicts.count(Verdict.FAIL)
    measured = passes + failures
    rate = passes / measured if measured else None
    return BucketScore(passes=passes, failures=failures, rate=rate)


def quality_score(quality: dict[Bucket, BucketScore], scoring: Scoring) -> float | None:
    """The weighted mean of the dimensions that were measured; None if none was measured."""
    parts = [
        (scoring.weights[bucket], found.rate) for bucket, found in quality.items() if found.rate is not None
    ]
    weight = sum(w for w, _ in parts)
    return sum(w * rate for w, rate in parts) / weight if parts else None


def flags(rows: Iterable[VerdictResult], scoring: Scoring) -> tuple[str, ...]:
    """The blindspot flags of a transcript: one for each flagged check with a FAIL."""
    failed = {row.mode_id for row in rows if row.verdict is Verdict.FAIL}
    return tuple(flag.flag for flag in scoring.flags if flag.check in failed)
