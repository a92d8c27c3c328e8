"""`ib run`: scenarios to models, transcripts out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, reporting, say, shown
from ib.commands.model_options import model_options, settings_of
from ib.errors import UsageError, WorldError
from ib.models.canonical import digest
from ib.models.run import Incomplete, RunPlan
from ib.pipeline.folders import default_folder
from ib.pipeline.run import PreparedRun, prepare_run, run_plays, write_run_plan
from ib.pipeline.select import Selection

AT_ONCE = click.IntRange(1, 1000)


@click.command()
@click.option("-m", "--model", "names", multiple=True, required=True, help="A model; may be repeated.")
@click.option("-s", "--scenario", "ids", multiple=True, help="A scenario, named exactly; may be repeated.")
@click.option("-c", "--category", "categories", multiple=True, help="Scenarios of a category.")
@click.option("--tag", "tags", multiple=True, help="Scenarios with a tag.")
@click.option("--out", type=OutPath(), help="The folder to create.  [default: in results/]")
@click.option("--resume", is_flag=True, help="Go on with the run in --out; what failed is tried again.")
@click.option("--dry-run", is_flag=True, help="Plan and estimate, call nothing; write only into --out.")
@click.option("--scenario-parallel", default=1, show_default=True, type=AT_ONCE,
              help="Scenarios of one model at once; turns stay one after the other.")  # fmt: skip
@click.option("--model-parallel", default=1, show_default=True, type=AT_ONCE, help="Models at once.")
@model_options
@benchmark_option
@json_option
def run(
    names: tuple[str, ...], ids: tuple[str, ...], categories: tuple[str, ...], tags: tuple[str, ...],
    out: Path | None, *, resume: bool, dry_run: bool, scenario_parallel: int, model_parallel: int,
    benchmark_dir: Path | None, as_json: bool, **called: Any,
) -> None:  # fmt: skip
    """Play scenarios against models.

    The harness is llm/raw: the turns of a scenario go to the model as they are written, behind the
    benchmark's system prompt, and its raw completions are recorded. Without a selection every
    published scenario is played; one that is not published has to be named.

    Example: ib run -m reference/attentive -c safety --out run
    """
    if resume and out is None:
        raise UsageError("--resume needs --out, the folder of the run to go on with")
    prepared = prepare_run(names, Selection(ids, categories, tags), benchmark_dir, *settings_of(called))
    if not dry_run:
        folder = out or default_folder("run", digest(prepared.plan))
        parallel = (scenario_parallel, model_parallel)
        with reporting() as callbacks:
            failed = run_plays(prepared, folder, resume=resume, parallel=parallel, callbacks=callbacks)
        say(f"run: {shown(folder)}")
        _complete(prepared, failed)
    elif out is not None:
        say(f"plan: {shown(write_run_plan(prepared, out))}")
    plan = prepared.plan
    value = {"plan": plan.model_dump(mode="json", by_alias=True)}
    emit(value, as_json=as_json, text=lambda _: _words(plan, "planned" if dry_run else "played"))


def _complete(prepared: PreparedRun, failed: tuple[Incomplete, ...]) -> None:
    """WorldError where plays are incomplete: what is done is kept, and may be resumed."""
    if failed:
        raise WorldError(
            f"{len(failed)} of {prepared.plays} plays are incomplete; the first is {failed[0].model_id} "
            f"on {failed[0].scenario_id}, turn {failed[0].turn}: {failed[0].fault}. Finished plays are "
            "kept; the same command with --resume tries the others again."
        )


def _words(plan: RunPlan, done: str) -> str:
    cost = "unknown" if plan.estimated_cost_usd is None else f"${plan.estimated_cost_usd:.2f}"
    names = ", ".join(model.model_id for model in plan.models)
    return f"{done} {len(plan.scenarios)} scenarios against {names}\n{plan.planned_calls} calls, cost {cost}"
