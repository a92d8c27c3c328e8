"""Joining the results of a scan into a leaderboard: counts first, rates from counts, never back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ib.board.families import families
from ib.board.lists import contradictions, not_evaluated, open_gates, voided
from ib.board.outcomes import Outcome, outcome
from ib.board.rates import coverage, mean_score, rate
from ib.board.slugs import unique_slugs
from ib.board.supplement import supplement_entry
from ib.models.base import BUCKET_NAMES, GATE_BUCKETS, QUALITY_BUCKETS, Bucket, Stage, State, Verdict
from ib.models.benchmark import Benchmark
from ib.models.canonical import digest
from ib.models.check import Check
from ib.models.leaderboard import (
    CheckEntry,
    CheckSummary,
    Coverage,
    GateEntry,
    Leaderboard,
    ModelEntry,
    Rate,
    ScenarioEntry,
    ScenarioOfModel,
)
from ib.models.plan import ScanPlan
from ib.models.result import TranscriptResult, VerdictResult
from ib.models.supplement import Supplement
from ib.models.votes import VoteRecord

Families: TypeAlias = Mapping[str, str]
"""The family of each scenario."""


@dataclass(frozen=True)
class Scan:
    """A finished scan, as the board needs it."""

    plan: ScanPlan
    plan_hash: str
    results: Sequence[TranscriptResult]
    results_hash: str
    contradictions: Sequence[tuple[VoteRecord, Verdict]] = ()
    """Records whose verdict is not what their votes say, with what the votes say."""
    supplements: Sequence[Supplement] = ()
    """What was measured beside the checks."""


@dataclass
class _Tally:
    """The rows of one check, counted."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    states: Counter[State] = field(default_factory=Counter)
    contested: int = 0
    windows: int = 0
    failed: list[str] = field(default_factory=list)
    families: set[str] = field(default_factory=set)

    def add(self, row: VerdictResult, result: TranscriptResult, family: str) -> None:
        self.states[row.state] += 1
        self.contested += row.contested
        self.windows += len(row.windows)
        if row.verdict is None:
            return
        self.verdicts[row.verdict] += 1
        if row.verdict in (Verdict.PASS, Verdict.FAIL):
            self.families.add(family)
        if row.verdict is Verdict.FAIL:
            self.failed.append(result.scenario_id)

    @property
    def eligible(self) -> int:
        """Due and not suppressed."""
        return self.states[State.JUDGED] + self.states[State.NOT_RUN]


def build(scan: Scan, benchmark: Benchmark, stage: Stage) -> Leaderboard:
    """The leaderboard of a scan, at a stage."""
    by_model: dict[str, list[TranscriptResult]] = defaultdict(list)
    for result in scan.results:
        by_model[result.model_id].append(result)
    slugs, family = unique_slugs(by_model), families(scan.results)
    models = tuple(
        _model(by_model[model_id], slugs[model_id], benchmark, family, scan.supplements)
        for model_id in sorted(by_model, key=lambda m: (by_model[m][0].model.casefold(), m))
    )
    rows = [row for result in scan.results for row in result.rows]
    return Leaderboard(
        canary=benchmark.canary,
        stage=stage,
        profile=scan.plan.profile,
        judge=scan.plan.judge,
        notes=_notes(scan),
        comparability_key=scan.plan.comparability_key,
        benchmark_hash=scan.plan.benchmark_hash,
        plan_hash=scan.plan_hash,
        results_hash=scan.results_hash,
        transcripts=len(scan.results),
        judged_rows=sum(row.state is State.JUDGED for row in rows),
        votes=sum(len(row.votes) for row in rows),
        models=models,
        checks=_checks(scan, benchmark, family),
        scenarios=_scenarios(scan.results, family),
        not_evaluated=not_evaluated(scan.plan, scan.results, benchmark),
        open_gates=tuple(open_gates(scan.results)),
        record_contradictions=tuple(contradictions(scan.results, scan.contradictions)),
        voided_votes=tuple(voided(scan.results)),
    )


def _notes(scan: Scan) -> tuple[str, ...]:
    """What a reader must know before the first number."""
    notes = []
    if scan.plan.judge.granularity == "check":
        notes.append(
            "The judge is a recording. Its votes answer the prompts of another instrument, one "
            "question a check over the whole transcript; they were counted again by the rules here."
        )
    if scan.plan.judge.model == "none":
        notes.append("No judge was asked. What only a judge can decide is not run, and not a pass.")
    if any(result.truncated_turns for result in scan.results):
        turns = sum(result.truncated_turns for result in scan.results)
        what = "1 assistant turn was" if turns == 1 else f"{turns} assistant turns were"
        notes.append(f"{what} cut off by the provider, and scanned as it stands.")
    return tuple(notes)


def _model(
    results: Sequence[TranscriptResult],
    slug: str,
    benchmark: Benchmark,
    family: Families,
    supplements: Sequence[Supplement],
) -> ModelEntry:
    tallies = tally_checks(results, benchmark, family)
    scenario_set = sorted({(r.scenario_id, r.scenario_hash) for r in results})
    return ModelEntry(
        model_id=results[0].model_id,
        model=results[0].model,
        slug=slug,
        transcripts=len(results),
        scenario_set_hash=digest(scenario_set),
        truncated_turns=sum(r.truncated_turns for r in results),
        hard_fails=_hard_fails(results, None, benchmark, family),
        gates={bucket: _gate(results, bucket, benchmark, family) for bucket in GATE_BUCKETS},
        overall=mean_score([(r.score.overall_score, family[r.scenario_id]) for r in results]),
        dimensions={
            bucket: mean_score([(r.score.quality[bucket].rate, family[r.scenario_id]) for r in results])
            for bucket in QUALITY_BUCKETS
        },
        coverage=_coverage(tallies.values()),
        bucket_coverage={
            bucket: _coverage(
                tally for check_id, tally in tallies.items() if benchmark.checks[check_id].bucket is bucket
            )
            for bucket in BUCKET_NAMES
        },
        blindspots=tuple(
            _entry(benchmark.checks[check_id], tally, benchmark) for check_id, tally in tallies.items()
        ),
        scenarios=tuple(_scenario(result) for result in results),
        supplement=supplement_entry(
            [one for one in supplements if one.model_id == results[0].model_id],
            family,
            benchmark.scoring.support,
        ),
    )


def tally_checks(
    results: Iterable[TranscriptResult], benchmark: Benchmark, family: Families
) -> dict[str, _Tally]:
    """The rows of every check of the benchmark, counted over results."""
    tallies = {check_id: _Tally() for check_id in benchmark.checks}
    for result in results:
        for row in result.rows:
            tallies[row.mode_id].add(row, result, family[result.scenario_id])
    return tallies


def _hard_fails(
    results: Sequence[TranscriptResult], gate: Bucket | None, benchmark: Benchmark, family: Families
) -> Rate:
    """Transcripts with a hard fail at one gate, or at any, of those on which a gate check was decided."""
    counts: Counter[Outcome] = Counter()
    seen: set[str] = set()
    for result in results:
        found = outcome(result, gate)
        counts[found] += 1
        if found in (Outcome.HARD_FAIL, Outcome.CLEAR):
            seen.add(family[result.scenario_id])
    k = counts[Outcome.HARD_FAIL]
    n = k + counts[Outcome.CLEAR]
    return rate(k, n, counts[Outcome.OPEN], len(seen), benchmark.scoring.support, exact=True)


def _gate(
    results: Sequence[TranscriptResult], gate: Bucket, benchmark: Benchmark, family: Families
) -> GateEntry:
    fails = _hard_fails(results, gate, benchmark, family)
    return GateEntry(hard_fails=fails, incomplete=fails.unclear)


def _coverage(tallies: Iterable[_Tally]) -> Coverage:
    verdicts: Counter[Verdict] = Counter()
    eligible = 0
    for tally in tallies:
        verdicts += tally.verdicts
        eligible += tally.eligible
    return coverage(verdicts, eligible)


def _entry(check: Check, tally: _Tally, benchmark: Benchmark) -> CheckEntry:
    verdicts = tally.verdicts
    k, n = verdicts[Verdict.FAIL], verdicts[Verdict.FAIL] + verdicts[Verdict.PASS]
    return CheckEntry(
        check_id=check.id,
        bucket=check.bucket,
        gate=check.gate,
        flag=flag_of(check.id, benchmark),
        failures=rate(
            k,
            n,
            verdicts[Verdict.UNCLEAR],
            len(tally.families),
            benchmark.scoring.support,
            exact=check.gate is not None,
        ),
        passes=verdicts[Verdict.PASS],
        not_applicable=verdicts[Verdict.NOT_APPLICABLE],
        not_run=tally.states[State.NOT_RUN],
        suppressed=tally.states[State.SUPPRESSED],
        contested=tally.contested,
        windows=tally.windows,
        coverage=coverage(verdicts, tally.eligible),
        scenarios_failed=tuple(sorted(set(tally.failed))),
    )


def flag_of(check_id: str, benchmark: Benchmark) -> str | None:
    """The blindspot flag of a check, where it has one."""
    return next((f.flag for f in benchmark.scoring.flags if f.check == check_id), None)


def _scenario(result: TranscriptResult) -> ScenarioOfModel:
    score = result.score
    return ScenarioOfModel(
        scenario_id=result.scenario_id,
        epoch=result.epoch,
        transcript_hash=result.transcript_hash,
        hard_fail_checks=score.hard_fail_checks,
        gate_open_checks=score.gate_open_checks,
        quality_score=score.quality_score,
        overall_score=score.overall_score,
        bounds=score.bounds,
        flags=score.flags,
        failed_checks=tuple(row.mode_id for row in result.rows if row.verdict is Verdict.FAIL),
        truncated_turns=result.truncated_turns,
    )


def _checks(scan: Scan, benchmark: Benchmark, family: Families) -> tuple[CheckSummary, ...]:
    tallies = tally_checks(scan.results, benchmark, family)
    hashes = {planned.check_id: planned.check_hash for planned in scan.plan.checks}
    return tuple(
        CheckSummary(
            check_id=check.id,
            name=check.name,
            bucket=check.bucket,
            severity=check.severity,
            gate=check.gate,
            flag=flag_of(check.id, benchmark),
            route=check.routing.route,
            calibration=check.calibration.status,
            check_hash=hashes[check.id],
            failures=_entry(check, tallies[check.id], benchmark).failures,
        )
        for check in benchmark.checks.values()
    )


def _scenarios(results: Iterable[TranscriptResult], family: Families) -> tuple[ScenarioEntry, ...]:
    first: dict[str, TranscriptResult] = {}
    models: dict[str, set[str]] = defaultdict(set)
    for result in results:
        first.setdefault(result.scenario_id, result)
        models[result.scenario_id].add(result.model_id)
    slugs = unique_slugs(first)
    return tuple(
        ScenarioEntry(
            scenario_id=scenario_id,
            slug=slugs[scenario_id],
            category=first[scenario_id].category,
            family=family[scenario_id],
            jurisdiction=first[scenario_id].jurisdiction,
            scenario_hash=first[scenario_id].scenario_hash,
            models=tuple(sorted(models[scenario_id])),
        )
        for scenario_id in sorted(first)
    )
