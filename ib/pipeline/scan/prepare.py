"""Preparing a scan: reading, checking and planning everything before the first question."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import Asking
from ib.errors import DataError, Finding, UsageError
from ib.judges.base import Judge, price_of
from ib.judges.none import NoJudge
from ib.judges.recorded import RecordedJudge
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.canonical import pretty
from ib.models.common.names import moving_notice
from ib.models.conversation.transcript import Transcript
from ib.models.scan.cost import Spending, spent_usd
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.part import WHOLE, Part, SampledConversation, Sampling
from ib.models.scan.plan import AlarmCost, CostReport, PlannedTranscript, ScanPlan
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.common.configured import DIRECT, Calling, check_one_address
from ib.pipeline.common.costing import costing_of
from ib.pipeline.common.sampling import Sampler
from ib.pipeline.common.select import check_part, part_of
from ib.pipeline.scan.judges import NONE, open_judge
from ib.pipeline.scan.judging import Judgment
from ib.pipeline.scan.plan import Planner
from ib.pipeline.scan.recorded import Placeless, TagCheck, VotesUsed
from ib.pipeline.scan.second import (
    PreparedSecond,
    SecondOptions,
    open_second,
    planned_cost,
    prepare_second,
    second_notices,
)
from ib.pipeline.scan.supplements import Beside, open_beside
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.drawing import check_drawn
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import Scenarios
from ib.store.folders import scans
from ib.store.folders.system_prompt import own_prompt_hash
from ib.store.folders.transcripts import Key, Spool, placed, spool

if TYPE_CHECKING:  # slow to import, and needed only with sentinels
    from ib.pipeline.scan.sentinels import PreparedSentinels, Sentinels


@dataclass(frozen=True, kw_only=True)
class ScanOptions:
    """What a scan judges, with which judge and which benchmark."""

    profile: str = "smoke"
    """A profile of the benchmark: which checks are judged, and how many votes each gets."""
    judge: str | Judge = NONE
    """A judge, or the name of one: `none`, `lexical`, `recorded:PATH[,PATH...]`, or PROVIDER/MODEL."""
    benchmark: Path | None = None
    """The folder of a benchmark; None means the benchmark of the package."""
    regard: bool = False
    """Also judge regard, in its four parts."""
    rubrics: bool = False
    """Also judge the rubrics of the scenarios."""
    calling: Calling = DIRECT
    """Settings and limits of calls, if the judge is a model."""
    drafts: tuple[str, ...] = ()
    """Ids of draft checks to judge as well. A scan with drafts cannot be released."""
    part: Part = WHOLE
    """The checks and transcripts to judge. A scan of a part cannot be released as research."""
    second: SecondOptions | None = None
    """A second judge, which answers some of the questions again."""
    redact: tuple[str, ...] = ()
    """The rules that put stand-ins in place of personal data before anything is written or asked."""
    sampling: Sampling | None = None
    """How some of the conversations of logs are drawn for the judge; None to judge all of them."""
    draw: DrawKey | None = None
    """The key of the draw that the transcripts were played in; None for the public draw."""
    sentinels: Sentinels | None = None
    """Exam items that are mixed among the questions; None for none."""
    hints: bool = True
    """False to ask without what a search for phrases found; only the exam does."""

    rejudges: str | None = None
    """The seal of the release whose conversations are judged again; None for any other scan."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the supplementary measures that a judge is asked for."""
        asked = {"regard": self.regard, "rubrics": self.rubrics}
        return tuple(name for name, wanted in asked.items() if wanted)


@dataclass(frozen=True)
class PreparedScan:
    """A scan that is ready to run: its inputs are read, checked and planned."""

    benchmark: Benchmark
    judge: Judge
    engine: ModeEngine
    spool: Spool
    plan: ScanPlan
    plan_bytes: bytes
    """The plan as written to disk."""
    scenarios: Scenarios
    beside: Beside
    begun: deque[Asking[Judgment]] = field(default_factory=deque)
    """The first transcripts in plan order, verified up to their first requests."""
    sources: tuple[Path | Transcript, ...] = ()
    options: ScanOptions = field(default_factory=ScanOptions)
    second: PreparedSecond | None = None
    sampled: tuple[SampledConversation, ...] = ()
    """What was drawn, in plan order, if the scan is a sample."""
    sentinels: PreparedSentinels | None = None

    @property
    def cost(self) -> CostReport:
        """The cost report before the first question."""
        alarms = self.plan.over_alarm
        return CostReport(
            plan_hash=scans.bytes_hash(self.plan_bytes),
            judge=self.judge.spec.model,
            planned_calls=self.plan.planned_calls,
            planned_calls_expected=self.plan.planned_calls_expected,
            planned_calls_max=self.plan.planned_calls_max,
            planned_units=self.plan.planned_units,
            cost=self.plan.cost,
            estimated_cost_usd=self.plan.estimated_cost_usd,
            over_alarm=None if alarms is None else AlarmCost(**dict(alarms)),
            second=None if self.plan.second is None else planned_cost(self.plan.second),
            sentinels=None if self.sentinels is None else self.sentinels.cost({}),
        )

    def cost_after(self, spending: tuple[Spending, ...], **actual: object) -> CostReport:
        """The cost report after the last question. `actual` are further fields of it."""
        judges = (self.judge,) if self.second is None else (self.judge, self.second.judge)
        price_known = all(not judge.spec.priced or price_of(judge) is not None for judge in judges)
        spent = spent_usd(spending, price_known=price_known)
        return self.cost.model_copy(update={"spent_usd": spent, "spending": spending, **actual})


def prepare_scan(
    transcripts: Iterable[Path | Transcript], options: ScanOptions, callbacks: Callbacks = SILENT
) -> PreparedScan:
    """Load the benchmark, the judge and the transcripts, and plan the scan.

    The caller must close `spool`. Raises DataError and UsageError as `scan` does.
    """
    sources = tuple(transcripts)
    root = options.benchmark or benchmark_folder()
    benchmark = load_benchmark(options.benchmark, drafts=options.drafts)
    check_profile(benchmark, options)
    named = (options.judge, None if options.second is None else options.second.judge)
    check_one_address((name for name in named if isinstance(name, str)), options.calling)
    judge = options.judge
    if isinstance(judge, str):
        judge = open_judge(judge, benchmark, root, options.calling, notice=callbacks.notice)
    prepare_sentinels = _sentinels(options.sentinels, judge, benchmark, root)
    second = None
    if options.second is not None:
        second = open_second(options.second, judge, benchmark, root, options.calling, callbacks)
    spec = judge.spec if options.hints else judge.spec.without_hints()
    engine = ModeEngine(benchmark, options.profile, spec, part=options.part)
    check_part(options.part, benchmark.checks, engine.in_profile)
    if isinstance(judge, RecordedJudge):
        engine.votes_known = judge.votes_known
    beside = open_beside(engine, root, options.measures)
    scenarios = Scenarios(root, options.draw)
    costing = costing_of(judge, root, asks_again=engine.units.asks_again)
    planner = Planner(engine, beside, scenarios, costing=costing, own_prompt=own_prompt_hash(root))
    tags = TagCheck(benchmark, root)
    votes = VotesUsed.of(judge, engine)
    placeless = Placeless(benchmark, judged=not isinstance(judge, NoJudge | RecordedJudge))
    clean = _cleaning(options.redact, scenarios)
    sampler = _sampler(options, engine, scenarios, callbacks)
    spooled, planned = _spooled(sources, planner, scenarios, (tags, votes, placeless), clean, sampler)
    _check_draw(spooled, scenarios, options.draw)
    plan = planner.plan(
        planned,
        recorded_checks=judge.checks if isinstance(judge, RecordedJudge) else None,
        notices=tuple(_plan_notices(judge, second)),
    )
    plan = plan.model_copy(update={"rejudges": options.rejudges})
    if sampler is not None:
        plan = plan.model_copy(update={"sample": sampler.plan(planned, plan.estimated_cost_usd)})
    said = (*_left_out(spooled), *tags.notices(), *votes.notices(), *placeless.notices())
    for notice in (*plan.notices, *_notices(plan), *said):
        callbacks.notice(notice)
    asked_second = None
    if second is not None and options.second is not None:
        try:
            asked_second = prepare_second(engine, second, options.second.share, spooled, root, callbacks)
        except DataError:
            spooled.close()
            raise
        plan = plan.model_copy(update={"second": asked_second.plan})
    watched = prepare_sentinels(plan.planned_calls)
    if watched is not None:
        plan = plan.model_copy(update={"sentinels": watched.plan})
    made = (benchmark, judge, engine, spooled, plan, pretty(plan), scenarios, beside, planner.begun)
    sampled = () if sampler is None else sampler.lines
    return PreparedScan(*made, sources, options, asked_second, sampled, watched)


def _sentinels(
    sentinels: Sentinels | None, judge: Judge, benchmark: Benchmark, root: Path
) -> Callable[[int], PreparedSentinels | None]:
    """Prepares the sentinels of a scan with so many questions. Raises UsageError if its judge has none."""
    if sentinels is None:
        return lambda _: None
    from ib.pipeline.scan.sentinels import check_judge, prepare_sentinels

    check_judge(judge.spec, sentinels)
    return lambda questions: prepare_sentinels(sentinels, judge, benchmark, root, questions)


def _sampler(
    options: ScanOptions, engine: ModeEngine, scenarios: Scenarios, callbacks: Callbacks
) -> Sampler | None:
    """What draws the sample of a scan; None if it judges everything.

    Raises UsageError if no judge reads what is drawn.
    """
    if options.sampling is None:
        return None
    if engine.spec.absent:
        raise UsageError(
            "--sample draws conversations for a judge, and no judge is asked; omit --sample, because phrases "
            "are looked for in all of them, or name a --judge and a --profile that asks it"
        )
    return Sampler(options.sampling, engine, scenarios, callbacks)


def _check_draw(spooled: Spool, scenarios: Scenarios, key: DrawKey | None) -> None:
    """Raises DataError if a transcript of a private draw is one of a scenario without slots."""
    if key is None:
        return
    played = {entry.scenario_id for entry in spooled.entries} & scenarios.keys()
    try:
        check_drawn((scenarios[name] for name in sorted(played)), scenarios.paths, key)
    except DataError:
        spooled.close()
        raise


def _cleaning(rules: tuple[str, ...], scenarios: Scenarios) -> Callable[[Transcript], Transcript]:
    """Puts stand-ins in place of personal data. Scenarios of the benchmark are invented, and stay."""
    if not rules:
        return lambda transcript: transcript
    from ib.logs.reading.redacted import names_in  # slow to import, and needed only with rules
    from ib.pipeline.common.redactors import redactor

    clean = redactor(rules)

    def cleaned(transcript: Transcript) -> Transcript:
        if transcript.scenario_id in scenarios:
            return transcript
        return clean(transcript, names_in([transcript.meta]))[0]

    return cleaned


def check_profile(benchmark: Benchmark, options: ScanOptions) -> None:
    """Raises UsageError if the profile does not exist, or if it asks no judge but a judge is named."""
    profiles = benchmark.scoring.profiles
    if options.profile not in profiles:
        raise UsageError(f"unknown profile {options.profile!r}; choose {', '.join(profiles)}")
    if profiles[options.profile].votes != "none":
        return
    if options.judge != NONE:
        raise UsageError(f"profile {options.profile} asks no judge; omit --judge, or choose another profile")
    if options.measures:
        raise UsageError(
            f"profile {options.profile} asks no judge; omit --regard and --rubric, or choose another profile"
        )


def _spooled(
    transcripts: Iterable[Path | Transcript],
    planner: Planner,
    scenarios: Scenarios,
    watching: tuple[TagCheck, VotesUsed, Placeless],
    clean: Callable[[Transcript], Transcript],
    sampler: Sampler | None,
) -> tuple[Spool, tuple[PlannedTranscript, ...]]:
    """The transcripts of the scan, spooled in plan order, and the plan of each."""
    engine, (tags, votes, placeless) = planner.engine, watching
    planned_at_once = not planner.looks_inside and not engine.part.narrows_transcripts
    planned: dict[Key, PlannedTranscript] = {}

    def tagged(transcript: Transcript) -> Iterable[Finding]:
        """Findings about tags. The tags of a scenario of the benchmark were found good by `ib lint`."""
        return () if transcript.scenario_id in scenarios else tags.findings(transcript)

    def seen(transcript: Transcript, transcript_hash: str) -> None:
        """Plan a transcript while it is in memory, if nothing else decides about it."""
        asked = [item.check.id for item in engine.due(transcript) if item.asked]
        for each in (votes, placeless):
            each.add(transcript, asked)
        if planned_at_once:
            planned[transcript.key] = planner.transcript(engine.index(transcript, transcript_hash))

    spooled = spool(
        list(transcripts),
        engine.benchmark.checks,
        lambda transcript: placed(fitted(transcript, scenarios), engine.benchmark.rules),
        tagged,
        seen,
        clean,
    )
    if planned_at_once:
        return spooled, tuple(planned[entry.key] for entry in spooled.entries)
    try:
        votes.check()
        chosen = part_of(spooled, engine.part)
        chosen = chosen if sampler is None else sampler.draw(chosen)
    except (DataError, UsageError):
        spooled.close()
        raise
    return chosen, planner.transcripts(chosen)


def _left_out(spooled: Spool) -> Iterator[str]:
    """A sentence about rows of tables that are not scanned, if there are any."""
    if spooled.left_out:
        yield f"rows that failed before their end, as their log says: {spooled.left_out:,}; they are left out"


def _notices(plan: ScanPlan) -> Iterator[str]:
    """Sentences about a plan that a person should read before its results."""
    if plan.open_logs:
        yield (
            f"{plan.open_logs:,} of {len(plan.transcripts):,} transcripts are open logs (no scenario of the "
            "benchmark, no tags, no eligible_checks): every check is due on them"
        )
    if len(plan.judge.judges) > 1:
        yield (
            f"the recording has votes of {len(plan.judge.judges)} judges ({', '.join(plan.judge.judges)}); "
            "a release of this scan can only have stage demo"
        )


def _plan_notices(judge: Judge, second: Judge | None) -> Iterator[str]:
    """What a person should know about the judges."""
    if not judge.in_process:
        yield from judge_notices(judge.spec, "judge")
    if second is not None:
        yield from second_notices(second)
        if not second.in_process:
            yield from judge_notices(second.spec, "second judge")


def judge_notices(spec: JudgeSpec, role: str) -> Iterator[str]:
    """Why the same judge might answer otherwise another time."""
    moving = moving_notice(spec.model)
    if moving is not None:
        yield f"{role}: {moving}"
    loose = [name for name in ("temperature", "seed") if name not in spec.params]
    if loose:
        options = " and ".join(f"--{name}" for name in loose)
        fix = "fixes" if len(loose) == 1 else "fix"
        yield f"{role}: the provider decides {' and '.join(loose)}; {options} {fix} what a model lets you fix"


def fitted(transcript: Transcript, scenarios: Scenarios) -> Transcript | Finding:
    """The transcript with the fields of its scenario added, or a finding if the two contradict each other."""
    scenario = scenarios.get(transcript.scenario_id)
    if scenario is None and transcript.twin is not None:
        found = f"is a play of a safe twin, {transcript.scenario_id}, which this benchmark does not have"
        return Finding.at("", None, "twin", found, "scan it with the benchmark that has the twin")
    if scenario is None:
        return transcript
    from ib.scenario.playing import conflicts, joined  # slow to import, and needed only with scenarios

    for key, said in conflicts(transcript, scenario):
        found = f"differs from scenario {scenario.scenario_id} of the benchmark"
        hint = f"remove it, or play the scenario again; the scenario has {said}"[:300]
        return Finding.at("", None, key, found, hint)
    return joined(transcript, scenario)
