"""Reading what people answered, and the reviews of a scan."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from ib.errors import DataError
from ib.models.review.answers import Answers
from ib.models.review.batch import Batch
from ib.models.review.dispute import Dispute
from ib.models.review.reviews import Review
from ib.store.files.validation import load_json
from ib.store.folders import scans

DISPUTE = "review_dispute"
"""The `kind` of the file of a dispute."""


def load_batch(path: Path) -> Batch:
    """A batch. Raises DataError with all findings, also if it was edited."""
    return load_json(Batch, path)


def load_answers(path: Path) -> Answers:
    """An answers file. Raises DataError with all findings."""
    return load_json(Answers, path)


def load_given(path: Path) -> Answers | Dispute:
    """An answers file, or a dispute, by its `kind`. Raises DataError with all findings."""
    return load_json(Dispute, path) if _kind(path) == DISPUTE else load_json(Answers, path)


def _kind(path: Path) -> object:
    """The `kind` of a file; None if the file is no JSON object, which its model then says."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found.get("kind") if isinstance(found, dict) else None


def load_reviews(scan: Path) -> tuple[Review, ...]:
    """The reviews of a scan; empty for a scan without reviews."""
    path = scan / scans.REVIEWS
    return tuple(scans.load_lines(Review, path)) if path.exists() else ()


def misfit(path: Path, key: str, found: str, hint: str) -> DataError:
    """An answers file that does not fit the scan."""
    return DataError.one(path, None, key, found, hint)


def ordered(reviews: Iterable[Review]) -> list[Review]:
    """The reviews in the order of their file: by conversation, check, batch and reader."""
    return sorted(reviews, key=lambda one: (one.played, one.check_id, one.batch, one.reader.pseudonym))
