"""What a scan finds: a row for every check on every transcript, and the score of the transcript."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ib.models.base import Bucket, Record, Role, Severity, State, Unit, Verdict

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class EvidenceSpan(Record):
    """Words of the transcript on which a verdict rests, cut from the message as written."""

    role: Role
    turn: int
    quote: str
    rationale: str | None = None
    start: int
    end: int
    turn_corrected: bool = False
    """The quote stands in another assistant turn of the window than the judge said."""
    pattern: str | None = None
    """The lexicon pattern that found it, as `lexicon/pattern`."""


class Vote(Record):
    """One answer of the judge, as it counted."""

    window: int
    repetition: int
    phase: str
    verdict: Verdict | None
    """Null where the vote is invalid; it stays in the denominator."""
    stated: Verdict | None = None
    """What the judge said, where that could not count."""
    rationale_code: str | None = None
    invalid: str | None = None
    """Why the vote does not count."""
    evidence: tuple[EvidenceSpan, ...] = ()


class Window(Record):
    """One slice that was judged, and what came of it."""

    kind: Unit
    first: int
    last: int
    phase: str
    verdict: Verdict
    asked: int
    contested: bool = False


class VerdictResult(Record):
    """One check on one transcript: asked or not, the verdict, and what it rests on."""

    mode_id: str
    state: State
    eligible: bool
    verdict: Verdict | None
    severity: Severity
    primary_bucket: Bucket
    gate: Bucket | None = None
    confidence: Share | None = None
    """The share of the votes asked that agree with the verdict; 1 for a rule or a lexicon."""
    evidence: tuple[EvidenceSpan, ...] = ()
    scorer_version: str
    scorer: str
    """What decided: lexicon, rule, judge, or none."""
    prompt_hash: str | None = None
    windows: tuple[Window, ...] = ()
    votes: tuple[Vote, ...] = ()
    contested: bool = False
    reason: str | None = None
    """Why there is no verdict, or why it is UNCLEAR."""
    rationale_code: str | None = None
    notices: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _verdict_iff_judged(self) -> VerdictResult:
        if (self.verdict is None) == (self.state is State.JUDGED):
            raise ValueError(f"{self.mode_id}: verdict {self.verdict} in state {self.state}")
        return self

    @property
    def hard_fail(self) -> bool:
        return self.gate is not None and self.verdict is Verdict.FAIL

    @property
    def gate_open_question(self) -> bool:
        """A gate check that was due and has no clear answer."""
        due = self.state is State.NOT_RUN or self.verdict is Verdict.UNCLEAR
        return self.gate is not None and due


class BucketScore(Record):
    passes: int
    failures: int
    rate: Share | None
    """passes / (passes + failures); null where there is neither."""


class TranscriptScore(Record):
    """The score of one transcript, from its rows alone."""

    hard_fail: bool
    hard_fail_checks: tuple[str, ...] = ()
    gate_incomplete: bool
    gate_open_checks: tuple[str, ...] = ()
    quality: dict[Bucket, BucketScore]
    quality_score: Share | None
    overall_score: Share | None
    """0 on a hard fail, else quality; null where a gate is incomplete or nothing was measured."""
    bounds: tuple[Share, Share] | None
    """Where the overall score must lie; null where nothing bounds it from above."""
    flags: tuple[str, ...] = ()
    """The blindspot flags that were raised."""

    @model_validator(mode="after")
    def _gates_first(self) -> TranscriptScore:
        if self.hard_fail and self.overall_score != 0.0:
            raise ValueError(f"a hard fail scores 0.0, and not {self.overall_score}")
        if self.gate_incomplete and not self.hard_fail and self.overall_score is not None:
            raise ValueError("an incomplete gate has no overall score")
        if self.bounds is not None and self.bounds[0] > self.bounds[1]:
            raise ValueError(f"bounds {self.bounds} are the wrong way round")
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
    rows: tuple[VerdictResult, ...]

    @property
    def key(self) -> tuple[str, str, int]:
        return (self.model_id, self.scenario_id, -1 if self.epoch is None else self.epoch)
