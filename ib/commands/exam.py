"""`ib exam`: a judge is asked about built items whose right answer is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, reporting, say, shown
from ib.commands.options import calling_in, draw_option, log_option, model_options
from ib.commands.scan import saving_in, saving_options
from ib.commands.scan_words import scan_words
from ib.errors import UsageError

if TYPE_CHECKING:
    from ib.pipeline.exam.sit import Sit

JUDGE_HELP = (
    "`lexical`, a model: PROVIDER/MODEL, PROVIDER/MODEL@ADDRESS, or its id in --config; or "
    "`planted:RATE[:KIND[:SEED]]`, which errs as told, to test the exam itself."
)
SHARE = click.FloatRange(0, 1, max_open=True)


@click.group(invoke_without_command=True)
@click.option("--judge", help=JUDGE_HELP)
@click.option("--check", "checks", multiple=True, help="Ask only about this check; may be repeated.")
@click.option(
    "--items", type=click.IntRange(1, 1000),
    help="The most items of each kind and check.  [default: 100 of a gate check, 30 of any other]",
)  # fmt: skip
@click.option("--items-seed", help="Another seed, other items.  [default: exam-1]")
@draw_option
@click.option("--out", type=OutPath(), help="The folder to create.")
@click.option("--resume", is_flag=True, help="Continue the sitting in --out.")
@click.option("--dry-run", is_flag=True, help="Only build, plan and estimate; write plans if --out is given.")
@click.option(
    "--label-error", type=SHARE,
    help="The most that the share of wrong labels is taken to be; widens the bounds.  [default: by readings]",
)  # fmt: skip
@click.option("--without-hints", is_flag=True, help="Ask without what a search for phrases found.")
@saving_options
@model_options
@log_option
@benchmark_option
@json_option
@click.pass_context
def exam(
    ctx: click.Context, /, judge: str | None, out: Path | None, *, resume: bool, dry_run: bool,
    log_file: Path | None, as_json: bool, **called: Any,
) -> None:  # fmt: skip
    """Ask a judge about built items whose right answer is known.

    The report says how often the judge was right. That is not validity: people's labels are. The items are
    asked in a scan with the profile `publish`, so prompts and votes are those of a release. Example:
    ib exam --judge openai/gpt-5-mini --check IB-A1 --out results/exam-a1
    """
    if ctx.invoked_subcommand is not None:
        return
    if judge is None:
        raise UsageError("name the judge with --judge, or use `ib exam compare` or `ib exam list`")
    if out is None and not dry_run:
        raise UsageError("name the folder of the sitting with --out, or plan it with --dry-run")
    cache, batching = saving_in(called)
    sit = _sit(judge, called)
    with reporting(None if dry_run else log_file) as callbacks:
        if dry_run or out is None:
            _plan(sit, out, as_json=as_json)
            return
        from ib.pipeline.exam.sit import sit_exam
        from ib.pipeline.scan.scan import Work

        work = Work(resume=resume, callbacks=callbacks, cache=cache, batching=batching)
        report = sit_exam(sit, out, work)
    from delivery.exam.text import text

    write_page(out)
    emit(report, as_json=as_json, text=text)


def _sit(judge: str, called: dict[str, Any]) -> Sit:
    """Who sits the exam with which items, by the values of the options."""
    from ib.pipeline.exam.build import SEED, ExamOptions
    from ib.pipeline.exam.sit import Sit
    from ib.store.benchmark.drawing import key_named

    items = ExamOptions(
        checks=called.pop("checks"),
        items=called.pop("items"),
        seed=called.pop("items_seed") or SEED,
        benchmark=called.pop("benchmark_dir"),
        draw=key_named(called.pop("draw")),
    )
    label_error, without = called.pop("label_error"), called.pop("without_hints")
    calling = calling_in(called)
    return Sit(judge=judge, items=items, calling=calling, label_error=label_error, hints=not without)


def _plan(sit: Sit, out: Path | None, *, as_json: bool) -> None:
    """Print the plan of a sitting, and ask nothing."""
    from delivery.exam.text import planned
    from ib.pipeline.exam.sit import plan_exam

    built, scan = plan_exam(sit, out)
    if out is not None:
        say(f"plan: {shown(out)}")
    value = {"exam": built.plan, "scan": scan.model_dump(mode="json", exclude={"transcripts"})}
    emit(value, as_json=as_json, text=lambda _: f"{planned(built.plan)}\n\n{scan_words(scan, planned=True)}")


def write_page(out: Path) -> None:
    """Write the page of a sitting, which lists every sitting beside it."""
    from delivery.exam.page import page
    from ib.store.files.writing import replace
    from ib.store.folders.exams import PAGE, ExamFolder, sittings_in

    beside = [(one.path.name, one.report()) for one in sittings_in(out.resolve().parent)]
    replace(out / PAGE, page(ExamFolder(out).report(), beside).encode())
    say(f"page: {shown(out / PAGE)}")


@exam.command("compare")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@json_option
def compare_command(first: Path, second: Path, *, as_json: bool) -> None:
    """Put two sittings with the same items side by side: errors together, the error left, dollars.

    The error left is that of the items on which both judges agree. Example:
    ib exam compare results/exam-a results/exam-b
    """
    from delivery.exam.text import comparison
    from ib.pipeline.exam.sit import compare_exams

    emit(compare_exams(first, second), as_json=as_json, text=comparison)


@exam.command("list")
@click.argument("folder", default="results", type=click.Path(path_type=Path))
@json_option
def list_command(folder: Path, *, as_json: bool) -> None:
    """List every finished sitting in the folders of FOLDER, by default `results`. None is left out."""
    from delivery.exam.text import sittings
    from ib.store.folders.exams import sittings_in

    found = [(one.path.name, one.report()) for one in sittings_in(folder)]
    if not found:
        raise UsageError(
            f"{shown(folder)} has no finished sitting; make one with `ib exam --judge ... --out ...`"
        )
    emit(
        [{"folder": name, "report": one} for name, one in found],
        as_json=as_json,
        text=lambda _: sittings(found),
    )
