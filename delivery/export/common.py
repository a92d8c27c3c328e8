"""What all exports say of a release: its name, who judged, and what it must not be taken for."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, time
from uuid import UUID

from delivery.release.background import PREFIX
from delivery.release.view import Release
from delivery.words.trust import trust
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS
from ib.models.common.canonical import digest
from ib.models.release.leaderboard import ModelEntry
from ib.models.scan.gates import CLEAR_ANSWERS, CLEARED, GateEntry, GateScore
from ib.models.scan.rates import half_decided

NAME = "InvisibleBench"
NO_CERTIFICATE = (
    "For research and benchmarking. It certifies nothing, and it does not say that an assistant is safe."
)
"""Stands beside every table and figure that leaves the project."""
BUCKETS = {
    bucket: f"{name.lower()} gate" if bucket in GATE_BUCKETS else name.lower()
    for bucket, name in BUCKET_NAMES.items()
}
"""What a dimension is called in a sentence."""


def released_at(release: Release) -> datetime:
    """The first moment of the day of the release, in UTC. Exports name no other time."""
    return datetime.combine(release.board.released, time(), tzinfo=UTC)


def release_id(release: Release) -> str:
    """A name for the release that follows from what it was made from, its day and its stage."""
    board = release.board
    return digest([board.plan_hash, board.results_hash, board.released.isoformat(), board.stage])[:12]


def content_uuid(*parts: str) -> UUID:
    """A UUID (RFC 9562, version 4 in form) that follows from texts, for forms that ask for one."""
    return UUID(bytes=hashlib.sha256("\0".join(parts).encode()).digest()[:16], version=4)


def judge_words(release: Release) -> str:
    """Who judged, how often, and how many checks people have compared."""
    board = release.board
    name = ", ".join(board.judge.judges) or board.judge.model
    return f"judge {name}: {trust(board)}"


def is_script(model: ModelEntry) -> bool:
    """True for a reference assistant, which is a script and no product."""
    return model.model_id.startswith(PREFIX)


def measurable(entry: GateEntry) -> bool:
    """True if a gate has enough clear answers to show its rate."""
    return entry.rate is not None and half_decided(entry.due - entry.undecided, entry.undecided)


def cleared(score: GateScore) -> bool | None:
    """True if a gate is clear on a conversation, False if it is failed, None if it is open or was not due."""
    return score.state in CLEARED if score.state in CLEAR_ANSWERS else None
