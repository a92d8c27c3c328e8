"""The leaderboard and the other files of a release, with counts, intervals and flags."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ib.models.common.base import Bucket, Record, Sha256, Stage, Verdict
from ib.models.release.comparisons import Comparison, ContrastSet
from ib.models.release.findings import BoardFinding, CountOf
from ib.models.release.pairs import AlarmItem, DangersAndAlarms, TwinEntry
from ib.models.scan.ballot import EvidenceSpan, InvalidKind
from ib.models.scan.gates import GateEntry, GateScore, OpenGate
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.occurrences import OccurrenceRate
from ib.models.scan.rates import Coverage, MeanScore, Rate
from ib.models.scan.second import SecondJudging

Count = Annotated[int, Field(ge=0)]


class Roots(Record):
    """FAIL rows of a model, and their roots. They are counts; no rate is made of them."""

    gate_failures: Count
    """FAIL rows of gate checks."""
    gate_roots: Count
    """Their roots: failures of one transcript with one root count once."""
    quality_failures: Count
    """FAIL rows of quality checks."""
    quality_roots: Count

    @model_validator(mode="after")
    def _no_more_than_failures(self) -> Roots:
        for kind, failures, roots in (
            ("gate", self.gate_failures, self.gate_roots),
            ("quality", self.quality_failures, self.quality_roots),
        ):
            if roots > failures or bool(roots) is not bool(failures):
                raise ValueError(f"{failures} {kind} failures cannot have {roots} roots")
        return self


SCHEMA_VERSION = 4
"""Raised when a field of a release changes its meaning or its form, or goes. Files of another version are
refused (`ib.store.folders.released`). New in version 4: where fewer than half of the due cases are decided,
rates and scores are null and only `bounds` stay, which count every undecided case; `tied`."""

FIRST_DAY = date(2026, 11, 21)
"""The first day of the benchmark. No release is older."""


class CheckEntry(Record):
    """One check on one model, over all scenarios where it was due."""

    check_id: str
    bucket: Bucket
    gate: Bucket | None
    flag: str | None
    """The name of the blindspot; null if the check has none, or did not FAIL."""
    failures: Rate
    occurrences: OccurrenceRate | None
    passes: int
    no_phrase_found: int
    """Passes that mean only that no known phrase was found. If there are any, `failures` counts what was
    found."""
    not_applicable: int
    not_run: int
    suppressed: int
    contested: int
    """FAILs in which fewer than most of the votes say FAIL."""
    split: int
    windows: int
    """How many windows were judged; a scenario may have several."""
    coverage: Coverage
    scenarios_failed: tuple[str, ...]


class ScenarioOfModel(Record):
    """The result of one transcript of a model."""

    scenario_id: str
    epoch: int | None
    transcript_hash: Sha256
    gates: dict[Bucket, GateScore]
    quality_score: float | None
    overall_score: float | None
    bounds: tuple[float, float] | None
    flags: tuple[str, ...]
    failed_checks: tuple[str, ...]
    verdicts: str = Field(default="", pattern=r"^[FCPpUNRS.]*$")
    """One letter for each check, in the order of `checks`: F for FAIL, C for a contested FAIL, P for PASS, p
    for a PASS that means only that no known phrase was found, U for UNCLEAR, N for NOT_APPLICABLE, R for not
    run, S for suppressed, and a dot if the check was not due."""
    joined: tuple[tuple[str, ...], ...]
    """The failed checks that have one root, in groups."""
    truncated_turns: int


class SupplementEntry(Record):
    """The supplementary measures. They enter no score. Rates are rates of failure."""

    memory: dict[str, Rate]
    """Failed probes, by kind."""
    coordination: dict[str, Rate]
    """Failures by question: no handoff at a grave risk, a wrong resource, a step beyond its scope."""
    regard: dict[str, MeanScore]
    """The mean share of the highest level, by side; empty if no judge was asked."""
    rubric: MeanScore | None
    """The weighted share of rubric points; null if rubrics were not asked for."""
    autofails: Rate | None


class ModelEntry(Record):
    """A row of the leaderboard."""

    model_id: str
    model: str
    slug: str
    transcripts: int
    scenario_set_hash: Sha256
    truncated_turns: int
    gates: dict[Bucket, GateEntry]
    both_gates: GateEntry
    """Both gates together: a transcript counts once, with its worse gate."""
    refused_questions: int
    """Questions of checks that the judge refused to answer at least once."""
    overall: MeanScore
    dimensions: dict[Bucket, MeanScore]
    occurrences: dict[Bucket, OccurrenceRate | None]
    roots: Roots
    coverage: Coverage
    bucket_coverage: dict[Bucket, Coverage]
    blindspots: tuple[CheckEntry, ...]
    scenarios: tuple[ScenarioOfModel, ...]
    supplement: SupplementEntry | None = None
    dangers_and_alarms: DangersAndAlarms | None = None
    """Dangers caught and false alarms, over the same families; null if the model played no safe twin. They
    enter no score."""


class CheckSummary(Record):
    """A check on the leaderboard, for all models together."""

    check_id: str
    name: str
    bucket: Bucket
    severity: str
    gate: Bucket | None
    flag: str | None
    """The name of the blindspot; null if the check has none, or did not FAIL for any model."""
    route: str
    calibration: str
    check_hash: Sha256
    no_phrase_found: int
    failures: Rate
    """FAIL verdicts over clear verdicts, for all models together. The intervals take all cases as
    independent, although the models played the same scenarios; the intervals of findings are clustered."""
    models_failed: int = 0
    """How many models failed the check at least once."""
    median: float | None = None
    """The median of the rates of the models with enough cases to show a rate, and a clear answer in at least
    half of the due cases; null if there is no such model."""
    split_votes: CountOf | None = None
    """Verdicts on which valid votes disagree, or for which a vote does not count, of the verdicts with at
    least two votes, of all models; null if the judge was never asked twice. There is no interval: models
    played the same scenarios, so the verdicts are alike."""


class NotEvaluated(Record):
    """A check without a judged row, and why."""

    check_id: str
    reason: str


class RecordContradiction(Record):
    """A recorded verdict that contradicts its own votes. The votes decided."""

    model_id: str
    scenario_id: str
    epoch: int | None
    check_id: str
    recorded: Verdict
    votes: tuple[Verdict, ...]
    votes_say: Verdict
    published: Verdict | None


class VoidedVote(Record):
    """A row with FAIL votes that do not count, because their quotes were not found."""

    model_id: str
    scenario_id: str
    epoch: int | None
    check_id: str
    votes: int
    published: Verdict | None


class ScenarioEntry(Record):
    """A scenario as its transcripts name it."""

    scenario_id: str
    slug: str
    category: str | None
    family: str
    jurisdiction: str | None
    scenario_hash: Sha256
    models: tuple[str, ...]
    contrast_group: str | None = None
    contrast_variable: str | None = None
    plays: int = 0
    """The transcripts of the scenario, of all models."""
    branches: dict[str, int] = Field(default_factory=dict)
    """How many plays took each branch; a branch that none took is missing."""


class Leaderboard(Record):
    """Everything that is published. Generated; do not edit by hand."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["leaderboard"] = "leaderboard"
    canary: str
    stage: Stage
    released: date
    """The day of the release, in UTC, as its publisher stated it."""
    profile: str
    judge: JudgeSpec
    notes: tuple[str, ...]
    open_logs: bool = False
    """True if the release is made of open logs. The figures of each model then describe its own log only."""
    comparability_key: Sha256
    benchmark_version: str | None = None
    """The content of the benchmark's file VERSION; null if it has none."""
    benchmark_hash: Sha256
    plan_hash: Sha256
    results_hash: Sha256
    transcripts: int
    judged_rows: int
    votes: int
    models: tuple[ModelEntry, ...]
    checks: tuple[CheckSummary, ...]
    scenarios: tuple[ScenarioEntry, ...]
    twins: tuple[TwinEntry, ...] = ()
    """The safe twins. Their plays are in no other count."""
    not_evaluated: tuple[NotEvaluated, ...]
    open_gates: tuple[OpenGate, ...]
    record_contradictions: tuple[RecordContradiction, ...]
    voided_votes: tuple[VoidedVote, ...]
    contrasts: tuple[ContrastSet, ...] = ()
    """The contrast sets, over all models."""
    comparisons: tuple[Comparison, ...] = ()
    """Every two models on the scenarios that both played; empty for open logs, which are not compared."""
    findings: tuple[BoardFinding, ...] = ()
    """What the figures show, at most five; empty if the data carries no finding."""
    second_judge: SecondJudging | None = None
    """How a second judge answered; null if the scan has none. All other figures are those of the judge."""


class EvidenceVote(Record):
    """One vote of the judge on a verdict."""

    window: int
    """The place of its question in `windows` of the verdict, from 0."""
    verdict: Verdict | None
    """Null if the vote does not count."""
    rationale_code: str | None
    invalid: InvalidKind | None
    """Why the vote does not count."""


class EvidenceItem(Record):
    """Why a row has its verdict: quotes of the assistant as written, except for withheld keys."""

    check_id: str
    scenario_id: str
    epoch: int | None
    verdict: Verdict
    contested: bool
    split: bool
    scorer: str
    votes_for: int
    votes_asked: int
    votes: tuple[EvidenceVote, ...] = ()
    """Every vote on the verdict, in the order of its questions."""
    windows: tuple[tuple[int, int], ...] = ()
    """The first and the last turn of each question."""
    rationale_code: str | None
    reason: str | None
    quotes: tuple[EvidenceSpan, ...]


class WithheldQuote(Record):
    """A quote in which a word was withheld because it looks like a key."""

    check_id: str
    scenario_id: str
    epoch: int | None
    turn: int
    forms: tuple[str, ...]


class Evidence(Record):
    """The quoted evidence of one model."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["evidence"] = "evidence"
    canary: str
    stage: Stage
    model_id: str
    items: tuple[EvidenceItem, ...]
    alarms: tuple[AlarmItem, ...] = ()
    """Why plays of safe twins have grade 1 or 2."""
    withheld: tuple[WithheldQuote, ...] = ()
    """Quotes in which a word was withheld."""
