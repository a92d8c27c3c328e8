"""The task: every scenario of a selection, played and judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ib import __version__
from ib.errors import UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.benchmark import benchmark_hash as hash_of
from ib.models.conversation.scenario import Scenario
from ib.pipeline.common.select import Selection, select
from ib.pipeline.run.playable import check_playable
from ib.store.benchmark.drawing import check_drawn, draw_of, private_key
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_played, played_paths
from ib.store.folders import runs
from ib.store.folders.system_prompt import load_system_prompt
from ib_inspect.asked import check_judge, judge, shown
from ib_inspect.bench import names
from ib_inspect.scorer import HASH, ib_checks
from ib_inspect.solver import play_scenario

Names = str | Sequence[str] | None


@task
def invisiblebench(  # noqa: PLR0913 - each is an option of the command line
    *,
    profile: str = "publish",
    scenarios: Names = None,
    sets: Names = None,
    categories: Names = None,
    checks: Names = None,
    draw: str | None = None,
    benchmark: str | None = None,
    system_prompt: str | None = None,
    benchmark_hash: str | None = None,
    cache: bool | None = None,
) -> Task:
    """Play scenarios of family caregivers with a model, and judge the replies check by check.

    Args:
        profile: A profile of the benchmark that asks a judge.
        scenarios: Ids of scenarios, as a list or with commas; by default the core and its safe twins.
        sets: Sets of scenarios, and `core` for those of no set.
        categories: Categories of scenarios.
        checks: Ids of checks; by default all of the profile.
        draw: The file of the key of a private draw.
        benchmark: The folder of a benchmark; by default that of the package.
        system_prompt: A file in place of the benchmark's own system prompt.
        benchmark_hash: The hash that the benchmark must have. A task with another one is not made.
        cache: True to answer questions to the judge from Inspect's cache.
    """
    check_judge()
    with shown():
        root = benchmark_folder() if benchmark is None else Path(benchmark)
        key = None if draw is None else private_key(Path(draw))
        chosen = Selection(names(scenarios), names(sets), names(categories))
        loaded, played = load_benchmark(root), select(load_played(root, key), chosen)
        check_drawn(played, played_paths(root), key)
        check_playable(played, loaded, root)
        pinned = _pinned(loaded, benchmark_hash)
        prompt = load_system_prompt(Path(system_prompt) if system_prompt else root / runs.SYSTEM_PROMPT)
        return Task(
            dataset=MemoryDataset([_sample(one, pinned) for one in played], name="invisiblebench"),
            setup=judge_named(),
            solver=play_scenario(benchmark, draw, system_prompt),
            scorer=ib_checks(profile, checks, benchmark, draw, cache),
            name="invisiblebench",
            version=loaded.version or "unknown",
            metadata={
                HASH: pinned,
                "system_prompt_hash": prompt.hash,
                "draw": draw_of(played),
                "ib_version": __version__,
                "canary": loaded.canary,
            },
        )


@solver
def judge_named() -> Solver:
    """Refuse a sample without a judge before it is played: a task made in Python does not know the roles."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        judge()
        return state

    return solve


def _pinned(loaded: Benchmark, wanted: str | None) -> str:
    """The hash of the benchmark. Raises UsageError if another one is wanted."""
    found = hash_of(loaded)
    if wanted is not None and not found.startswith(wanted):
        raise UsageError(
            f"the benchmark has the hash {found[:12]}, not {wanted[:12]}; install the other version"
        )
    return found


def _sample(scenario: Scenario, pinned: str) -> Sample:
    """The sample of a scenario. Its input is the first message; branches decide the others."""
    return Sample(
        id=scenario.scenario_id,
        input=next(iter(scenario.all_turns())).user_message,
        metadata={
            HASH: pinned,
            "scenario_hash": scenario.definition_hash,
            "category": scenario.category,
            "set": scenario.set,
            "canary": scenario.canary,
        },
    )
