"""Playing scenarios against models and writing a run folder with transcripts."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path

from ib import __version__
from ib.errors import OutputExists, UsageError, WorldError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.canonical import compact, digest, pretty
from ib.models.common.settings import CallLimits, ModelSettings
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.transcript import transcript_line
from ib.models.scan.cost import Spending, spent_usd
from ib.models.scan.run import GIVECARE, Incomplete, PlannedScenario, RunCost, RunManifest, RunPlan
from ib.pipeline.common.callbacks import SILENT, Callbacks, CallWatch
from ib.pipeline.common.configured import DIRECT, UNLIMITED, USUAL, Calling
from ib.pipeline.common.costing import cost_words, few_at_once, spent_words
from ib.pipeline.common.folders import AnyPath, default_folder, path_of
from ib.pipeline.common.select import Selection, left_out_twins, select
from ib.pipeline.run.cost import calls_most, estimate_run, total_usd, turn_states
from ib.pipeline.run.harness import Harness
from ib.pipeline.run.playable import check_playable
from ib.pipeline.run.targets import hear_at_once, moving_notices, open_all, open_models
from ib.scenario.drawing import DrawKey
from ib.scenario.playing import SystemPrompt
from ib.scenario.playing import play as play_scenario
from ib.store.benchmark.drawing import check_drawn, draw_of, private_key
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_played, played_paths
from ib.store.files.writing import create_folder, has_begun, only_writer, replace, replacing
from ib.store.folders import runs
from ib.store.folders.calls import CallList
from ib.store.folders.journal import Journal, Played
from ib.store.folders.scans import bytes_hash, file_hashes
from ib.store.folders.system_prompt import load_system_prompt
from ib.targets.base import Model


@dataclass(frozen=True)
class PreparedRun:
    """A run that is ready: its inputs are read, checked and planned."""

    models: tuple[Model, ...]
    scenarios: tuple[Scenario, ...]
    system: SystemPrompt
    plan: RunPlan

    @property
    def plan_bytes(self) -> bytes:
        """The plan as written to disk."""
        return pretty(self.plan)

    @property
    def cost(self) -> RunCost:
        """The cost report before the first call."""
        return RunCost(
            plan_hash=bytes_hash(self.plan_bytes),
            planned_calls=self.plan.planned_calls,
            planned_calls_max=self.plan.planned_calls_max,
            cost=self.plan.cost,
            estimated_cost_usd=self.plan.estimated_cost_usd,
        )

    def cost_after(self, spending: tuple[Spending, ...], **actual: object) -> RunCost:
        """The cost report after the last call. `actual` are further fields of it."""
        price_known = all(model.price is not None for model in self.models if model.spec.priced)
        spent = spent_usd(spending, price_known=price_known)
        return self.cost.model_copy(update={"spent_usd": spent, "spending": spending, **actual})

    @property
    def plays(self) -> int:
        """How many plays there are: one for each model, scenario and epoch."""
        return len(self.played)

    @property
    def played(self) -> frozenset[Played]:
        """Every play: its model, scenario and epoch."""
        models = (model.spec.model_id for model in self.models)
        return frozenset(product(models, (each.scenario_id for each in self.scenarios), self.epochs))

    @property
    def epochs(self) -> tuple[int | None, ...]:
        """The epochs of each scenario, from 1; a single play has no number."""
        return (None,) if self.plan.epochs == 1 else tuple(range(1, self.plan.epochs + 1))


@dataclass(frozen=True)
class Run:
    """A finished run: its folder, and the plays that ended with a fault."""

    folder: Path
    plays: int
    incomplete: tuple[Incomplete, ...]

    @property
    def transcripts(self) -> Path:
        """The transcripts file, which a scan reads."""
        return self.folder / runs.TRANSCRIPTS


def play(
    models: Sequence[str] = (),
    *,
    scenarios: Selection | None = None,
    epochs: int = 1,
    out: AnyPath | None = None,
    benchmark: AnyPath | None = None,
    resume: bool = False,
    scenario_parallel: int = 1,
    model_parallel: int = 1,
    settings: ModelSettings = USUAL,
    limits: CallLimits = UNLIMITED,
    config: AnyPath | None = None,
    system_prompt: AnyPath | None = None,
    draw: AnyPath | None = None,
    callbacks: Callbacks = SILENT,
) -> Run:
    """Play scenarios against models, into a new folder.

    `models` are names such as `reference/attentive`, or `openai/gpt-4o` for a model at a provider, which
    is called with `settings` within `limits`. `config` is a file of models with their settings: all of them
    are played, or those that `models` names. `system_prompt` is a file in place of the benchmark's own system
    prompt; plays under it are not comparable with others. `draw` is the file of the key of a private draw; by
    default the draw is the public one. Each scenario is played `epochs` times. `out` is
    the folder to create (by default a new one in `results/`). With `resume`, the run in `out` is completed
    and failed plays are retried. Plays that ended with a fault are in `Run.incomplete`; they are never
    scored.

    Raises DataError with all findings about the benchmark's files, UsageError if a name does not
    exist, OutputExists if `out` exists.
    """
    if resume and out is None:
        raise UsageError("resume needs out, the folder of the run to continue")
    chosen, calling = scenarios or Selection(), Calling(settings, limits, path_of(config))
    prepared = prepare_run(
        models, chosen, path_of(benchmark), calling,
        epochs=epochs, system_prompt=path_of(system_prompt),
        draw=None if draw is None else private_key(Path(draw)), callbacks=callbacks,
    )  # fmt: skip
    folder = path_of(out) or default_folder("run", digest(prepared.plan))
    harness = (scenario_parallel, model_parallel)
    incomplete = run_plays(prepared, folder, resume=resume, parallel=harness, callbacks=callbacks)
    return Run(folder, prepared.plays, incomplete)


def prepare_run(
    names: Sequence[str],
    chosen: Selection,
    folder: Path | None,
    calling: Calling = DIRECT,
    *,
    epochs: int = 1,
    system_prompt: Path | None = None,
    draw: DrawKey | None = None,
    callbacks: Callbacks = SILENT,
) -> PreparedRun:
    """Load models, scenarios and the system prompt, and plan the run.

    `system_prompt` is a file in place of the benchmark's own system prompt. `draw` is the key of a private
    draw, in which every scenario must have slots.
    """
    if epochs < 1:
        raise UsageError(f"{epochs} epochs; a scenario is played at least once")
    root = folder or benchmark_folder()
    benchmark = load_benchmark(folder)
    models = open_models(names, benchmark, root, calling, callbacks)
    loaded = load_played(root, draw)
    scenarios = select(loaded, chosen)
    check_drawn(scenarios, played_paths(root), draw)
    hear_at_once(models, scenarios)
    check_playable(scenarios, benchmark, root)
    if system_prompt is not None and any(model.spec.harness == GIVECARE for model in models):
        raise UsageError(f"{GIVECARE} answers with its own system prompt; omit --system-prompt")
    system = load_system_prompt(system_prompt or root / runs.SYSTEM_PROMPT)
    plan = plan_of(models, scenarios, system, benchmark, root, epochs)
    callbacks.notices(plan.notices)
    callbacks.notices(few_at_once(plan.cost, calling.limits.max_cost_usd))
    callbacks.notices(left_out_twins(loaded, chosen))
    return PreparedRun(models, scenarios, system, plan)


def plan_of(
    models: tuple[Model, ...],
    scenarios: tuple[Scenario, ...],
    system: SystemPrompt,
    benchmark: Benchmark,
    root: Path,
    epochs: int,
) -> RunPlan:
    """The plan of a run: who plays what under which system prompt, and what it is expected to cost."""
    turns = {scenario.scenario_id: sum(1 for _ in scenario.all_turns()) for scenario in scenarios}
    cost, tables = estimate_run(models, scenarios, system, root, epochs)
    return RunPlan(
        benchmark_version=benchmark.version,
        system_prompt_hash=system.hash,
        draw=draw_of(scenarios),
        canary=benchmark.canary,
        models=tuple(model.spec for model in models),
        scenarios=tuple(
            PlannedScenario(
                scenario_id=scenario.scenario_id,
                definition_hash=scenario.definition_hash,
                turns=turns[scenario.scenario_id],
                template_hash=None if scenario.drawn is None else scenario.drawn.template_hash,
            )
            for scenario in scenarios
        ),
        epochs=epochs,
        notices=tuple(moving_notices(models)),
        planned_calls=len(models) * sum(turns.values()) * epochs,
        planned_calls_max=sum(map(calls_most, models)) * sum(turns.values()) * epochs,
        estimated_cost_usd=total_usd(cost),
        cost=cost,
        estimated_from=tables,
    )


def write_run_plan(prepared: PreparedRun, folder: Path) -> Path:
    """Write the plan and the cost report of a dry run to a new folder; returns the path of the plan."""
    create_folder(folder)
    replace(folder / runs.PLAN, prepared.plan_bytes)
    replace(folder / runs.COST, pretty(prepared.cost))
    return folder / runs.PLAN


def run_plays(
    prepared: PreparedRun,
    folder: Path,
    *,
    resume: bool = False,
    parallel: tuple[int, int] = (1, 1),
    callbacks: Callbacks = SILENT,
) -> tuple[Incomplete, ...]:
    """Play the whole plan into a folder; returns the plays that ended with a fault.

    `parallel` is (scenarios of one model played at once, models played at once).
    """
    started = datetime.now(UTC).isoformat()
    fresh = not (resume and folder.is_dir())
    calls = CallList(folder)
    for estimate in prepared.plan.cost:
        callbacks.notice(cost_words(estimate))
    if fresh:
        open_all(prepared.models, calls)  # what is missing is reported before there is a folder
        create_folder(folder)
    elif not has_begun(folder, runs.COMPLETIONS):
        found = "has no journal of a run, so there is nothing to resume"
        raise OutputExists(f"{folder}: {found}; omit --resume and choose another folder")
    with only_writer(folder), calls:
        if not fresh:
            open_all(prepared.models, calls)
        plan_hash = bytes_hash(prepared.plan_bytes)
        journal = Journal(folder / runs.COMPLETIONS, plan_hash, runs.REPLIES, resume=not fresh)
        callbacks.notices(journal.notices)
        journal.only_on(prepared.played)
        harness, complete = Harness(journal, *parallel), False
        try:
            replace(folder / runs.PLAN, prepared.plan_bytes)
            with CallWatch(calls, callbacks, *_expected(prepared.plan)) as watch:
                harness.told = watch.count
                incomplete = _write_plays(prepared, folder, harness, callbacks)
            callbacks.notices(journal.finish())
            complete = True
        finally:
            journal.close()
            answered = len(journal.known) + harness.answered
            units = turn_states(prepared.plan.planned_calls, answered, harness.faults)
            cost = prepared.cost_after(calls.spending, answered=answered, units=units, complete=complete)
            with contextlib.nullcontext() if complete else contextlib.suppress(WorldError):
                replace(folder / runs.COST, pretty(cost))
            callbacks.notices(spent_words(cost.spending, cost.spent_usd, calls.faults))
        manifest = RunManifest(
            ib_version=__version__,
            plan_hash=plan_hash,
            started=started,
            finished=datetime.now(UTC).isoformat(),
            transcripts=prepared.plays - len(incomplete),
            incomplete=len(incomplete),
            files=file_hashes(folder, runs.MANIFEST),
        )
        replace(folder / runs.MANIFEST, pretty(manifest))
    return incomplete


def _expected(plan: RunPlan) -> tuple[int | None, float | None]:
    """The planned calls, and their cost. There is no number if no model is at a provider."""
    if not any(model.priced for model in plan.models):
        return None, None
    return plan.planned_calls, plan.estimated_cost_usd


def _write_plays(
    prepared: PreparedRun, folder: Path, harness: Harness, callbacks: Callbacks
) -> tuple[Incomplete, ...]:
    """Write every play in plan order: complete transcripts to one file, incomplete plays to another."""
    plays = [
        [
            partial(play_scenario, scenario, model.spec, prepared.system, epoch)
            for scenario in prepared.scenarios
            for epoch in prepared.epochs
        ]
        for model in prepared.models
    ]
    incomplete: list[Incomplete] = []
    with (
        replacing(folder / runs.TRANSCRIPTS) as whole,
        replacing(folder / runs.INCOMPLETE) as broken,
        contextlib.closing(harness.run(prepared.models, plays)) as played,
    ):
        for item in callbacks.counted(played, prepared.plays, "plays"):
            if isinstance(item, Incomplete):
                incomplete.append(item)
                broken.write(compact(item) + b"\n")
            else:
                whole.write(transcript_line(item) + b"\n")
    return tuple(incomplete)
