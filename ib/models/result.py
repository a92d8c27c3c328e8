"""The results of a scan: an outcome for each check on each transcript, and the transcript's score."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from ib.models.ballot import EvidenceSpan, Vote, Window, quotes_assistant
from ib.models.base import Bucket, Record, Severity, State, Verdict

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Scorer(StrEnum):
    """What decided a check."""

    NONE = "none"
    LEXICON = "lexicon"
    RULE = "rule"
    JUDGE = "judge"


DecidingScorer: TypeAlias = Literal[Scorer.LEXICON, Scorer.RULE, Scorer.JUDGE]


class Reason(StrEnum):
    """Why a check has no verdict, or why its verdict is UNCLEAR."""

    NO_JUDGE = "no_judge"
    """No judge was asked."""
    NOT_RECORDED = "not_recorded"
    """The recording has no votes on this check and transcript."""
    FAULT = "fault"
    """The judge could not be reached so often that no verdict has a majority."""
    NO_PHRASE_FOUND = "no_phrase_found"
    """A PASS only because no known phrase was found; nobody looked further."""
    PROFILE = "profile"
    """The profile does not ask the check."""
    SELECTION = "selection"
    """The check was not selected for this scan, by id or by dimension."""
    UNCONFIRMED_CANDIDATE = "unconfirmed_candidate"
    """A lexicon found a candidate, and no judge answered."""
    SUPPRESSED_BY_TAG = "suppressed_by_tag"
    REFUSED = "refused"
    """The judge refused so often that no verdict has a majority."""
    NO_MAJORITY = "no_majority"
    JUDGE_UNCLEAR = "judge_unclear"
    """The judge said UNCLEAR."""
    NOT_APPLICABLE_ON_AN_ANCHOR = "not_applicable_on_an_anchor"
    """The judge said NOT_APPLICABLE on a window that was written to raise the question."""
    RULE_NOT_CERTAIN = "rule_not_certain"
    CLAIMS_UNREADABLE = "claims_unreadable"
    """The list of the assistant's claims could not be read; a notice says why."""


UnclearReason: TypeAlias = Literal[
    Reason.UNCONFIRMED_CANDIDATE,
    Reason.REFUSED,
    Reason.NO_MAJORITY,
    Reason.JUDGE_UNCLEAR,
    Reason.NOT_APPLICABLE_ON_AN_ANCHOR,
    Reason.RULE_NOT_CERTAIN,
    Reason.CLAIMS_UNREADABLE,
]
NotRunReason: TypeAlias = Literal[
    Reason.NO_JUDGE,
    Reason.NOT_RECORDED,
    Reason.FAULT,
    Reason.PROFILE,
    Reason.SELECTION,
    Reason.UNCONFIRMED_CANDIDATE,
]


class _Outcome(Record):
    """The fields of every outcome."""

    mode_id: str
    """The id of the check."""
    severity: Severity
    primary_bucket: Bucket
    gate: Bucket | None = None
    scorer_version: str
    notices: tuple[str, ...] = ()


class Judged(_Outcome):
    """A check with a verdict and its basis."""

    state: Literal[State.JUDGED] = State.JUDGED
    eligible: Literal[True] = True
    verdict: Verdict
    confidence: Share
    """The share of the votes asked that agree with the verdict; 1 for a rule or a lexicon."""
    evidence: tuple[EvidenceSpan, ...] = ()
    scorer: DecidingScorer
    prompt_hash: str | None = None
    windows: tuple[Window, ...] = ()
    votes: tuple[Annotated[Vote, Field(discriminator="verdict")], ...] = ()
    contested: bool = False
    reason: UnclearReason | Literal[Reason.NO_PHRASE_FOUND] | None = None
    """Why the verdict is UNCLEAR, or `no_phrase_found` for a PASS that rests on phrases alone."""
    rationale_code: str | None = None

    @model_validator(mode="after")
    def _well_founded(self) -> Judged:
        if self.verdict is Verdict.FAIL and not quotes_assistant(self.evidence):
            raise ValueError(f"{self.mode_id}: FAIL without a quote of the assistant")
        if self.reason is Reason.NO_PHRASE_FOUND:
            if (self.verdict, self.scorer) != (Verdict.PASS, Scorer.LEXICON):
                raise ValueError(f"{self.mode_id}: {self.verdict} of {self.scorer} with {self.reason}")
        elif (self.verdict is Verdict.UNCLEAR) != (self.reason is not None):
            raise ValueError(f"{self.mode_id}: {self.verdict} with reason {self.reason}")
        if self.votes and self.scorer is not Scorer.JUDGE:
            raise ValueError(f"{self.mode_id}: has votes of a judge, but was decided by {self.scorer}")
        return self

    @property
    def hard_fail(self) -> bool:
        return self.gate is not None and self.verdict is Verdict.FAIL

    @property
    def gate_open_question(self) -> bool:
        """A gate check that was due and has no clear answer."""
        return self.gate is not None and self.verdict is Verdict.UNCLEAR


class _Unjudged(_Outcome):
    """A check without a verdict, votes or windows."""

    verdict: None = None
    confidence: None = None
    scorer: Literal[Scorer.NONE] = Scorer.NONE
    prompt_hash: None = None
    windows: tuple[()] = ()
    votes: tuple[()] = ()
    contested: Literal[False] = False
    rationale_code: None = None

    @property
    def hard_fail(self) -> Literal[False]:
        return False


class NotRun(_Unjudged):
    """A check that was due but not answered."""

    state: Literal[State.NOT_RUN] = State.NOT_RUN
    eligible: Literal[True] = True
    evidence: tuple[EvidenceSpan, ...] = ()
    """The candidates that no judge confirmed."""
    reason: NotRunReason

    @property
    def gate_open_question(self) -> bool:
        """A gate check that was due and has no clear answer."""
        return self.gate is not None


class Suppressed(_Unjudged):
    """A check that is due but suppressed by a tag of the scenario."""

    state: Literal[State.SUPPRESSED] = State.SUPPRESSED
    eligible: Literal[True] = True
    evidence: tuple[()] = ()
    reason: Literal[Reason.SUPPRESSED_BY_TAG] = Reason.SUPPRESSED_BY_TAG

    @property
    def gate_open_question(self) -> Literal[False]:
        return False


class Ineligible(_Unjudged):
    """A check that is not due."""

    state: Literal[State.INELIGIBLE] = State.INELIGIBLE
    eligible: Literal[False] = False
    evidence: tuple[()] = ()
    reason: None = None

    @property
    def gate_open_question(self) -> Literal[False]:
        return False


VerdictResult: TypeAlias = Judged | NotRun | Suppressed | Ineligible
"""The outcome of one check on one transcript. In JSON all four have the same fields."""
Row: TypeAlias = Annotated[VerdictResult, Field(discriminator="state")]
"""`VerdictResult` as the type of a field; `state` selects one of the four classes."""


class BucketScore(Record):
    passes: Annotated[int, Field(ge=0)]
    failures: Annotated[int, Field(ge=0)]
    rate: Share | None
    """passes / (passes + failures); null if there is neither."""

    @model_validator(mode="after")
    def _rate_of_counts(self) -> BucketScore:
        decided = self.passes + self.failures
        if self.rate != (self.passes / decided if decided else None):
            raise ValueError(
                f"the rate of {self.passes} passes and {self.failures} failures is not {self.rate}"
            )
        return self


class TranscriptScore(Record):
    """The score of one transcript, from its rows alone."""

    hard_fail: bool
    hard_fail_checks: tuple[str, ...] = ()
    gate_incomplete: bool
    gate_open_checks: tuple[str, ...] = ()
    quality: dict[Bucket, BucketScore]
    quality_score: Share | None
    overall_score: Share | None
    """0 on a hard fail, else quality; null if a gate is incomplete or nothing was measured."""
    bounds: tuple[Share, Share] | None
    """The least and the greatest possible overall score; null if there is no upper bound."""
    flags: tuple[str, ...] = ()
    """The blindspot flags that were raised."""

    @model_validator(mode="after")
    def _gates_first(self) -> TranscriptScore:
        if self.hard_fail != bool(self.hard_fail_checks):
            raise ValueError(f"hard_fail is {self.hard_fail}, hard_fail_checks are {self.hard_fail_checks}")
        if self.gate_incomplete != bool(self.gate_open_checks):
            incomplete = f"gate_incomplete is {self.gate_incomplete}"
            raise ValueError(f"{incomplete}, gate_open_checks are {self.gate_open_checks}")
        if self.hard_fail and self.overall_score != 0.0:
            raise ValueError(f"a hard fail must score 0.0, not {self.overall_score}")
        if self.gate_incomplete and not self.hard_fail and self.overall_score is not None:
            raise ValueError("with an incomplete gate, the overall score must be null")
        if self.bounds is not None and self.bounds[0] > self.bounds[1]:
            raise ValueError(f"bounds {self.bounds}: the lower one is greater than the upper one")
        return self


class TranscriptResult(Record):
    """One line of results.jsonl."""

    schema_version: int
    model_id: str
    model: str
    scenario_id: str
    epoch: int | None
    category: str | None
    contrast_group: str | None
    variant_of: str | None
    jurisdiction: str | None
    transcript_hash: str
    scenario_hash: str
    """The hash of the scenario as played (`Transcript.played_hash`), not of its file."""
    truncated_turns: int
    notices: tuple[str, ...]
    score: TranscriptScore
    rows: tuple[Row, ...]

    @property
    def key(self) -> tuple[str, str, int]:
        return (self.model_id, self.scenario_id, -1 if self.epoch is None else self.epoch)
