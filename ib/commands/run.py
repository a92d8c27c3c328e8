"""`ib run`: play scenarios against models and write the transcripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, reporting, say, shown
from ib.commands.options import (
    calling_in,
    draw_option,
    log_option,
    model_options,
    selection_in,
    selection_options,
)
from ib.errors import UsageError, WorldError
from ib.models.common.canonical import digest
from ib.models.scan.run import Incomplete, RunPlan
from ib.pipeline.common.callbacks import Callbacks
from ib.pipeline.common.costing import cost_words
from ib.pipeline.common.folders import default_folder
from ib.pipeline.run.play import PreparedRun, prepare_run, run_plays, write_run_plan
from ib.store.benchmark.drawing import key_named
from ib.store.files.wording import counted


def run_words(plan: RunPlan, *, planned: bool) -> str:
    """The plan in a few lines: plays and calls.

    The estimated cost is part of it if the run is only `planned`: a run has said it before its first call.
    """
    names = ", ".join(model.model_id for model in plan.models)
    times = "" if plan.epochs == 1 else f" {plan.epochs} times"
    done = "planned" if planned else "played"
    first = f"{done} {counted(len(plan.scenarios), 'scenario')}{times} against {names}"
    free = "" if plan.cost else ", cost $0.00"
    calls = f"{plan.planned_calls:,} calls planned (at most {plan.planned_calls_max:,}){free}"
    return "\n".join((first, calls, *(map(cost_words, plan.cost) if planned else ())))


AT_ONCE = click.IntRange(1, 1000)
MODEL_HELP = (
    "reference/NAME, scripted:PATH, PROVIDER/MODEL[@ADDRESS], givecare/v2, an id in --config; repeatable."
)
PROMPT_HELP = "A file in place of the benchmark's system prompt; such results are compared apart."


@click.command()
@click.option("-m", "--model", "names", multiple=True, help=MODEL_HELP)
@selection_options
@click.option("--epochs", default=1, show_default=True, type=AT_ONCE,
              help="Play each scenario this many times.")  # fmt: skip
@click.option("--system-prompt", type=click.Path(path_type=Path), help=PROMPT_HELP)
@draw_option
@click.option("--out", type=OutPath(), help="The folder to create.  [default: a new one in results/]")
@click.option("--resume", is_flag=True, help="Continue the run in --out and retry failed plays.")
@click.option("--dry-run", is_flag=True, help="Only plan and estimate; write the plan if --out is given.")
@click.option("--scenario-parallel", default=1, show_default=True, type=AT_ONCE,
              help="Scenarios of one model played at once; turns stay in order.")  # fmt: skip
@click.option("--model-parallel", default=1, show_default=True, type=AT_ONCE, help="Models played at once.")
@model_options
@log_option
@benchmark_option
@json_option
def run(
    names: tuple[str, ...], out: Path | None, *, epochs: int, resume: bool, dry_run: bool,
    system_prompt: Path | None, draw: str | None, scenario_parallel: int, model_parallel: int,
    log_file: Path | None, benchmark_dir: Path | None, as_json: bool, **called: Any,
) -> None:  # fmt: skip
    """Play scenarios against models.

    The harness is llm/raw: the model gets a system prompt (the benchmark's) and then each turn of the
    scenario as written, and its raw replies are recorded. The default is every published scenario;
    an unpublished one is played only if -s names it. Try: ib run -m reference/attentive -c safety --out run
    """
    if resume and out is None:
        raise UsageError("--resume needs --out, the folder of the run to continue")
    models = (names, selection_in(called), benchmark_dir, calling_in(called))
    how = Callbacks(notice=say)
    key = key_named(draw)
    prepared = prepare_run(*models, epochs=epochs, system_prompt=system_prompt, draw=key, callbacks=how)
    if not dry_run:
        folder = out or default_folder("run", digest(prepared.plan))
        at_once = (scenario_parallel, model_parallel)
        with reporting(log_file) as told:
            failed = run_plays(prepared, folder, resume=resume, parallel=at_once, callbacks=told)
        say(f"run: {shown(folder)}")
        _complete(prepared, failed)
    elif out is not None:
        say(f"plan: {shown(write_run_plan(prepared, out))}")
    value = {"plan": prepared.plan.model_dump(mode="json", by_alias=True)}
    emit(value, as_json=as_json, text=lambda _: run_words(prepared.plan, planned=dry_run))


def _complete(prepared: PreparedRun, failed: tuple[Incomplete, ...]) -> None:
    """Raises WorldError if plays are incomplete. Finished plays are kept, and the run can be resumed."""
    if failed:
        raise WorldError(
            f"{len(failed)} of {prepared.plays} plays are incomplete; the first is {failed[0].model_id} "
            f"on {failed[0].play}, turn {failed[0].turn}: {failed[0].fault}, {failed[0].detail}. Finished "
            "plays are kept; run the same command with --resume to retry the others."
        )
