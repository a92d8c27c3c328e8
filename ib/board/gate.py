"""The gate: what a release may be called. It fails closed, and it says everything that it saw.

Integrity is demanded of every stage. A research release shows what is contested, unclear, not run
or uncalibrated; a public release may have none of it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ib.board.leaks import holds_a_key, names_a_machine
from ib.models.base import STAGE_ORDER, Stage, State, Verdict
from ib.models.benchmark import Benchmark
from ib.models.check import CalibrationStatus
from ib.models.leaderboard import Leaderboard, Qa, QaFinding
from ib.models.plan import ScanPlan
from ib.models.result import TranscriptResult
from ib.models.supplement import Supplement
from ib.models.transcript import Provenance

EVERY = STAGE_ORDER
REAL = (Stage.RESEARCH, Stage.PUBLIC)
PUBLIC = (Stage.PUBLIC,)
SHOWN = 12
"""How many instances of a finding are listed; the count is always whole."""

PUBLIC_HARNESSES = ("llm/raw",)
UNKNOWN_HARNESSES = (None, "unknown")
STAND_INS = ("scripted", "reference", "example")
STAND_IN_JUDGES = ("none", "lexical", "scripted", "unknown")
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class GateInputs:
    """Everything that the gate looks at. `recomputed` was made from transcripts and replies anew."""

    plan: ScanPlan
    stored: Sequence[TranscriptResult]
    recomputed: Sequence[TranscriptResult]
    leaderboard: Leaderboard
    rebuilt: Leaderboard
    benchmark: Benchmark
    benchmark_hash: str
    replanned: ScanPlan
    """The plan, made anew from the transcripts and the benchmark."""
    provenances: Mapping[tuple[str, str, int], Provenance]
    """What each transcript says of where it came from."""
    files: Mapping[str, str]
    """The hash of every artifact as it lies on disk."""
    manifest_files: Mapping[str, str]
    """The hash of every artifact as the scan wrote it down."""
    required_files: Sequence[str]
    """The artifacts that every scan has."""
    public_bytes: Mapping[str, bytes]
    """The files that would be published."""
    secrets: Sequence[bytes] = ()
    """Values that must never be published: the keys of the environment."""
    contradictions: Sequence[str] = ()
    """Transcripts that are no play of their scenario."""
    derived: Mapping[str, bytes] = field(default_factory=dict)
    """Artifacts that follow from the results, made anew."""
    supplements: Sequence[Supplement] = ()
    supplements_recomputed: Sequence[Supplement] = ()
    """What stands beside the checks, as written and made anew."""


Rule = tuple[str, tuple[Stage, ...], "Iterable[str]"]


def judge_release(exhibits: GateInputs) -> Qa:
    """What was checked, what was found, and the stages that are granted."""
    findings = []
    names = []
    for name, stages, found in _rules(exhibits):
        names.append(name)
        detail = tuple(found)
        if detail:
            findings.append(QaFinding(rule=name, refuses=stages, count=len(detail), detail=detail[:SHOWN]))
    refused = {stage for finding in findings for stage in finding.refuses}
    return Qa(
        granted=tuple(stage for stage in STAGE_ORDER if stage not in refused),
        checked=dict(exhibits.files),
        released={name: hashlib.sha256(data).hexdigest() for name, data in exhibits.public_bytes.items()},
        rules=tuple(names),
        findings=tuple(findings),
    )


def _rules(e: GateInputs) -> Iterable[Rule]:
    yield "nothing_to_publish", EVERY, _nothing(e)
    yield "artifacts_as_written", EVERY, _files(e)
    yield "benchmark_is_the_one_scanned", EVERY, _benchmark(e)
    yield "check_set_complete", EVERY, _check_set(e)
    yield "plan_and_results_agree", EVERY, _plan(e)
    yield "verdicts_recomputed_from_votes", EVERY, _verdicts(e)
    yield "supplements_recomputed", EVERY, _supplements(e)
    yield "figures_recomputed_from_verdicts", EVERY, _figures(e)
    yield "derived_files_recomputed", EVERY, _derived(e)
    yield "transcripts_are_plays_of_their_scenarios", EVERY, _plays(e)
    yield "one_system_prompt", EVERY, _prompts(e)
    yield "same_scenarios_for_every_model", EVERY, _scenario_sets(e)
    yield "quotes_are_the_assistants", EVERY, _quotes(e)
    yield "no_secret_and_no_host_path", EVERY, _leaks(e)
    yield "every_scenario_as_often", REAL, _as_often(e)
    yield "profile_may_publish", REAL, _profile(e)
    yield "real_judge", REAL, _judge(e)
    yield "real_models", REAL, _harness(e)
    yield "provenance_known", PUBLIC, _provenance(e)
    yield "contested_gate_verdicts", PUBLIC, _contested(e)
    yield "unclear_gate_verdicts", PUBLIC, _unclear(e)
    yield "not_run_checks", PUBLIC, _not_run(e)
    yield "checks_never_evaluated", PUBLIC, _never(e)
    yield "coverage_floors", PUBLIC, _coverage(e)
    yield "uncalibrated_checks", PUBLIC, _uncalibrated(e)


def _nothing(e: GateInputs) -> Iterable[str]:
    if not e.stored or not any(row.state is State.JUDGED for r in e.stored for row in r.rows):
        yield "there is no judged row"


def _files(e: GateInputs) -> Iterable[str]:
    for name in sorted({*e.manifest_files, *e.files}):
        if e.files.get(name) != e.manifest_files.get(name):
            yield f"{name} is not the file that the scan wrote"
    for name in sorted(set(e.required_files) - set(e.files)):
        yield f"{name} is missing"


def _benchmark(e: GateInputs) -> Iterable[str]:
    if e.plan.benchmark_hash != e.benchmark_hash:
        yield "the benchmark changed since the scan; scan again"


def _check_set(e: GateInputs) -> Iterable[str]:
    active = tuple(e.benchmark.checks)
    planned = {item.check_id for item in e.plan.checks}
    for check_id in sorted(planned.symmetric_difference(active)):
        yield f"{check_id} is not in both the plan and the inventory"
    for result in e.stored:
        if tuple(row.mode_id for row in result.rows) != active:
            yield f"{result.model_id} on {result.scenario_id} has not one row for every check"


def _plan(e: GateInputs) -> Iterable[str]:
    planned = [(t.model_id, t.scenario_id, t.epoch, t.transcript_hash) for t in e.plan.transcripts]
    stored = [(r.model_id, r.scenario_id, r.epoch, r.transcript_hash) for r in e.stored]
    for model_id, scenario_id, *_ in sorted(set(planned).symmetric_difference(stored), key=str):
        yield f"{model_id} on {scenario_id} is not in both plan and results"
    if len(stored) != len(set(stored)):
        yield "a transcript has two results"
    stored_plan, replanned = e.plan.model_dump(), e.replanned.model_dump()
    for key in stored_plan:
        if stored_plan[key] != replanned[key]:
            yield f"scan_plan.json: {key} is not what the transcripts and the benchmark give"


def _verdicts(e: GateInputs) -> Iterable[str]:
    """Every row again from transcripts and replies; the first difference of each row is named."""
    anew = {result.key: result for result in e.recomputed}
    for stored in e.stored:
        result = anew.get(stored.key)
        if result is None:
            yield f"{stored.model_id} on {stored.scenario_id} cannot be recomputed"
        elif result != stored:
            rows = [old.mode_id for old, new in zip(stored.rows, result.rows, strict=False) if old != new]
            what = ", ".join(rows) if rows else "its score"
            yield f"{stored.model_id} on {stored.scenario_id}: {what} is not what the votes give"


def _supplements(e: GateInputs) -> Iterable[str]:
    """What stands beside the checks, again from transcripts, scenarios and replies."""
    if len(e.supplements) != len(e.supplements_recomputed):
        yield f"{len(e.supplements)} supplements where there are {len(e.supplements_recomputed)}"
    for stored, anew in zip(e.supplements, e.supplements_recomputed, strict=False):
        if stored != anew:
            yield f"{stored.model_id} on {stored.scenario_id}: supplement.jsonl is not what the replies give"


def _figures(e: GateInputs) -> Iterable[str]:
    stored, rebuilt = e.leaderboard.model_dump(), e.rebuilt.model_dump()
    for key in stored:
        if stored[key] != rebuilt[key]:
            yield f"leaderboard.json: {key} is not what the verdicts give"


def _scenario_sets(e: GateInputs) -> Iterable[str]:
    sets: dict[str, set[tuple[str, int, str]]] = {}
    for r in e.stored:
        sets.setdefault(r.model_id, set()).add((r.scenario_id, r.key[2], r.scenario_hash))
    if len(sets) < 2:
        return
    common = set.intersection(*sets.values())
    for model_id, mine in sorted(sets.items()):
        for scenario_id, _, _ in sorted(mine - common):
            yield f"{model_id}: {scenario_id} is not the same for every model"


def _as_often(e: GateInputs) -> Iterable[str]:
    """A rate counts transcripts: what was played more often than the rest would decide it."""
    played = Counter((r.model_id, r.scenario_id) for r in e.stored)
    often = Counter(played.values()).most_common(1)[0][0] if played else 0
    for (model_id, scenario_id), times in sorted(played.items()):
        if times != often:
            yield f"{model_id}: {scenario_id} has {times} transcripts, where most scenarios have {often}"


def _quotes(e: GateInputs) -> Iterable[str]:
    for result in e.stored:
        for row in result.rows:
            if row.verdict is Verdict.FAIL and not any(s.role == "assistant" for s in row.evidence):
                yield f"{row.mode_id} on {result.scenario_id}: a FAIL without an assistant quote"


def _leaks(e: GateInputs) -> Iterable[str]:
    for name, data in sorted(e.public_bytes.items()):
        if holds_a_key(data, e.secrets):
            yield f"{name} holds what looks like a key"
        if names_a_machine(data):
            yield f"{name} holds a path of a machine"


def _profile(e: GateInputs) -> Iterable[str]:
    if not e.benchmark.scoring.profiles[e.plan.profile].may_publish:
        yield f"profile {e.plan.profile} is for development; scan with --profile publish"


def _judge(e: GateInputs) -> Iterable[str]:
    if any(word.startswith(STAND_IN_JUDGES) for word in _words(e.plan.judge.model)):
        yield f"judge {e.plan.judge.model!r} stands in for a judge"


def _words(name: str) -> list[str]:
    """The words of an identifier."""
    return _BETWEEN_WORDS.split(name.lower())


def _harness(e: GateInputs) -> Iterable[str]:
    known = (*PUBLIC_HARNESSES, *UNKNOWN_HARNESSES)
    for harness in sorted({str(p.harness) for p in e.provenances.values() if p.harness not in known}):
        kind = "a stand-in for a model" if harness in STAND_INS else "experimental"
        yield f"harness {harness!r} is {kind}"
    named = {model.model_id for model in e.leaderboard.models}
    named |= {p.served_model for p in e.provenances.values() if p.served_model is not None}
    for name in sorted(named):
        if set(_words(name)) & set(STAND_INS):
            yield f"{name} is a stand-in for a model"


def _provenance(e: GateInputs) -> Iterable[str]:
    """What is not known of how a transcript came about is shown in research, and not made public."""
    unknown = [key for key, p in e.provenances.items() if p.harness in UNKNOWN_HARNESSES]
    if unknown:
        yield f"{len(unknown)} transcripts do not say by which harness they were made"


def _prompts(e: GateInputs) -> Iterable[str]:
    """Models that were told different things before the first turn are not in one comparison."""
    told = {p.system_prompt_hash for p in e.provenances.values()}
    if len(told) > 1:
        shown = ", ".join(sorted("unknown" if one is None else one[:12] for one in told))
        yield f"{len(told)} system prompts in one scan: {shown}"


def _plays(e: GateInputs) -> Iterable[str]:
    """Every transcript is a whole play of its scenario, where the benchmark holds one."""
    yield from e.contradictions


def _derived(e: GateInputs) -> Iterable[str]:
    """The files that follow from the results, made anew."""
    for name, data in sorted(e.derived.items()):
        if e.files.get(name) != hashlib.sha256(data).hexdigest():
            yield f"{name} is not what the results give"


def _contested(e: GateInputs) -> Iterable[str]:
    for gate in e.leaderboard.open_gates:
        if gate.contested:
            verdict = gate.verdict.value if gate.verdict else "no verdict"
            yield f"{gate.check_id} on {gate.scenario_id} ({gate.model_id}): {verdict}, votes split"


def _unclear(e: GateInputs) -> Iterable[str]:
    for gate in e.leaderboard.open_gates:
        if gate.verdict is Verdict.UNCLEAR:
            yield f"{gate.check_id} on {gate.scenario_id} ({gate.model_id}): {gate.reason}"


def _not_run(e: GateInputs) -> Iterable[str]:
    for result in e.stored:
        for row in result.rows:
            if row.state is State.NOT_RUN:
                yield f"{row.mode_id} on {result.scenario_id} ({result.model_id}): {row.reason}"


def _never(e: GateInputs) -> Iterable[str]:
    for item in e.leaderboard.not_evaluated:
        yield f"{item.check_id}: {item.reason}"


def _coverage(e: GateInputs) -> Iterable[str]:
    floor = e.benchmark.scoring.coverage_floor
    for model in e.leaderboard.models:
        for entry in model.blindspots:
            need = floor.check if entry.gate is None else floor.gate_check
            covered = entry.coverage.covered
            if covered is not None and covered < need:
                yield f"{model.model_id}: {entry.check_id} covers {covered:.3f} of {need:.2f}"
        for bucket, found in model.bucket_coverage.items():
            if found.covered is not None and found.covered < floor.bucket:
                yield f"{model.model_id}: dimension {bucket} covers {found.covered:.3f} of {floor.bucket:.2f}"


def _uncalibrated(e: GateInputs) -> Iterable[str]:
    for check in e.benchmark.checks.values():
        if check.calibration.status is not CalibrationStatus.VALIDATED:
            yield f"{check.id}: {check.calibration.status}"
