"""`ib contamination`: ask a model whether it knows the words of the public draw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, reporting, say, shown
from ib.commands.options import calling_in, log_option, model_options
from ib.errors import UsageError, WorldError
from ib.models.common.canonical import digest
from ib.models.draw.contamination import ALPHA, OPTIONS, Contamination, Power
from ib.pipeline.common.callbacks import Callbacks
from ib.pipeline.common.costing import cost_words
from ib.pipeline.common.folders import default_folder
from ib.pipeline.run.contamination import RESULT, PreparedTest, prepare_test, run_test
from ib.store.files.wording import counted

LIMITS = (
    "It finds words of this draw that a model remembers. A model may have learned the story of a scenario "
    "without them, and one that is not flagged may still have seen the benchmark."
)


def planned_words(prepared: PreparedTest) -> str:
    """What is asked, what it costs, and what it can find."""
    plan = prepared.run.plan
    models = ", ".join(model.model_id for model in plan.models)
    first = f"{counted(len(prepared.items), 'question')} with {OPTIONS} options each, for {models}"
    calls = f"{plan.planned_calls:,} calls planned (at most {plan.planned_calls_max:,})"
    return "\n".join((first, calls, *map(cost_words, plan.cost), _power_words(prepared.power()), LIMITS))


def _power_words(powers: Sequence[Power]) -> str:
    told = ", ".join(f"{each.share:.0%}: {each.power:.2f}" for each in powers)
    return f"power at p <= {ALPHA}, by the share of the words that a model remembers: {told}"


def result_words(results: Sequence[Contamination]) -> str:
    """One paragraph for each model."""
    return "\n".join((*map(_result, results), LIMITS))


def _result(result: Contamination) -> str:
    verdict = "knows words of this draw" if result.flagged else "not told apart from guessing"
    lost = "" if not result.faults else f"; {counted(result.faults, 'question')} got no reply"
    unread = "" if not result.no_answer else f"; {result.no_answer} replies name no option and count as wrong"
    return (
        f"{result.model_id}: {verdict}. {result.right} of {result.asked} right, by guessing about "
        f"{result.asked / OPTIONS:.1f} (p = {result.p_value:.2g}){unread}{lost}\n"
        f"  {_power_words(result.power)}"
    )


@click.command()
@click.option("-m", "--model", "names", multiple=True, help="A model, as for ib run; repeatable.")
@click.option("--limit", type=click.IntRange(1), help="Ask only this many of the questions.")
@click.option("--out", type=OutPath(), help="The folder to create.  [default: a new one in results/]")
@click.option("--resume", is_flag=True, help="Continue the test in --out.")
@click.option("--dry-run", is_flag=True, help="Only plan: the calls, their cost, and what can be found.")
@click.option(
    "--at-once", default=1, show_default=True, type=click.IntRange(1, 1000), help="Questions at once."
)
@model_options
@log_option
@benchmark_option
@json_option
def contamination(
    names: tuple[str, ...], limit: int | None, out: Path | None, *, resume: bool, dry_run: bool, at_once: int,
    log_file: Path | None, benchmark_dir: Path | None, as_json: bool, **called: Any,
) -> None:  # fmt: skip
    """Ask a model whether it knows the words of the public draw.

    Each question shows a message of a scenario with one word left out, and eight words that were equally
    likely. Exact binomial test against chance. Example: ib contamination -m openai/gpt-4o --dry-run
    """
    if resume and out is None:
        raise UsageError("--resume needs --out, the folder of the test to continue")
    calling, how = calling_in(called), Callbacks(notice=say)
    prepared = prepare_test(names, benchmark_dir, calling, limit=limit, callbacks=how)
    if dry_run:
        plan = prepared.run.plan.model_dump(mode="json", by_alias=True)
        value = {"plan": plan, "power": [each.model_dump() for each in prepared.power()]}
        emit(value, as_json=as_json, text=lambda _: planned_words(prepared))
        return
    folder = out or default_folder("contamination", digest(prepared.run.plan))
    say(planned_words(prepared))
    with reporting(log_file) as told:
        results = run_test(prepared, folder, resume=resume, parallel=at_once, callbacks=told)
    say(f"result: {shown(folder / RESULT)}")
    emit(list(results), as_json=as_json, text=result_words)
    if any(result.faults for result in results):
        raise WorldError("some questions got no reply; run the same command with --resume to ask them again")
