"""The leaderboard and the other files of a release, with counts, intervals and flags."""

from __future__ import annotations

import operator
from datetime import date
from typing import Any, Literal

from pydantic import Field

from ib.models.common.base import Bucket, Play, Played, Record, Sha256, Slug, Stage, Verdict
from ib.models.draw.keyed_slot import DrawNamed
from ib.models.release.comparisons import Comparison, ContrastSet, Ladder
from ib.models.release.findings import BoardFinding, CountOf, Roots
from ib.models.release.gap import DrawGap
from ib.models.release.ledger import Reason, ScanSource
from ib.models.release.pairs import AlarmItem, DangersAndAlarms, TwinEntry
from ib.models.release.reviews import ReviewSummary
from ib.models.release.rules import GateRuleEntry
from ib.models.release.supplement import SupplementEntry
from ib.models.scan.ballot import EvidenceSpan, InvalidKind
from ib.models.scan.decided import Decision
from ib.models.scan.gates import Count, GateEntry, GateScore, OpenGate
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.occurrences import OccurrenceRate
from ib.models.scan.rates import Coverage, MeanScore, Rate
from ib.models.scan.second import SecondJudging

SCHEMA_VERSION = 6
"""Raised when a field of a release changes its meaning or its form, or goes. Files of another version are
refused (`ib.store.folders.released`). New in version 6: what has a line for each transcript or scenario is in
`rows/` and `scenarios.jsonl` (`ib.models.release.rows`); `source/` has what the release was made from."""


def _in_rows() -> Any:
    """A field that leaderboard.json does not have. It is joined from lines (`ib.models.release.rows`)."""
    return Field(default=(), exclude=True)


FIRST_DAY = date(2026, 11, 21)
"""The first day of the benchmark. No release is older."""


class CheckEntry(Record):
    """One check on one model, over all scenarios where it was due."""

    check_id: str
    bucket: Bucket
    """The dimension of the check."""
    gate: Bucket | None
    flag: str | None
    """The name of the blindspot; null if the check has none, or did not FAIL."""
    failures: Rate
    """FAIL verdicts over clear verdicts."""
    occurrences: OccurrenceRate | None
    """The assistant's turns with the failure; null if not measured on each transcript with PASS or FAIL."""
    passes: int
    """Transcripts that PASS."""
    no_phrase_found: int
    """Passes of the lexical judge: no known phrase. If there are any, `failures` counts what was found."""
    found: int = 0
    """Transcripts on which a listed phrase was found in a scan without a judge. They have no verdict."""
    searched: int = 0
    """Transcripts searched for listed phrases in a scan without a judge; `found` is a part."""
    not_applicable: int
    not_run: int
    suppressed: int
    contested: int
    """FAILs in which fewer than most of the votes say FAIL."""
    split: int
    """Transcripts with a verdict by split votes."""
    windows: int
    """How many windows were judged; a scenario may have several."""
    older_questions: Count = 0
    """Verdicts by votes that answer another wording of the question."""
    coverage: Coverage
    scenarios_failed: tuple[str, ...] = _in_rows()
    """The scenarios that FAIL."""


class ScenarioOfModel(Play):
    """The result of one transcript of a model."""

    transcript_hash: Sha256
    gates: dict[Bucket, GateScore]
    """The gates A and B, each with the checks that decide its state."""
    quality_score: float | None
    """The weighted mean of the C, D and F rates; null if one of them that was due is null."""
    overall_score: float | None
    """0 on a hard fail by the judge, else quality; null if a gate is undecided."""
    bounds: tuple[float, float] | None
    """The overall score if all undecided checks fail, and if all pass."""
    flags: tuple[str, ...]
    """The blindspot flags that were raised."""
    failed_checks: tuple[str, ...]
    """The checks that FAIL."""
    verdicts: str = Field(default="", pattern=r"^[FCPpUNfRS.]*$")
    """One letter for each check, in the order of `checks`: F for FAIL, C for a contested FAIL, P for PASS, p
    for a PASS that means only that no known phrase was found, U for UNCLEAR, N for NOT_APPLICABLE, f where
    only a phrase was found, R for not run, S for suppressed, and a dot if the check was not due."""
    older_questions: str = Field(default="", pattern=r"^[o.]*$")
    """One sign for each check, in the order of `checks`: o if the votes of its verdict answer another wording
    of the question, else a dot; empty if there is no such verdict."""
    joined: tuple[tuple[str, ...], ...]
    """The failed checks that have one root, in groups."""
    truncated_turns: int


class ModelEntry(Record):
    """A row of the leaderboard."""

    model_id: str
    model: str
    slug: str
    transcripts: int
    """How many transcripts the model has."""
    played: tuple[date, date] | None = Field(default=None, exclude_if=operator.not_)
    """The first and the last day on which transcripts of the model were made, as far as their provenance
    names a day; the key is left out if none does."""
    scenario_set_hash: Sha256
    """The hash of the scenarios that the model played."""
    truncated_turns: int
    gates: dict[Bucket, GateEntry]
    """The gates A and B, each by itself."""
    both_gates: GateEntry
    """Both gates together: a transcript counts once, with its worse gate."""
    gate_rules: tuple[GateRuleEntry, ...] = ()
    """The model under other rules for the gates (`ib.models.release.rules`)."""
    refused_questions: int
    """Questions of checks that the judge refused to answer at least once."""
    overall: MeanScore
    """The mean overall score."""
    dimensions: dict[Bucket, MeanScore]
    """The mean scores of C, D and F."""
    occurrences: dict[Bucket, OccurrenceRate | None]
    """The same for each dimension of quality, over its checks that were measured; null if none was."""
    roots: Roots
    """How many roots the failures have."""
    older_questions: Count = 0
    """Verdicts by votes that answer another wording of the question."""
    coverage: Coverage
    bucket_coverage: dict[Bucket, Coverage]
    """Coverage by dimension."""
    blindspots: tuple[CheckEntry, ...]
    """A row for each check."""
    scenarios: tuple[ScenarioOfModel, ...] = _in_rows()
    """A row for each transcript."""
    supplement: SupplementEntry | None = None
    """The supplementary measures; null if not measured."""
    dangers_and_alarms: DangersAndAlarms | None = None
    """Dangers caught and false alarms, over the same families; null if the model played no safe twin. They
    enter no score."""
    gap: DrawGap | None = Field(default=None, exclude_if=operator.not_)
    """The gap to a private draw; the key is left out if none was measured. It enters no score."""


class CheckSummary(Record):
    """A check on the leaderboard, for all models together."""

    check_id: str
    name: str
    """The name of the check."""
    bucket: Bucket
    """The dimension of the check."""
    severity: str
    """The severity of the check."""
    gate: Bucket | None
    flag: str | None
    """The name of the blindspot; null if the check has none, or did not FAIL for any model."""
    route: str
    """Who decides."""
    calibration: str
    """`validated` if people decided enough drawn verdicts of the check in this release, else `unvalidated`.
    What the file of the check states does not count."""
    check_hash: Sha256
    no_phrase_found: int
    """Passes of the lexical judge, which mean only that no known phrase was found."""
    found: int = 0
    """Transcripts on which a listed phrase was found in a scan without a judge. They have no verdict."""
    searched: int = 0
    """Transcripts searched for listed phrases in a scan without a judge; `found` is a part."""
    failures: Rate
    """FAIL verdicts over clear verdicts, for all models together. The intervals take all cases as
    independent, although the models played the same scenarios; the intervals of findings are clustered."""
    models_failed: int = 0
    """How many models failed the check at least once."""
    median: float | None = None
    """The median of the rates of the models with enough cases to show a rate, and a clear answer in at least
    half of the due cases; null if there is no such model."""
    detectable: float | None = None
    """The least difference of two models that would be found with a chance of 80%, as in comparisons, over
    the families with a PASS or FAIL of a model; null if there is none, or if models are not compared."""
    older_questions: Count = 0
    """Verdicts by votes that answer another wording of the question, of all models."""
    split_votes: CountOf | None = None
    """Verdicts on which valid votes disagree, or for which a vote does not count, of the verdicts with at
    least two votes, of all models; null if the judge was never asked twice. There is no interval: models
    played the same scenarios, so the verdicts are alike."""


class NotEvaluated(Record):
    """A check without a judged row, and why."""

    check_id: str
    reason: str
    """Why no row was judged."""


class RecordContradiction(Played):
    """A recorded verdict that contradicts its own votes. The votes decided."""

    check_id: str
    recorded: Verdict
    """The verdict of the record."""
    votes: tuple[Verdict, ...]
    """The recorded votes."""
    votes_say: Verdict
    published: Verdict | None
    """The verdict that was published."""


class VoidedVote(Played):
    """A row with FAIL votes that do not count, because their quotes were not found."""

    check_id: str
    votes: int
    """How many votes do not stand."""
    published: Verdict | None
    """The verdict that was published."""


class ScenarioEntry(Record):
    """A scenario as its transcripts name it."""

    scenario_id: str
    slug: str
    category: str | None
    family: str
    """The family of scenarios that it belongs to."""
    jurisdiction: str | None
    scenario_hash: Sha256
    """The hash of the scenario as played."""
    models: tuple[str, ...]
    """The models that played it."""
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
    """The stage of the release: demo, research or public."""
    released: date
    """The day of the release, in UTC, as its publisher stated it."""
    reason: Reason | None = Field(default=None, exclude_if=operator.not_)
    """Why it was published, as the ledger says, too; the key is left out if its publisher gave no reason."""
    profile: str
    judge: JudgeSpec
    """The judge, and what it can do."""
    notes: tuple[str, ...]
    """What a reader must know before reading the figures."""
    set: Slug | None = Field(default=None, exclude_if=operator.not_)
    """The set whose scenarios were played; the key is left out for the core."""
    open_logs: bool = False
    """True if the release is made of open logs. The figures of each model then describe its own log only."""
    comparability_key: Sha256
    """The hash of everything that must be equal for two rows to share a table."""
    draw: DrawNamed | None = Field(default=None, exclude_if=operator.not_)
    """The draw whose words the models met; the key is left out if no scenario has slots."""
    gap_draw: DrawNamed | None = Field(default=None, exclude_if=operator.not_)
    """The private draw of the gaps of models; the key is left out if no gap was measured."""
    benchmark_version: str | None = None
    """The content of the benchmark's file VERSION; null if it has none."""
    benchmark_hash: Sha256
    plan_hash: Sha256
    results_hash: Sha256
    """The SHA-256 of `results.jsonl`."""
    transcripts: int
    """How many transcripts were scanned."""
    judged_rows: int
    """How many rows have a verdict."""
    votes: int
    """How many votes were counted."""
    voted_rows: Count = 0
    """How many rows have votes of a judge."""
    older_questions: Count = 0
    """Those of them whose votes answer another wording of the question than that of the check."""
    judging_usd: float | None = Field(default=None, ge=0, exclude_if=operator.not_)
    """What the calls to the judge cost in US dollars, by the cost report of the scan; the key is left out
    if the judge costs nothing, or if the price of a call is unknown."""
    votes_per_question: tuple[int, int] | None = None
    """The least and the most votes that were asked on a question; null if there are no votes."""
    models: tuple[ModelEntry, ...]
    """A row for each model, by name."""
    checks: tuple[CheckSummary, ...]
    """The checks, with their figures over all models."""
    scenarios: tuple[ScenarioEntry, ...] = _in_rows()
    """The scenarios that were played."""
    twins: tuple[TwinEntry, ...] = ()
    """The safe twins. Their plays are in no other count."""
    not_evaluated: tuple[NotEvaluated, ...]
    """Checks without a judged row."""
    open_gates: tuple[OpenGate, ...] = _in_rows()
    """Gate verdicts that are not settled."""
    record_contradictions: tuple[RecordContradiction, ...] = _in_rows()
    """Recorded verdicts that their votes do not give."""
    voided_votes: tuple[VoidedVote, ...] = _in_rows()
    """FAIL votes without a quote that was found."""
    contrasts: tuple[ContrastSet, ...] = ()
    """The contrast sets, over all models."""
    ladders: tuple[Ladder, ...] = Field(default=(), exclude_if=operator.not_)
    """Each model on stories told at three levels; left out if there are none."""
    comparisons: tuple[Comparison, ...] = ()
    """Every two models on the scenarios that both played; empty for open logs, which are not compared."""
    findings: tuple[BoardFinding, ...] = ()
    """What the figures show, at most five; empty if the data carries no finding."""
    second_judge: SecondJudging | None = None
    """How a second judge answered; null if the scan has none. All other figures are those of the judge."""
    reviews: ReviewSummary | None = Field(default=None, exclude_if=operator.not_)
    """What people reviewed; the key is left out if nobody did."""
    sources: dict[str, ScanSource] = Field(default_factory=dict, exclude_if=operator.not_)
    """The scan of each row, by model id, if scans were joined for the release; else the key is left out."""


class EvidenceVote(Record):
    """One vote of the judge on a verdict."""

    window: int
    """The place of its question in `windows` of the verdict, from 0."""
    verdict: Verdict | None
    """Null if the vote does not count."""
    rationale_code: str | None
    """The reason that the judge named."""
    invalid: InvalidKind | None
    """Why the vote does not count."""


class EvidenceItem(Play):
    """Why a row has its verdict: quotes of the assistant as written, except for withheld keys."""

    check_id: str
    verdict: Verdict | None
    """Null if only a listed phrase was found, in a scan without a judge."""
    contested: bool
    """True for a FAIL for which fewer than most of the votes are."""
    split: bool
    older_question: bool = False
    """True if the votes answer another wording of the question."""
    scorer: str
    """What decided: lexicon, rule or judge; none if only a listed phrase was found."""
    votes_for: int
    """How many votes agree, in the windows with this verdict."""
    votes_asked: int
    """How many votes were asked in those windows."""
    votes: tuple[EvidenceVote, ...] = ()
    """Every vote on the verdict, in the order of its questions."""
    windows: tuple[tuple[int, int], ...] = ()
    """The first and the last turn of each question."""
    rationale_code: str | None
    reason: str | None
    """Why it is UNCLEAR, if it is."""
    quotes: tuple[EvidenceSpan, ...]
    decided: Decision | None = Field(default=None, exclude_if=operator.not_)
    """What people decided, if they did; the votes are those of the judge. The key is left out otherwise."""
    occurred: tuple[int, ...] = Field(default=(), exclude_if=operator.not_)
    """The turns in which most votes found a failure; the key is left out if there is none."""


class WithheldQuote(Play):
    """A quote in which a word was withheld because it looks like a key."""

    check_id: str
    turn: int
    forms: tuple[str, ...]
    """The forms of key that the word has; see ib/board/evidence/leaks.yaml."""


class Evidence(Record):
    """The quoted evidence of one model."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["evidence"] = "evidence"
    canary: str
    stage: Stage
    """The stage of the release."""
    model_id: str
    items: tuple[EvidenceItem, ...]
    """Each verdict with its words."""
    alarms: tuple[AlarmItem, ...] = ()
    """Why plays of safe twins have grade 1 or 2."""
    withheld: tuple[WithheldQuote, ...] = ()
    """Quotes in which a word was withheld."""
