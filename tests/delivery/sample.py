"""A small release for tests: two plain models, and one whose texts attack the page."""

from __future__ import annotations

import hashlib
from datetime import date
from functools import cache
from itertools import cycle
from pathlib import Path

import yaml

from delivery.release.background import Background
from ib.board.figures.comparisons import PairedTable
from ib.board.figures.gates import GateTally
from ib.board.gate.decision import RULES
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.benchmark.check import Check
from ib.models.benchmark.site import SiteConfig
from ib.models.common.base import STAGE_ORDER, Bucket, Role, Stage, Verdict
from ib.models.common.canonical import pretty
from ib.models.conversation.character import Character
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.twin_scenario import TwinScenario
from ib.models.draw.keyed_slot import DrawKind, DrawNamed
from ib.models.release.bytes import release_bytes
from ib.models.release.exams import ExamSource
from ib.models.release.findings import Roots
from ib.models.release.gap import DrawGap
from ib.models.release.leaderboard import (
    CheckEntry,
    CheckSummary,
    Evidence,
    EvidenceItem,
    Leaderboard,
    ModelEntry,
    NotEvaluated,
    RecordContradiction,
    ScenarioEntry,
    ScenarioOfModel,
    VoidedVote,
)
from ib.models.release.pairs import DangersAndAlarms, PairOfModel, TwinEntry
from ib.models.release.qa import Qa, sealed
from ib.models.release.rows import joined
from ib.models.release.rules import GateRule, GateRuleEntry
from ib.models.release.source import EXAMS
from ib.models.release.supplement import SupplementEntry
from ib.models.release.transcripts import CarriedMessage, CarriedSession, CarriedTranscript, Transcripts
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.gates import GateEntry, GateScore, GateState, OpenGate
from ib.models.scan.judge import Granularity, JudgeSpec
from ib.models.scan.occurrences import OccurrenceRate
from ib.models.scan.rates import Coverage, MeanScore, Rate
from ib.stats.intervals import rate_interval, zero_events_upper
from ib.stats.ratios import METHOD, clustered_ratio
from ib.stats.support import Thresholds, support
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.site import SITE
from ib.store.files.validation import load_yaml
from ib.store.folders.sources import packed_document
from tests import lines
from tests.delivery.sample_compared import compared
from tests.delivery.sample_exams import exams as exams_for

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    '<img src=x onerror="alert(3)">',
    "<svg/onload=alert(4)>",
    '"><iframe src="https://example.org/"></iframe>',
    "' onmouseover='alert(5)' x='",
    "```\n</div><b onclick=alert(6)>x</b>\n```",
    "~~~ { .x onclick=alert(7) }\ncode\n~~~",
    "``` { onclick=alert(8) }\ncode\n```",
    "text { onclick=alert(9) style=color:red }",
    "# heading { #top onclick=alert(10) }",
    "[link](javascript:alert(11))",
    "![img](https://example.org/x.png)",
    "<https://example.org/>",
    '[ref]: https://example.org/ "title"',
    "*[HTML]: &lt;b&gt;",
    "[^1] [^1]: footnote",
    "{{ 7 * 7 }} {% raw %}{% include '../mkdocs.yml' %} {# gone #}",
    '--8<-- "../mkdocs.yml"',
    "!!! note\n    inside\n\n??? x\n    y",
    "\n\n    indented code\n\n---\ntitle: x\n---\n",
    "</div></div></article></body></html>",
    "</details></blockquote></figure><h1 id=x>y</h1>",
    "<!-- comment --><![CDATA[ x ]]><?php x ?>",
    "&lt;b&gt; &amp;amp; &#60;b&#62; &nbsp; &",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "wzxhzdk:0 klzzwxh:0001 \x02wzxhzdk:1\x03",
    "right \u202eto left\u202c and \u2066isolated\u2069",
    "zero\u200bwidth\u200djoiner\ufeffbom\u00adsoft",
    "hidden \U000e0041\U000e0042 tags, nul \x00, escape \x1b[31m",
    "line\u2028separator\u2029paragraph",
    "family \U0001f469\u200d\U0001f469\u200d\U0001f467 stays whole",
    "tabs\tand\r\nlines\n",
    '=HYPERLINK("https://example.org/")',
    "javascript:alert(12)",
)
"""Texts that become markup or code on a page that does not escape them."""

PHRASES_ONLY = 2
"""The place of the check for which only phrases were looked for."""
BEFORE = "Here: "
"""What stands before each quote in its message."""
QUOTED = "a heron stands on the ironing board"
"""Text that occurs only in quotes."""

SCENARIOS = ("night-shift-001", "two_errands_002")
"""The scenarios of the release. The background has the first of them, and two that no model met."""
DAY = date(2026, 11, 22)
"""The day of the release."""
IDS = {"alder": "example/alder", "birch": "reference/birch", "hostile": "example/hostile"}
"""Model ids by slug; one model is a reference assistant."""


@cache
def benchmark() -> Benchmark:
    """The benchmark of this checkout, loaded once."""
    return load_benchmark()


def rate(k: int, n: int, unclear: int = 0) -> Rate:
    """A rate as in a leaderboard."""
    low, high = rate_interval(k, n) if n else (None, None)
    shown = n >= 5
    return Rate(
        k=k,
        n=n,
        unclear=unclear,
        rate=k / n if shown else None,
        low=low if shown else None,
        high=high if shown else None,
        upper_if_zero=zero_events_upper(n) if n and not k else None,
        bounds=(k / (n + unclear), (k + unclear) / (n + unclear)) if unclear else None,
        support=tuple(str(flag) for flag in support(k, n, Thresholds())),
    )


def turns(k: int, n: int) -> OccurrenceRate:
    """Occurrences over chances as in a leaderboard, in families of six turns."""
    families = [(min(6, max(0, k - at)), 6) for at in range(0, n, 6)]
    found = clustered_ratio(families)
    share = found.k / found.n
    flags = support(share * found.effective_n, found.effective_n, Thresholds())
    return OccurrenceRate(
        occurred=found.k,
        chances=found.n,
        checks=1,
        results=found.clusters,
        n_families=found.clusters,
        effective_n=found.effective_n,
        rate=None if "count_only" in flags else share,
        low=found.low,
        high=found.high,
        support=flags,
        method=METHOD,
    )


def gate(*, due: int, failed_by_judge: int = 0, contested: int = 0, incomplete: int = 0) -> GateEntry:
    """A gate as in a leaderboard."""
    tally = GateTally()
    told = {
        GateState.FAILED_BY_JUDGE: failed_by_judge,
        GateState.CONTESTED: contested,
        GateState.INCOMPLETE: incomplete,
    }
    told[GateState.CLEAR] = due - sum(told.values())
    for state, count in told.items():
        for _ in range(count):
            tally.add(state, "scenario")
    return tally.entry({"scenario": "family"}, benchmark().scoring.support)


def _gates(check_id: str, state: GateState) -> dict[Bucket, GateScore]:
    """The gates of a transcript: safety in a state because of a check, compliance not due."""
    safety = GateScore.model_validate({"state": state, state.value: (check_id,)})
    return {Bucket.A: safety, Bucket.B: GateScore(state=GateState.NOT_DUE)}


def gap(at: int) -> DrawGap:
    """The gap of a model to a private draw; that of the first has too few cases for a difference."""
    table = PairedTable()
    for case in range(4 + 9 * at):
        table.add(f"family {case % 4}", case % 3 == 0, case % 4 == 0)
    table.add("family 0", None, True)
    return DrawGap(shared=2, all_checks=table.difference(0.5, 1.0))


def mean(value: float | None) -> MeanScore:
    """A mean over two scenarios."""
    ends = (None, None) if value is None else (max(0.0, value - 0.1), min(1.0, value + 0.1))
    return MeanScore(mean=value, n=2, nulls=1, n_families=2, se=None, low=ends[0], high=ends[1])


def release(stage: Stage = Stage.DEMO) -> tuple[Leaderboard, dict[str, Evidence]]:
    """A leaderboard of three models, and the evidence of each model by slug."""
    checks = benchmark().checks
    named = (("birch", "Birch 2"), ("alder", "Alder 1"), ("hostile", HOSTILE[1]))
    models = tuple(_model(slug, name, checks) for slug, name in named)
    models = tuple(one.model_copy(update={"gap": gap(at)}) for at, one in enumerate(models))
    evidence = {model.slug: _evidence(model, checks, stage) for model in models}
    first, second = list(checks)[:2]
    board = Leaderboard(
        canary=benchmark().canary,
        stage=stage,
        released=DAY,
        profile="publish",
        judge=JudgeSpec(model="recorded:" + HOSTILE[0], base="0" * 64, granularity=Granularity.CHECK),
        notes=(HOSTILE[2],),
        judging_usd=12.5,
        comparability_key="1" * 64,
        draw=DrawNamed(key_hash="5" * 64, kind=DrawKind.PUBLIC),
        gap_draw=DrawNamed(key_hash="6" * 64, kind=DrawKind.PRIVATE),
        benchmark_hash=benchmark_hash(benchmark()),
        plan_hash="3" * 64,
        results_hash="4" * 64,
        transcripts=6,
        judged_rows=120,
        votes=360,
        voted_rows=110,
        votes_per_question=(3, 5),
        models=models,
        checks=tuple(_summary(check, at) for at, check in enumerate(checks.values())),
        scenarios=tuple(_scenario(scenario_id) for scenario_id in SCENARIOS),
        not_evaluated=(NotEvaluated(check_id=first, reason=HOSTILE[6]),),
        open_gates=tuple(_open(second, verdict) for verdict in (Verdict.UNCLEAR, None)),
        twins=(twin(),),
        record_contradictions=(_contradiction(second),),
        voided_votes=(_voided(second),),
    )
    made = compared(board, evidence, HOSTILE[12])
    rows = {model.slug: lines.rows_of(made, model) for model in made.models}
    return joined(made, rows, made.scenarios), evidence


def with_older_questions(
    board: Leaderboard, evidence: dict[str, Evidence]
) -> tuple[Leaderboard, dict[str, Evidence]]:
    """The release with some verdicts by votes on an older wording, at every place that can show one."""
    models = tuple(map(_older_model, board.models))
    checks = tuple(
        one.model_copy(update={"older_questions": 3 * (at % 2)}) for at, one in enumerate(board.checks)
    )
    open_ = (one.model_copy(update={"older_question": one.verdict is not None}) for one in board.open_gates)
    told = {"models": models, "checks": checks, "open_gates": tuple(open_), "older_questions": 40}
    marked = {
        slug: found.model_copy(update={"items": _older_items(found)}) for slug, found in evidence.items()
    }
    return board.model_copy(update=told), marked


def _older_model(model: ModelEntry) -> ModelEntry:
    """A model with marks at its gates, at some checks and at one transcript."""
    gates = zip(model.gates.items(), (4, 40), strict=True)
    entries = (
        one.model_copy(update={"older_questions": one.failures.n if at % 3 == 0 else at % 2})
        for at, one in enumerate(model.blindspots)
    )
    met = (one.model_copy(update={"older_questions": "o" * at}) for at, one in enumerate(model.scenarios))
    return model.model_copy(
        update={
            "gates": {name: gate.model_copy(update={"older_questions": n}) for (name, gate), n in gates},
            "blindspots": tuple(entries),
            "scenarios": tuple(met),
        }
    )


def _older_items(found: Evidence) -> tuple[EvidenceItem, ...]:
    return tuple(one.model_copy(update={"older_question": at % 4 == 1}) for at, one in enumerate(found.items))


def many(count: int) -> tuple[Leaderboard, dict[str, Evidence]]:
    """The release with so many models: those of `release`, the hostile one first, and copies of Alder.

    It compares no models. With fewer than three models, it has the first ones.
    """
    board, evidence = release()
    models = {one.slug: one for one in board.models}
    found = [models["hostile"], models["birch"], models["alder"]]
    for at in range(3, count):
        told = {"slug": f"copy-{at}", "model_id": f"example/copy-{at}", "model": f"Copy {at}"}
        found.append(models["alder"].model_copy(update=told))
        evidence[told["slug"]] = evidence["alder"].model_copy(update={"model_id": told["model_id"]})
    shown = {one.slug: evidence[one.slug] for one in found[:count]}
    empty: dict[str, object] = {"comparisons": (), "findings": ()}
    return board.model_copy(update={"models": tuple(found[:count]), **empty}), shown


def exams(attacking: str = HOSTILE[0]) -> ExamSource:
    """Sittings of the exam for judges. The name of one judge attacks the page."""
    return exams_for(benchmark(), attacking)


def write(
    folder: Path,
    stage: Stage = Stage.DEMO,
    *,
    board: Leaderboard | None = None,
    evidence: dict[str, Evidence] | None = None,
) -> Path:
    """Write the files of `release` to a folder, and return the folder.

    `board` replaces its leaderboard, and `evidence` its evidence.
    """
    made, found = release(stage)
    board, evidence = board or made, evidence or found
    (folder / "evidence").mkdir(parents=True)
    (folder / "transcripts").mkdir()
    (folder / "leaderboard.json").write_bytes(release_bytes(board))
    lines.write(board, folder)
    for model in board.models:
        items = evidence[model.slug]
        said = _transcripts(model, items)
        (folder / "evidence" / f"{model.slug}.json").write_bytes(release_bytes(items))
        (folder / "transcripts" / f"{model.slug}.json").write_bytes(release_bytes(said))
    (folder / "source").mkdir()
    carried = packed_document(pretty(exams()))
    (folder / EXAMS).write_bytes(carried)
    released = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.json*"))
    }
    rules = tuple(name for name, _, _ in RULES)
    qa = Qa(granted=STAGE_ORDER, checked={}, released=released, rules=rules, findings=())
    (folder / "qa.json").write_bytes(release_bytes(sealed(qa)))
    return folder


def _model(slug: str, name: str, checks: dict[str, Check]) -> ModelEntry:
    return ModelEntry(
        model_id=IDS[slug],
        model=name,
        slug=slug,
        transcripts=2,
        scenario_set_hash="5" * 64,
        played=(date(2026, 11, 20), DAY) if slug == "birch" else None,
        truncated_turns=0,
        gates={
            Bucket.A: gate(due=40, failed_by_judge=1, contested=1, incomplete=1),
            Bucket.B: gate(due=40),
        },
        both_gates=gate(due=40, failed_by_judge=1, contested=1, incomplete=1),
        gate_rules=tuple(
            GateRuleEntry(rule=rule, failed=at, undecided=at % 2, due=40, mean=0.1 * at or None, n=30)
            for at, rule in enumerate(GateRule)
        ),
        refused_questions=7,
        overall=mean(0.6),
        roots=Roots(gate_failures=3, gate_roots=2, quality_failures=7, quality_roots=1),
        occurrences={Bucket.C: turns(30, 900), Bucket.D: None, Bucket.F: turns(0, 400)},
        dimensions={Bucket.C: mean(0.9), Bucket.D: mean(None), Bucket.F: mean(0.7)},
        coverage=Coverage(eligible=100, covered=0.95, decided=0.9),
        bucket_coverage={b: Coverage(eligible=20, covered=1.0, decided=0.5) for b in Bucket},
        blindspots=tuple(_entry(check, at) for at, check in enumerate(checks.values())),
        scenarios=tuple(_met(scenario_id, at) for at, scenario_id in enumerate(SCENARIOS)),
        supplement=_supplement(slug),
        dangers_and_alarms=dangers_and_alarms(),
    )


def dangers_and_alarms() -> DangersAndAlarms:
    """One pair: the danger was caught, and the twin got a false alarm."""
    pair = PairOfModel(
        twin="night--safe",
        parent=SCENARIOS[0],
        family="night",
        caught=1,
        missed=0,
        undecided=0,
        grades=(0, 0, 1),
        ungraded={},
    )
    found = {"caught": rate(1, 1), "false_alarms": rate(1, 1), "over_cautious": rate(0, 1)}
    return DangersAndAlarms(**found, not_measured=0, unpaired=(), pairs=(pair,))


def twin() -> TwinEntry:
    """The safe twin of the pair."""
    return TwinEntry(
        scenario_id="night--safe",
        parent=SCENARIOS[0],
        checks=("IB-A1",),
        family="night",
        scenario_hash="0" * 64,
        models=tuple(sorted(IDS.values())),
    )


def _supplement(slug: str) -> SupplementEntry | None:
    """Hostile has all measures, Alder only those without a judge, Birch none."""
    if slug == "birch":
        return None
    asked = slug == "hostile"
    return SupplementEntry(
        memory={"recall": rate(3, 12), "abstention": rate(0, 6), "time": rate(1, 2)},
        coordination={"handoff": rate(5, 21, 2), "resources": rate(0, 0), "scope": rate(0, 40)},
        regard={HOSTILE[0]: mean(0.25), "mean": mean(0.5)} if asked else {},
        rubric=mean(0.375) if asked else None,
        autofails=rate(4, 30) if asked else None,
    )


def _entry(check: Check, at: int) -> CheckEntry:
    sizes = ((1, 2), (0, 40), (3, 40), (0, 0), (2, 12))
    k, n = sizes[at % len(sizes)]
    return CheckEntry(
        check_id=check.id,
        bucket=check.bucket,
        gate=check.gate,
        flag="masked_crisis_miss" if k else None,
        failures=rate(k, n, at % 3),
        occurrences=None if at == PHRASES_ONLY or not n else turns(k, 6 * n),
        passes=n - k,
        no_phrase_found=n - k if at == PHRASES_ONLY else 0,
        not_applicable=1,
        not_run=at % 2,
        suppressed=0,
        contested=min(k, at % 2),
        split=at % 2,
        windows=n,
        coverage=Coverage(eligible=n, covered=1.0 if n else None, decided=0.5 if n else None),
        scenarios_failed=SCENARIOS[:k],
    )


def _met(scenario_id: str, at: int) -> ScenarioOfModel:
    check_id = next(iter(benchmark().checks))
    return ScenarioOfModel(
        scenario_id=scenario_id,
        epoch=None if at else 1,
        transcript_hash="6" * 64,
        gates=_gates(check_id, GateState.FAILED_BY_JUDGE if at else GateState.INCOMPLETE),
        quality_score=0.75,
        overall_score=0.0 if at else None,
        bounds=(0.0, 0.75),
        flags=("masked_crisis_miss",),
        failed_checks=(check_id,),
        joined=((check_id, check_id),) if at else (),
        truncated_turns=0,
    )


def _evidence(model: ModelEntry, checks: dict[str, Check], stage: Stage) -> Evidence:
    texts = HOSTILE if model.slug == "hostile" else (QUOTED,)
    failing = [entry.check_id for entry in model.blindspots if entry.failures.k]
    items = _once([_item(failing[at % len(failing)], text, at) for at, text in enumerate(texts)])
    return Evidence(canary=benchmark().canary, stage=stage, model_id=model.model_id, items=items)


def _once(items: list[EvidenceItem]) -> tuple[EvidenceItem, ...]:
    """Merge items of the same check and transcript into one item with all quotes, as in a release."""
    merged: dict[tuple[str, str], EvidenceItem] = {}
    for item in items:
        place = (item.check_id, item.scenario_id)
        before = merged.get(place)
        quotes = (*before.quotes, *item.quotes) if before else item.quotes
        merged[place] = item.model_copy(update={"quotes": quotes})
    return tuple(merged.values())


def _item(check_id: str, text: str, at: int) -> EvidenceItem:
    return EvidenceItem(
        check_id=check_id,
        scenario_id=SCENARIOS[at % 2],
        epoch=None if at % 2 else 1,
        verdict=Verdict.FAIL,
        contested=at % 2 == 0,
        split=at % 3 == 0,
        scorer="judge" if at % 3 else text,
        votes_for=2,
        votes_asked=3,
        rationale_code=text,
        reason=text,
        quotes=(
            _span(Role.ASSISTANT, text, turn=at + 1, corrected=at % 2 == 1),
            _span(Role.USER, "words of the caregiver", turn=at + 1, corrected=False),
        ),
    )


def _span(role: Role, text: str, *, turn: int, corrected: bool) -> EvidenceSpan:
    start = len(BEFORE)
    return EvidenceSpan(
        role=role,
        turn=turn,
        quote=text,
        rationale=text,
        start=start,
        end=start + len(text),
        turn_corrected=corrected,
    )


def transcripts(stage: Stage = Stage.DEMO) -> dict[str, Transcripts]:
    """The transcripts of each model by slug: each quote stands in the reply of its turn."""
    board, evidence = release(stage)
    return {model.slug: _transcripts(model, evidence[model.slug]) for model in board.models}


def _transcripts(model: ModelEntry, evidence: Evidence) -> Transcripts:
    return Transcripts(
        canary=evidence.canary,
        stage=evidence.stage,
        model_id=model.model_id,
        transcripts=tuple(_carried(met, evidence) for met in model.scenarios),
        left_out=(),
    )


def _carried(met: ScenarioOfModel, evidence: Evidence) -> CarriedTranscript:
    items = [item for item in evidence.items if item.scenario_id == met.scenario_id]
    quotes = {span.turn: span.quote for item in items for span in item.quotes if span.role == "assistant"}
    messages = []
    for turn in range(1, len(HOSTILE) + 1):
        asked = f"{BEFORE}words of the caregiver. {HOSTILE[-turn]}"
        said = f"{BEFORE}{quotes.get(turn, 'yes')} And that is all."
        messages += [
            CarriedMessage(turn=turn, role=Role.USER, content=asked),
            CarriedMessage(turn=turn, role=Role.ASSISTANT, content=said),
        ]
    return CarriedTranscript(
        scenario_id=met.scenario_id,
        epoch=met.epoch,
        transcript_hash=met.transcript_hash,
        sessions=(CarriedSession(session=1, first_turn=1), CarriedSession(session=2, first_turn=3)),
        truncated=(4,),
        messages=tuple(messages),
    )


def _summary(check: Check, at: int) -> CheckSummary:
    return CheckSummary(
        check_id=check.id,
        name=check.name,
        bucket=check.bucket,
        severity=check.severity,
        gate=check.gate,
        flag=None,
        route=check.routing.route,
        calibration=check.calibration.shown,
        check_hash="7" * 64,
        no_phrase_found=114 if at == PHRASES_ONLY else 0,
        failures=rate(6, 120),
    )


def _scenario(scenario_id: str) -> ScenarioEntry:
    return ScenarioEntry(
        scenario_id=scenario_id,
        slug=scenario_id.replace("_", "-"),
        category=HOSTILE[7],
        family=HOSTILE[8],
        jurisdiction=HOSTILE[9],
        scenario_hash="8" * 64,
        models=tuple(IDS.values()),
    )


def _open(check_id: str, verdict: Verdict | None) -> OpenGate:
    return OpenGate(
        model_id="example/hostile",
        scenario_id=SCENARIOS[0],
        epoch=1,
        check_id=check_id,
        verdict=verdict,
        contested=False,
        split=verdict is not None,
        reason=HOSTILE[10],
    )


def _contradiction(check_id: str) -> RecordContradiction:
    return RecordContradiction(
        model_id="example/alder",
        scenario_id=SCENARIOS[1],
        epoch=None,
        check_id=check_id,
        recorded=Verdict.FAIL,
        votes=(Verdict.PASS, Verdict.UNCLEAR, Verdict.PASS),
        votes_say=Verdict.PASS,
        published=Verdict.PASS,
    )


def _voided(check_id: str) -> VoidedVote:
    return VoidedVote(
        model_id="example/alder",
        scenario_id=SCENARIOS[1],
        epoch=None,
        check_id=check_id,
        votes=1,
        published=None,
    )


@cache
def background() -> Background:
    """Scenarios whose texts attack the page, and two characters, of which one is not in the release."""
    scenarios = (
        _told(SCENARIOS[0], _turns(HOSTILE[:18])),
        _told("never-met-003", _turns(HOSTILE[18:]), variant_of=SCENARIOS[0], category="safety"),
        _told("withheld_004", _sessions(), published=False, unpublished_reason=HOSTILE[5]),
    )
    characters = (_character("birch", HOSTILE[1]), _character("willow", "Willow"))
    safe = {"night--safe": _safe_twin()}
    told = {one.scenario_id: one for one in scenarios}
    return Background(told, {one.id: one for one in characters}, safe, site=_site())


def _site() -> SiteConfig:
    """How the site introduces itself: with an example that attacks the page."""
    example = {
        "scenario": SCENARIOS[0],
        "assistant": "birch",
        "turn": 1,
        "check": "IB-C2-minimizing",
        "who": HOSTILE[0],
        "said": f"before {HOSTILE[2]} after",
        "cue": HOSTILE[2],
        "reply": HOSTILE[6],
        "missed": HOSTILE[4],
    }
    real = load_yaml(SiteConfig, benchmark_folder() / SITE)
    changed = {"about": HOSTILE[8], "example": example, "guides": ()}
    return SiteConfig.model_validate({**real.model_dump(), **changed})


def write_background(folder: Path) -> Path:
    """Write the files of `background` to a benchmark folder, and return the folder."""
    (folder / "scenarios").mkdir(parents=True)
    (folder / "reference").mkdir()
    for scenario in background().scenarios.values():
        path = folder / "scenarios" / f"{scenario.scenario_id}.json"
        path.write_text(scenario.model_dump_json(exclude_unset=True), "utf-8")
    (folder / "twins").mkdir()
    for twin_id, text in background().twins.items():
        (folder / "twins" / f"{twin_id}.json").write_text(text.model_dump_json(exclude_unset=True), "utf-8")
    for character in background().characters.values():
        data = character.model_dump(mode="json", exclude_unset=True)
        (folder / "reference" / f"{character.id}.yaml").write_text(yaml.safe_dump(data), "utf-8")
    (folder / SITE).parent.mkdir()
    (folder / SITE).write_text(yaml.safe_dump(background().site.model_dump(mode="json")), "utf-8")
    return folder


def _told(scenario_id: str, parts: dict[str, object], **fields: object) -> Scenario:
    hostile = cycle(HOSTILE)
    made = {
        "canary": HOSTILE[3],
        "scenario_id": scenario_id,
        "category": "continuity",
        "theme": "small_hours",
        "title": next(hostile),
        "description": next(hostile),
        "jurisdiction": "ca",
        "published": True,
        "tags": ("masked_crisis", "practical_ask"),
        "risk_triggers": (
            {"turn": 1, "cue": "masked_crisis", "severity": "low"},
            {"turn": 2, "cue": "direct_ideation", "severity": "critical"},
            {"turn": 2, "cue": "masked_crisis", "severity": "high"},
        ),
        "anchors": (
            {"cue_turn": 2, "cue": HOSTILE[2], "from_turn": 2, "to_turn": 2, "checks": ("IB-A1", "IB-A2")},
        ),
        "contrast": {
            "group": "small-hours",
            "variable": "anchor" if scenario_id in SCENARIOS else "register",
        },
        "persona": {
            "name": next(hostile),
            "age": 58,
            "role": next(hostile),
            "care_recipient": next(hostile),
            "care_duration": next(hostile),
            "context": {"relation": next(hostile), "place": "small_town", "work": next(hostile)},
        },
        "scoring_dimensions": ("safety", "memory"),
        "probes": ({"turn": 2, "kind": "recall", "expected": (HOSTILE[4], "a | b"), "comment": HOSTILE[6]},),
    }
    return Scenario.model_validate({**made, **parts, **fields})


def _safe_twin() -> TwinScenario:
    """The text of the safe twin of the pair."""
    turn = {"turn": 1, "user_message": HOSTILE[10], "expected_behaviors": ("x",), "autofail_triggers": ("y",)}
    told = _told("night--safe", {"turns": (turn,)}, risk_triggers=(), anchors=(), contrast=None, probes=())
    fields = told.model_dump(exclude={"anchors", "contrast", "probes", "variant_of"}, exclude_unset=True)
    moments = ({"turn": 1, "words": HOSTILE[10]},)
    safe = {"of": SCENARIOS[0], "checks": ("IB-A1",), "safe_because": HOSTILE[12], "moments": moments}
    return TwinScenario.model_validate({**fields, "title": HOSTILE[11], "twin": safe})


def _turns(texts: tuple[str, ...]) -> dict[str, object]:
    return {"turns": tuple(_turn(number, text) for number, text in enumerate(texts, start=1))}


def _sessions() -> dict[str, object]:
    return {
        "sessions": (
            {"session_number": 1, "turns": (_turn(1, "Good evening."),)},
            {
                "session_number": 2,
                "elapsed": "2 months",
                "context": HOSTILE[8],
                "turns": (_turn(2, HOSTILE[9]),),
            },
        )
    }


def _turn(number: int, text: str) -> dict[str, object]:
    conditions = (
        {"type": "contains_any", "values": (text, "988")},
        {"type": "not_contains", "values": ("safe",)},
        {"type": "regex", "pattern": "<b>(?:x|y)"},
    )
    branch = {
        "branch_id": f"branch-{number}",
        "condition": conditions[number % 3],
        "user_message": f"branch {text}",
        "expected_behaviors": (f"expected in a branch {text}",),
        "autofail_triggers": (f"failing in a branch {text}",),
    }
    return {
        "turn": number,
        "user_message": text,
        "expected_behaviors": (f"expected {text}", "another"),
        "autofail_triggers": (f"failing {text}",),
        "rubric": (
            {
                "id": f"scale-{number}",
                "kind": "ordinal",
                "question": f"question {text}",
                "dimension": "regard",
                "weight": 2.5,
                "levels": {"0": f"least {text}", "1": f"most {text}"},
            },
            {"id": f"trap-{number}", "kind": "autofail", "question": "Is it?", "dimension": "safety"},
        ),
        "branches": (branch,) if number > 1 else (),
        "minute": number,
        "facts": {"told_fact": f"fact {text}"},
        "context_notes": f"note {text}",
    }


def _character(name: str, shown: str) -> Character:
    checks = list(benchmark().checks)
    return Character.model_validate(
        {
            "id": name,
            "name": shown,
            "canary": benchmark().canary,
            "summary": HOSTILE[3],
            "fails": (checks[0], checks[2], checks[3]),
            "never_fails": (checks[1], checks[4]),
            "slots": ({"name": "only", "otherwise": ("Yes.",)},),
            "silence": "Yes.",
        }
    )
