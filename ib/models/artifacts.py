"""Models of artifacts that are written line by line or as counts; their schemas come from here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ib.models.base import Record, Sha256, Verdict
from ib.models.judge import FaultKind, Phase
from ib.models.plan import SCHEMA_VERSION
from ib.models.votes import VoteRecord

Count = Annotated[int, Field(ge=0)]


class CheckCounts(Record):
    """The counts of one check over the transcripts of one model."""

    k: Count
    """Transcripts that FAIL."""
    n: Count
    """Transcripts that PASS or FAIL."""
    unclear: Count
    not_applicable: Count
    not_run: Count
    suppressed: Count
    ineligible: Count
    contested: Count


class GateCounts(Record):
    """The counts of the gates over the transcripts of one model."""

    transcripts: Count
    k: Count
    """Transcripts with a hard fail."""
    n: Count
    """Transcripts with a clear answer of every gate check."""
    incomplete: Count


class ModelCounts(Record):
    """The blindspot profile of one model."""

    gates: GateCounts
    flags: dict[str, Count]
    """How many transcripts raised each flag."""
    checks: dict[str, CheckCounts]


class BlindspotProfile(Record):
    """`blindspot.json`: the counts of a scan by model and check."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["blindspot"] = "blindspot"
    models: dict[str, ModelCounts]


class JournalHeader(Record):
    """The first line of a journal."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["replies", "completions"]
    plan_hash: Sha256
    """The plan that the replies belong to."""


class ReplyLine(Record):
    """A line of `replies.jsonl` after the first: what a judge answered to one question."""

    key: Sha256
    """The key of the request: a hash of everything that the reply depends on."""
    model_id: str
    scenario_id: str
    epoch: int | None
    check_id: str
    turns: tuple[int, int]
    """The first and the last turn that were judged."""
    phase: Phase
    repetition: int
    attempt: int
    answer: str | None = None
    """The text of the answer; a line has either this or `fault`."""
    fault: FaultKind | None = None
    detail: str = ""


class CompletionText(Record):
    """What a model said in one turn."""

    text: str
    truncated: bool
    served_model: str | None


class CompletionLine(Record):
    """A line of `completions.jsonl` after the first: what a model answered in one turn of a scenario."""

    key: Sha256
    model_id: str
    scenario_id: str
    epoch: int | None = None
    turn: int
    answer: CompletionText | None = None
    """The answer; a line has either this or `fault`."""
    fault: FaultKind | None = None
    detail: str = ""


class ContradictionLine(Record):
    """A line of `contradictions.jsonl`: a recorded verdict that its own votes do not give."""

    record: VoteRecord
    votes_say: Verdict
