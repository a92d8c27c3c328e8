"""`ib run`: scenarios to models, transcripts out. The plan is complete before the first call."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from ib import __version__
from ib.commands.common import benchmark_option, default_folder, emit, json_option, say, shown, with_progress
from ib.engine.lexicons import Matcher
from ib.errors import DataError, OutputExists, UsageError, WorldError
from ib.models.base import Role
from ib.models.benchmark import Benchmark
from ib.models.canonical import compact, digest, pretty
from ib.models.run import (
    Incomplete,
    PlannedScenario,
    RunCost,
    RunManifest,
    RunPlan,
)
from ib.models.scenario import Scenario
from ib.models.transcript import transcript_line
from ib.pipeline.harness import Harness
from ib.scenario.lint import Surroundings, unplayable
from ib.scenario.playing import SystemPrompt, play
from ib.store import runs
from ib.store.benchmark import benchmark_folder, label, load_benchmark
from ib.store.characters import character_paths, load_character, load_script
from ib.store.files import create_folder, only_writer, replace, replacing
from ib.store.journal import Journal
from ib.store.scans import bytes_hash, file_hashes
from ib.store.scenarios import load_scenarios, scenario_paths
from ib.store.yaml_json import decode, finding_at, read_bytes
from ib.targets.base import Model
from ib.targets.reference import PREFIX, ReferenceAssistant
from ib.targets.scripted import ScriptedModel
from ib.text.normalize import normalize_said

SCRIPTED = "scripted:"


@dataclass(frozen=True)
class Prepared:
    """A run that is ready: everything is read, checked and planned."""

    models: tuple[Model, ...]
    scenarios: tuple[Scenario, ...]
    system: SystemPrompt
    plan: RunPlan

    @property
    def plan_bytes(self) -> bytes:
        return pretty(self.plan)

    @property
    def cost(self) -> RunCost:
        """The cost report before the run."""
        return RunCost(
            plan_hash=bytes_hash(self.plan_bytes),
            planned_calls=self.plan.planned_calls,
            estimated_cost_usd=self.plan.estimated_cost_usd,
        )


@click.command()
@click.option(
    "-m", "--model", "names", multiple=True, required=True, help="A model, named exactly; may be repeated."
)
@click.option("-s", "--scenario", "ids", multiple=True, help="A scenario, named exactly; may be repeated.")
@click.option("-c", "--category", "categories", multiple=True, help="Scenarios of a category.")
@click.option("--tag", "tags", multiple=True, help="Scenarios with a tag.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="The folder to create.  [default: under results/]"
)
@click.option("--resume", is_flag=True, help="Go on with the run in --out; what failed is tried again.")
@click.option("--dry-run", is_flag=True, help="Plan and estimate, call nothing; write only into --out.")
@click.option(
    "--scenario-parallel",
    default=1,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Scenarios of one model at once; turns stay one after the other.",
)
@click.option(
    "--model-parallel", default=1, show_default=True, type=click.IntRange(1, 1000), help="Models at once."
)
@benchmark_option
@json_option
def run(
    names: tuple[str, ...],
    ids: tuple[str, ...],
    categories: tuple[str, ...],
    tags: tuple[str, ...],
    out: Path | None,
    resume: bool,
    dry_run: bool,
    scenario_parallel: int,
    model_parallel: int,
    benchmark_dir: Path | None,
    as_json: bool,
) -> None:
    """Play scenarios against models.

    The harness is llm/raw: the turns of a scenario go to the model as they are written, behind the
    benchmark's system prompt, and its raw completions are recorded. Without a selection every
    published scenario is played; one that is not published has to be named.

    Example: ib run -m reference/attentive -c safety --out run
    """
    if resume and out is None:
        raise UsageError("--resume needs --out, the folder of the run to go on with")
    prepared = prepare(names, ids, categories, tags, benchmark_dir)
    if dry_run:
        _write_plan_only(prepared, out)
    else:
        folder = out or default_folder("run", digest(prepared.plan))
        harness = (scenario_parallel, model_parallel)
        failed = _run(prepared, folder, resume=resume, parallel=harness)
        say(f"run: {shown(folder)}")
        if failed:
            raise WorldError(
                f"{len(failed)} of {len(prepared.models) * len(prepared.scenarios)} plays are incomplete, "
                f"the first {failed[0].model_id} on {failed[0].scenario_id}, turn {failed[0].turn}: "
                f"{failed[0].fault}. What is done is kept; the same command with --resume tries them again."
            )
    emit(
        {"plan": prepared.plan.model_dump(mode="json")},
        as_json=as_json,
        text=lambda _: _plan_words(prepared, dry_run=dry_run),
    )


def prepare(
    names: Sequence[str],
    ids: Sequence[str],
    categories: Sequence[str],
    tags: Sequence[str],
    benchmark_dir: Path | None,
) -> Prepared:
    """Load models, scenarios and the system prompt, and plan the run."""
    root = benchmark_dir or benchmark_folder()
    benchmark = load_benchmark(benchmark_dir)
    paths = character_paths(root)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"-m {', '.join(twice)} is given twice; every model once")
    models: list[Model] = []
    heard = Matcher(benchmark.lexicons.values(), Role.USER)
    for name in names:
        if name.startswith(SCRIPTED):
            models.append(ScriptedModel(load_script(Path(name.removeprefix(SCRIPTED)))))
            continue
        character = name.removeprefix(PREFIX)
        if not name.startswith(PREFIX) or character not in paths:
            known = ", ".join(PREFIX + character for character in paths) or "none in this benchmark"
            raise UsageError(f"-m {name!r} is not known; there are {known}, and scripted:PATH")
        loaded = load_character(paths[character], benchmark.checks, benchmark.lexicons)
        models.append(ReferenceAssistant(loaded, heard))
    same = [model.spec.model_id for model in models]
    if len(set(same)) < len(same):
        raise UsageError(f"two models have the same id: {', '.join(sorted(same))}; every model once")
    models.sort(key=lambda model: model.spec.model_id)
    scenarios = select(load_scenarios(root), ids, categories, tags)
    if any(isinstance(model, ReferenceAssistant) for model in models):
        said = [normalize_said(turn.user_message) for scenario in scenarios for turn in scenario.all_turns()]
        heard.found_each(said)  # at once, which takes half the time of one after the other
    _playable(scenarios, benchmark, root)
    system = load_system_prompt(root)
    plan = RunPlan(
        system_prompt_hash=system.hash,
        canary=benchmark.canary,
        models=tuple(model.spec for model in models),
        scenarios=tuple(
            PlannedScenario(
                scenario_id=scenario.scenario_id,
                scenario_hash=digest(scenario),
                turns=sum(1 for _ in scenario.all_turns()),
            )
            for scenario in scenarios
        ),
        planned_calls=len(models) * sum(1 for scenario in scenarios for _ in scenario.all_turns()),
        estimated_cost_usd=None if any(model.spec.priced for model in models) else 0.0,
    )
    return Prepared(tuple(models), scenarios, system, plan)


def _playable(scenarios: Sequence[Scenario], benchmark: Benchmark, root: Path) -> None:
    """DataError with everything that would end a play in an error after calls were paid for."""
    paths = scenario_paths(root)
    around = Surroundings(benchmark.checks, benchmark.rules, None, benchmark.canary)
    findings = []
    for scenario in scenarios:
        path = paths[scenario.scenario_id]
        for problem in unplayable(scenario, around):
            findings.append(finding_at(path, label(path), problem.location, problem.found, problem.cure))
    if findings:
        raise DataError(findings)


def load_system_prompt(root: Path) -> SystemPrompt:
    """The system prompt of a benchmark: one file, known by the hash of its bytes."""
    path = root / runs.SYSTEM_PROMPT
    data = read_bytes(path)
    text = decode(data, str(path)).strip()
    if not text:
        raise DataError.one(path, None, "", "is empty", "what a model is told before the first turn")
    return SystemPrompt(text, hashlib.sha256(data).hexdigest())


def select(
    scenarios: dict[str, Scenario], ids: Sequence[str], categories: Sequence[str], tags: Sequence[str]
) -> tuple[Scenario, ...]:
    """The scenarios that a selection means, by id; UsageError says what exists where it means none."""
    for unknown in (scenario_id for scenario_id in ids if scenario_id not in scenarios):
        close = difflib.get_close_matches(unknown, scenarios, n=3)
        known = (
            f"perhaps {', '.join(close)}" if close else f"there are {len(scenarios)}, see `ib show scenario`"
        )
        raise UsageError(f"-s {unknown!r} is no scenario; {known}")
    there = sorted({scenario.category for scenario in scenarios.values()})
    for unknown in (category for category in categories if category not in there):
        raise UsageError(f"-c {unknown!r} is no category; there are {', '.join(there)}")
    every = {tag for scenario in scenarios.values() for tag in scenario.tags}
    for unknown in (tag for tag in tags if tag not in every):
        close = difflib.get_close_matches(unknown, sorted(every), n=3) or sorted(every)
        raise UsageError(f"--tag {unknown!r} stands on no scenario; there are {', '.join(close)}")
    chosen = tuple(
        scenario
        for _, scenario in sorted(scenarios.items())
        if (scenario.published or scenario.scenario_id in ids)
        and (not ids or scenario.scenario_id in ids)
        and (not categories or scenario.category in categories)
        and (not tags or set(tags) & set(scenario.tags))
    )
    if not chosen:
        listed = ", ".join(sorted(scenarios)[:5]) or "none in this benchmark"
        raise UsageError(f"the selection selects none of {len(scenarios)} scenarios: {listed}, ...")
    return chosen


def _write_plan_only(prepared: Prepared, out: Path | None) -> None:
    if out is None:
        return
    create_folder(out)
    replace(out / runs.PLAN, prepared.plan_bytes)
    replace(out / runs.COST, pretty(prepared.cost))
    say(f"plan: {shown(out / runs.PLAN)}")


def _run(
    prepared: Prepared, folder: Path, *, resume: bool, parallel: tuple[int, int]
) -> tuple[Incomplete, ...]:
    """Run into a folder; what ended in an error comes back."""
    started = datetime.now(UTC).isoformat()
    fresh = not (resume and folder.is_dir())
    if fresh:
        create_folder(folder)
    elif not (folder / runs.COMPLETIONS).is_file():
        found = "holds no journal of a run, so that none has begun in it"
        raise OutputExists(f"{folder}: {found}; choose another folder, without --resume")
    with only_writer(folder):
        plan_hash = bytes_hash(prepared.plan_bytes)
        journal = Journal(folder / runs.COMPLETIONS, plan_hash, runs.REPLIES, resume=not fresh)
        for notice in journal.notices:
            say(notice)
        try:
            replace(folder / runs.PLAN, prepared.plan_bytes)
            harness = Harness(journal, *parallel)
            incomplete = _play(prepared, folder, harness)
            journal.finish()
        finally:
            journal.close()
        free = prepared.plan.estimated_cost_usd == 0.0
        cost = prepared.cost.model_copy(
            update={"answered": len(journal.known) + harness.answered, "spent_usd": 0.0 if free else None}
        )
        replace(folder / runs.COST, pretty(cost))
        manifest = RunManifest(
            ib_version=__version__,
            plan_hash=plan_hash,
            started=started,
            finished=datetime.now(UTC).isoformat(),
            transcripts=len(prepared.models) * len(prepared.scenarios) - len(incomplete),
            incomplete=len(incomplete),
            files=file_hashes(folder, runs.MANIFEST),
        )
        replace(folder / runs.MANIFEST, pretty(manifest))
    return incomplete


def _play(prepared: Prepared, folder: Path, harness: Harness) -> tuple[Incomplete, ...]:
    """Every play, in the order of the plan: transcripts here, what an error ended there."""
    plays = [
        [partial(play, scenario, model.spec, prepared.system) for scenario in prepared.scenarios]
        for model in prepared.models
    ]
    total = len(prepared.models) * len(prepared.scenarios)
    incomplete: list[Incomplete] = []
    with (
        replacing(folder / runs.TRANSCRIPTS) as whole,
        replacing(folder / runs.INCOMPLETE) as broken,
        contextlib.closing(harness.run(prepared.models, plays)) as played,
    ):
        for item in with_progress(played, total, "plays"):
            if isinstance(item, Incomplete):
                incomplete.append(item)
                broken.write(compact(item) + b"\n")
            else:
                whole.write(transcript_line(item) + b"\n")
    return tuple(incomplete)


def _plan_words(prepared: Prepared, *, dry_run: bool) -> str:
    plan = prepared.plan
    cost = "unknown" if plan.estimated_cost_usd is None else f"${plan.estimated_cost_usd:.2f}"
    names: Iterable[str] = (model.model_id for model in plan.models)
    return (
        f"{'planned' if dry_run else 'played'} {len(plan.scenarios)} scenarios against {', '.join(names)}\n"
        f"{plan.planned_calls} calls, cost {cost}"
    )
