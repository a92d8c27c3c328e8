"""What the reviews of a row decide, and the result with what was decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from ib.board.calibration.consensus import consensus
from ib.engine.scoring import score
from ib.models.benchmark.scoring import Scoring
from ib.models.common.base import State, Verdict
from ib.models.review.reviews import Review, RowKey
from ib.models.scan.decided import Claim, Decision, Opinion, Was
from ib.models.scan.result import Judged, TranscriptResult, VerdictResult

Reviews: TypeAlias = Mapping[RowKey, Sequence[Review]]
"""The reviews of each row."""


def by_row(reviews: Iterable[Review]) -> Reviews:
    """The reviews of each row, each reader once, in the order of their names.

    A reader who met a row in two batches and said the same counts once. Raises ValueError if a reader said
    two different things.
    """
    found: defaultdict[RowKey, dict[str, Review]] = defaultdict(dict)
    for review in reviews:
        name = review.reader.pseudonym
        earlier = found[review.key].setdefault(name, review)
        if earlier.verdict is not review.verdict or earlier.reader.role is not review.reader.role:
            raise ValueError(
                f"{name} said two different things about {review.check_id} on {review.scenario_id}"
            )
        if review.dispute is not None:
            found[review.key][name] = review
    return {key: [named[name] for name in sorted(named)] for key, named in found.items()}


def people(reviews: Iterable[Review]) -> list[Review]:
    """The reviews by people. What a language model said decides nothing."""
    return [review for review in reviews if review.reader.role.is_person]


def decided_verdict(reviews: Sequence[Review]) -> Verdict | None:
    """What people decide about a row. None if the row stays open.

    One person decides alone, two if they agree, three or more by more than half. `cannot tell` decides
    nothing.
    """
    said = [review.verdict for review in people(reviews)]
    return consensus(said) if said else None


def claim_of(reviews: Iterable[Review]) -> Claim | None:
    """The dispute that a row was read for; None if there was none."""
    return next((one.dispute for one in reviews if one.dispute is not None), None)


def decided_row(row: VerdictResult, reviews: Sequence[Review]) -> VerdictResult:
    """The row with what people decided about it; the row itself if they decided nothing."""
    verdict = decided_verdict(reviews)
    if verdict is None or not isinstance(row, Judged):
        return row
    told = people(reviews)
    agreeing = [review for review in told if review.verdict is verdict]
    evidence = tuple(dict.fromkeys(span for review in agreeing for span in review.evidence))
    same = row.verdict is verdict
    changes = {
        "verdict": verdict,
        "confidence": len(agreeing) / len(told),
        "evidence": evidence,
        "occurrences": row.occurrences if same else None,
        "split": False,
        "older_question": False,  # people answer the question as it is today
        "reason": None,
        "rationale_code": row.rationale_code if same else None,
        "decided": Decision(
            opinions=tuple(
                Opinion(pseudonym=one.reader.pseudonym, role=one.reader.role, verdict=one.verdict)
                for one in told
            ),
            date=max(one.date for one in told),
            reason=" / ".join(one.note for one in agreeing if one.note),
            was=Was(verdict=row.verdict, confidence=row.confidence, split=row.split),
            dispute=claim_of(reviews),
        ),
    }
    return Judged(**{**{name: getattr(row, name) for name in Judged.model_fields}, **changes})


def decided_result(
    result: TranscriptResult, reviews: Reviews, scoring: Scoring, *, judged: bool = True
) -> TranscriptResult:
    """The result of a conversation with what people decided, and its score computed again.

    `judged` is False for a scan without a judge.

    Returns the result itself if people decided nothing about it.
    """
    rows = tuple(
        decided_row(row, reviews.get((result.model_id, result.scenario_id, result.epoch, row.mode_id), ()))
        if row.state is State.JUDGED
        else row
        for row in result.rows
    )
    if all(new is old for new, old in zip(rows, result.rows, strict=True)):
        return result
    return result.model_copy(
        update={"rows": rows, "score": score(rows, scoring, result.category, judged=judged)}
    )
