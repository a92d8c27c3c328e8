"""Recorded votes of a judge, and adjudications: rows that a person should review."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Annotated, TypeAlias

from pydantic import Field

from ib.models.benchmark.check import CheckId
from ib.models.common.base import Aggregation, Identifier, Played, Record, Role, Sha256, Text, Verdict
from ib.models.common.canonical import compact


class RecordedEvidence(Record):
    role: Role
    """Who said it."""
    turn: Annotated[int, Field(ge=1)]
    quote: str


Conversation: TypeAlias = tuple[str, str, int | None]
"""The model, scenario and epoch of a record."""
VoteKey = tuple[str, str, int | None, str]
"""The model, scenario, epoch and check of a record."""


class VoteRecord(Played):
    """One line of a votes file: a judge's votes on one check of one transcript."""

    epoch: int | None = None
    check_id: CheckId
    eligible: bool
    """True if the check was due."""
    verdict: Verdict
    votes: tuple[Verdict, ...] = ()
    """Every recorded vote."""
    aggregation: Aggregation | None = None
    """How the votes became the verdict; null means as the check says."""
    evidence: tuple[RecordedEvidence, ...] = ()
    rationale_code: str | None = None
    judge_model: Identifier | None = None
    """The model that judged."""
    scorer_type: str | None = None
    """The kind of scorer that the source names."""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    """The confidence that the source names."""
    prompt_hash: Sha256 | None = None
    """The hash of the prompt that the votes answer, as `prompt_hash` of a row has it. If it is null, or not
    that of the check today, the votes answer an older wording."""

    @property
    def key(self) -> VoteKey:
        return (self.model_id, self.scenario_id, self.epoch, self.check_id)


class VoteSource:
    """One named path of a recording: on which checks of which conversations it has votes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.records = 0
        """How many of its records have votes."""
        self._bits: dict[str, int] = {}
        """The bit of each check. A set of checks is one integer, because a recording may have millions."""
        self._checks: dict[Conversation, int] = {}

    def add(self, record: VoteRecord) -> None:
        """Note the check of a record, if the record has votes."""
        if not record.votes:
            return
        self.records += 1
        bit = self._bits.setdefault(record.check_id, 1 << len(self._bits))
        conversation = record.key[:3]
        self._checks[conversation] = self._checks.get(conversation, 0) | bit

    def answers(self, conversation: Conversation, check_ids: Iterable[str]) -> int:
        """How many of these checks, each given once, it has votes on."""
        there = self._checks.get(conversation, 0)
        return sum(bool(there & self._bits.get(check_id, 0)) for check_id in check_ids) if there else 0


def record_digest(record: VoteRecord) -> bytes:
    """The SHA-256 digest of the content of one record."""
    return hashlib.sha256(compact(record)).digest()


def recording_hash(digests: Iterable[bytes]) -> str:
    """The hash of a recording, from the digests of its records; their order and files do not matter."""
    return hashlib.sha256(b"".join(sorted(digests))).hexdigest()


class Adjudication(Played):
    """A row that a person should review. No command reads decisions from this file: `ib review` takes them.
    What is written into `decision` here changes no result and no release."""

    schema_version: int = 1
    epoch: int | None = None
    check_id: CheckId | None = None
    rubric_id: str | None = None
    """The autofail rubric that is asked about, if it is not about a check."""
    transcript_hash: Sha256
    row_hash: Sha256
    """The hash of the row that is to be reviewed."""
    question: Text
    """Why a person is asked: the row is contested or unclear, or contradicts its record."""
    machine_verdict: Verdict | None
    """What the scan said."""
    decision: Verdict | None = None
    """Always null in a scan. Reserved for a person's decision, which no command reads from here."""
    rationale: str | None = None
    """Always null in a scan. Reserved for the reason of a decision; no command reads it from here."""
    adjudicator: str | None = None
    """Always null in a scan. Reserved for the pseudonym of who decides; no command reads it from here."""
    date: str | None = None
    """Always null in a scan. Reserved for the day of a decision; no command reads it from here."""
