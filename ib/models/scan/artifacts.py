"""Models of artifacts that are written line by line or as counts, and of the files of a job of an engine."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from ib.models.common.base import Bucket, Played, Record, Sha256, Verdict
from ib.models.scan.gates import Count, GateCounts
from ib.models.scan.judge import Answer, Fault, FaultKind, JudgeReply, JudgeSpec, Phase, Refusal
from ib.models.scan.plan import SCHEMA_VERSION
from ib.models.scan.run import Completion, CompletionReply
from ib.models.scan.votes import VoteRecord


class CheckCounts(Record):
    """The counts of one check over the transcripts of one model."""

    k: Count
    """Transcripts that FAIL."""
    n: Count
    """Transcripts that PASS or FAIL."""
    unclear: Count
    """How many transcripts are UNCLEAR."""
    not_applicable: Count
    found: Count
    """Transcripts on which a listed phrase was found in a scan without a judge. They have no verdict."""
    searched: Count
    """Transcripts on which listed phrases were looked for in a scan without a judge; `found` is a part."""
    not_run: Count
    suppressed: Count
    ineligible: Count
    """Transcripts on which the check is not due."""
    no_phrase_found: Count
    """Transcripts that PASS with the lexical judge only because no known phrase was found."""
    contested: Count
    """Transcripts with a contested FAIL."""
    split: Count
    """Transcripts with a verdict by split votes."""
    older_question: Count
    """Transcripts with a verdict by votes that answer another wording of the question."""
    occurrences: Count
    """Turns in which the failure occurred."""
    chances: Count
    """Turns in which it could have occurred: those that the judge was told to judge."""
    not_measured: Count
    """Transcripts with a PASS or FAIL that say nothing of occurrences."""


class ModelCounts(Record):
    """The blindspot profile of one model."""

    transcripts: Count
    """All transcripts."""
    gates: dict[Bucket, GateCounts]
    """The gates A and B, each by itself."""
    both_gates: GateCounts
    """Both gates together: a transcript counts once, with its worse gate."""
    refused_questions: Count
    """Questions of checks that the judge refused to answer at least once."""
    unreadable_questions: Count
    """Questions of checks that the judge at least once did not answer in the form asked for."""
    flags: dict[str, Count]
    """How many transcripts raised each flag."""
    checks: dict[str, CheckCounts]
    """What each check came to."""


class BlindspotProfile(Record):
    """`blindspot.json`: the counts of a scan by model and check."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["blindspot"] = "blindspot"
    models: dict[str, ModelCounts]
    """The counts of each model."""


class JournalHeader(Record):
    """The first line of a journal."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["replies", "completions"]
    plan_hash: Sha256
    """The plan that the replies belong to."""


class ReplyLine(Played):
    """A line of `replies.jsonl` after the first: what a judge answered to one question."""

    key: Sha256
    """The key of the request: a hash of everything that the reply depends on."""
    check_id: str
    turns: tuple[int, int]
    """The first and the last turn that were judged."""
    phase: Phase
    repetition: int
    attempt: int
    """0 for the question, 1 for asking again."""
    answer: str | None = None
    """The text of the answer; a line has one of this, `refused` and `fault`."""
    refused: str | None = None
    """How the provider reports that the judge refused to answer."""
    fault: FaultKind | None = None
    detail: str = ""

    @model_validator(mode="after")
    def _one_outcome(self) -> ReplyLine:
        if self.refused is None:
            _answer_or_fault(self.answer, self.fault)
        elif self.answer is not None or self.fault is not None:
            raise ValueError("a refusal and something else; a line has one of them")
        return self

    @property
    def reply(self) -> JudgeReply:
        """The reply that the line holds."""
        if self.refused is not None:
            return Refusal(self.refused)
        if self.fault is not None:
            return Fault(self.fault, self.detail)
        return Answer(self.answer or "")


class CompletionText(Record):
    """What a model said in one turn."""

    text: str
    """The words of the answer."""
    truncated: bool
    served_model: str | None


class CompletionLine(Played):
    """A line of `completions.jsonl` after the first: what a model answered in one turn of a scenario."""

    key: Sha256
    """The hash of everything that the answer depends on."""
    epoch: int | None = None
    turn: int
    answer: CompletionText | None = None
    """The answer; a line has either this or `fault`."""
    fault: FaultKind | None = None
    detail: str = ""

    @model_validator(mode="after")
    def _one_outcome(self) -> CompletionLine:
        _answer_or_fault(self.answer, self.fault)
        return self

    @property
    def reply(self) -> CompletionReply:
        """The reply that the line holds."""
        if self.answer is None:
            return Fault(self.fault or FaultKind.EMPTY, self.detail)
        return Completion(self.answer.text, self.answer.truncated, self.answer.served_model)


def _answer_or_fault(answer: object, fault: FaultKind | None) -> None:
    """Raises ValueError unless a line has exactly one of the two."""
    if (answer is None) == (fault is None):
        found = "neither an answer nor a fault" if fault is None else "both an answer and a fault"
        raise ValueError(f"{found}; a line has one of the two")


class ContradictionLine(Record):
    """A line of `contradictions.jsonl`: a recorded verdict that its own votes do not give."""

    record: VoteRecord
    """The record as it stands in the votes file."""
    votes_say: Verdict


MOST_SHARDS = 100_000
JOB_FORM: Literal[2] = 2
"""The version of the plan of a job. Plans of other versions are refused."""


class JobPlan(Record):
    """What a job judges, and how. Every worker must have the same plan."""

    schema_version: Literal[2] = JOB_FORM
    kind: Literal["batch_plan"] = "batch_plan"
    form: int
    """The version of the sparse rows."""
    ib_version: str
    """The version of this package. All workers have the same."""
    profile: str
    judge: str
    """The name of the judge; `none` if none is asked."""
    asked: JudgeSpec | None
    """The judge with its parameters, if it is asked in rounds; null if each worker has the judge."""
    benchmark_hash: Sha256
    cluster: str
    """What conversations of one shard have in common: `id`, `meta.KEY`, or `rows` for groups of rows."""
    shards: int = Field(ge=1, le=MOST_SHARDS)
    """How many shards the job has."""
    skip_broken: bool
    """True if broken conversations are left out."""
    inputs: tuple[Sha256, ...]
    """The hashes of the files, sorted: their names and their order change nothing."""


class Judged(Record):
    """How much was judged: of a shard, or of a whole job."""

    conversations: int
    """The conversations that were judged."""
    left_out: int
    """The broken conversations that were left out."""
    rows: int
    """The sparse rows that were written."""


class ShardDone(Judged):
    """The marker of a shard that is done."""

    schema_version: int = 1
    kind: Literal["batch_shard"] = "batch_shard"
    shard: int
    """The number of the shard, from 0."""


class JobManifest(Judged):
    """What a finished job found. Nothing in it depends on the number of shards."""

    schema_version: int = 1
    kind: Literal["batch_manifest"] = "batch_manifest"
    profile: str
    judge: str
    """The name of the judge; `none` if none is asked."""
    benchmark_hash: Sha256
    blindspot: Sha256
    """The hash of `blindspot.json`."""
