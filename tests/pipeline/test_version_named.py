"""The version of the benchmark is named in plans and leaderboards, and decides nothing."""

from __future__ import annotations

from dataclasses import replace

from ib.board.gate import integrity
from ib.pipeline.common.select import Selection
from ib.pipeline.run.play import prepare_run
from ib.pipeline.scan.plan import Planner
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.versions import VERSION, load_version
from tests.board.world import WORLD, gate_inputs, scan_of
from tests.build import beside, engine

NAMED = WORLD.model_copy(update={"version": "1.2.3"})


def test_a_scan_plan_names_the_version_and_has_the_same_key() -> None:
    """Results of two versions with the same content share a table."""
    plans = [Planner(e, beside(e)).plan(()) for e in (engine(WORLD), engine(NAMED))]
    assert [plan.benchmark_version for plan in plans] == [None, "1.2.3"]
    assert len({plan.comparability_key for plan in plans}) == 1


def test_a_run_plan_names_the_version() -> None:
    """That of the benchmark whose scenarios are played."""
    chosen = Selection(ids=("context-regulatory-data-deletion",))
    plan = prepare_run(("reference/echo",), chosen, None).plan
    assert plan.benchmark_version is not None
    assert plan.benchmark_version == load_version(benchmark_folder(), VERSION)


def test_a_leaderboard_names_the_version_that_computed_it() -> None:
    """The version in the plan may be another one with the same content: the gate compares the content."""
    plan, results = scan_of(world=NAMED)
    assert plan.benchmark_version == "1.2.3"
    earlier = plan.model_copy(update={"benchmark_version": "1.2.2"})
    inputs = replace(gate_inputs(plan, results, world=NAMED), plan=earlier)
    assert inputs.leaderboard.benchmark_version == "1.2.3"
    assert [*integrity.plan(inputs)] == [*integrity.benchmark(inputs)] == []
    other = replace(inputs, plan=earlier.model_copy(update={"profile": "full"}))
    assert [*integrity.plan(other)] == [
        "scan_plan.json: profile does not match the transcripts and the benchmark"
    ]
