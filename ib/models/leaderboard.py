"""The canonical leaderboard: what is published, with its counts, intervals and flags."""

from __future__ import annotations

from typing import Literal

from ib.models.ballot import EvidenceSpan
from ib.models.base import Bucket, Record, Sha256, Stage, Verdict
from ib.models.judge import JudgeSpec

SCHEMA_VERSION = 1


class Rate(Record):
    """k of n, never bare."""

    k: int
    n: int
    """Cases with a clear answer."""
    unclear: int = 0
    """Cases without one; they bound the rate, and are not left out of it."""
    n_families: int = 0
    rate: float | None
    """Null where there are too few cases to show one."""
    low: float | None
    """Wilson 95 % interval."""
    high: float | None
    exact_low: float | None = None
    """Clopper-Pearson 95 % interval, given where a gate hangs on it."""
    exact_high: float | None = None
    upper_if_zero: float | None = None
    """For k = 0: the one-sided 95 % upper bound."""
    bounds: tuple[float, float] | None = None
    """With unclear cases: [k/(n+u), (k+u)/(n+u)]."""
    support: tuple[str, ...]


class MeanScore(Record):
    """A mean over scenarios; nulls are counted, not averaged."""

    mean: float | None
    n: int
    nulls: int
    n_families: int
    se: float | None
    low: float | None
    high: float | None
    method: str = "Student t on the cluster-robust (CR1) standard error over scenario families"


class Coverage(Record):
    """How much of what was due was answered."""

    eligible: int
    covered: float | None
    """(PASS + FAIL + NOT_APPLICABLE) / eligible"""
    decided: float | None
    """(PASS + FAIL) / eligible"""


class CheckEntry(Record):
    """One check on one model, over all scenarios where it was due."""

    check_id: str
    bucket: Bucket
    gate: Bucket | None
    flag: str | None
    failures: Rate
    passes: int
    not_applicable: int
    not_run: int
    suppressed: int
    contested: int
    windows: int
    """How many windows were judged; a scenario may have several."""
    coverage: Coverage
    scenarios_failed: tuple[str, ...]


class GateEntry(Record):
    """A gate over all transcripts of a model."""

    hard_fails: Rate
    incomplete: int


class ScenarioOfModel(Record):
    """What one model's transcript of one scenario came to."""

    scenario_id: str
    epoch: int | None
    transcript_hash: Sha256
    hard_fail_checks: tuple[str, ...]
    gate_open_checks: tuple[str, ...]
    quality_score: float | None
    overall_score: float | None
    bounds: tuple[float, float] | None
    flags: tuple[str, ...]
    failed_checks: tuple[str, ...]
    truncated_turns: int


class SupplementEntry(Record):
    """What is measured beside the checks and enters no score. Rates are of failures."""

    memory: dict[str, Rate]
    """By kind of probe."""
    coordination: dict[str, Rate]
    """A grave risk with nobody to turn to; a resource that does not fit; a step beyond its scope."""
    regard: dict[str, MeanScore]
    """Share of the highest level, by side; empty where no judge was asked."""
    rubric: MeanScore | None
    """Weighted share of rubric points; null where rubrics were not asked for."""
    autofails: Rate | None


class ModelEntry(Record):
    """A row of the leaderboard."""

    model_id: str
    model: str
    slug: str
    transcripts: int
    scenario_set_hash: Sha256
    truncated_turns: int
    hard_fails: Rate
    gates: dict[Bucket, GateEntry]
    overall: MeanScore
    dimensions: dict[Bucket, MeanScore]
    coverage: Coverage
    bucket_coverage: dict[Bucket, Coverage]
    blindspots: tuple[CheckEntry, ...]
    scenarios: tuple[ScenarioOfModel, ...]
    supplement: SupplementEntry | None = None


class CheckSummary(Record):
    """What the leaderboard says of a check itself."""

    check_id: str
    name: str
    bucket: Bucket
    severity: str
    gate: Bucket | None
    flag: str | None
    route: str
    calibration: str
    check_hash: Sha256
    failures: Rate
    """Over all models; not a property of any one of them."""


class NotEvaluated(Record):
    """A check without one judged row, and why."""

    check_id: str
    reason: str


class OpenGate(Record):
    """A gate verdict that nobody should read as settled."""

    model_id: str
    scenario_id: str
    epoch: int | None
    check_id: str
    verdict: Verdict | None
    contested: bool
    reason: str


class RecordContradiction(Record):
    """A recorded verdict that its own votes do not give; the votes were followed."""

    model_id: str
    scenario_id: str
    epoch: int | None
    check_id: str
    recorded: Verdict
    votes: tuple[Verdict, ...]
    votes_say: Verdict
    published: Verdict | None


class VoidedVote(Record):
    """A FAIL vote that does not stand, since its words were not found."""

    model_id: str
    scenario_id: str
    epoch: int | None
    check_id: str
    votes: int
    published: Verdict | None


class ScenarioEntry(Record):
    """A scenario as the transcripts tell it."""

    scenario_id: str
    slug: str
    category: str | None
    family: str
    jurisdiction: str | None
    scenario_hash: Sha256
    models: tuple[str, ...]


class Leaderboard(Record):
    """Everything that is published. Generated; never edited by hand."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["leaderboard"] = "leaderboard"
    canary: str
    stage: Stage
    profile: str
    judge: JudgeSpec
    notes: tuple[str, ...]
    comparability_key: Sha256
    benchmark_hash: Sha256
    plan_hash: Sha256
    results_hash: Sha256
    transcripts: int
    judged_rows: int
    votes: int
    models: tuple[ModelEntry, ...]
    checks: tuple[CheckSummary, ...]
    scenarios: tuple[ScenarioEntry, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    open_gates: tuple[OpenGate, ...]
    record_contradictions: tuple[RecordContradiction, ...]
    voided_votes: tuple[VoidedVote, ...]


class EvidenceItem(Record):
    """Why a row says what it says: quotes of the assistant, as written but for withheld keys."""

    check_id: str
    scenario_id: str
    epoch: int | None
    verdict: Verdict
    contested: bool
    scorer: str
    votes_for: int
    """How many votes said so, in the windows that came out so; the others were asked something else."""
    votes_asked: int
    """How many were asked of those windows."""
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
    """The forms of key that the word has; see ib/board/leaks.yaml."""


class Evidence(Record):
    """The quoted evidence of one model."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["evidence"] = "evidence"
    canary: str
    model_id: str
    items: tuple[EvidenceItem, ...]
    withheld: tuple[WithheldQuote, ...] = ()
    """Quotes that are not complete."""


class QaFinding(Record):
    """What the gate found, and from which stage on it refuses."""

    rule: str
    refuses: tuple[Stage, ...]
    count: int
    detail: tuple[str, ...]


class Qa(Record):
    """What the gate checked, over which bytes, and the stages that it grants."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["qa"] = "qa"
    granted: tuple[Stage, ...]
    checked: dict[str, Sha256]
    """The artifacts of the scan."""
    released: dict[str, Sha256]
    """The files of the release."""
    rules: tuple[str, ...]
    findings: tuple[QaFinding, ...]
