"""`ib rejudge`: the conversations of a release, asked about again; what drifted, check by check."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, reporting, say, shown
from ib.commands.options import calling_in, log_option, model_options
from ib.commands.scan import SAVING, saving_in
from ib.commands.scan_words import scan_words
from ib.errors import Refused, UsageError
from ib.store.files.wording import counted

if TYPE_CHECKING:
    from ib.models.report.rejudged import Drift, Rejudged
    from ib.models.scan.plan import ScanPlan
    from ib.pipeline.release.rejudge import Again

JUDGE_HELP = "The judge that is asked, named as in `ib scan`: that of the release, or another."
BATCHING = SAVING[2:]
"""The options of batches. There is no cache: an earlier answer would hide that the judge has changed."""
SURE = 0.05


def _batch_options(command: Any) -> Any:
    for option in reversed(BATCHING):
        command = option(command)
    return command


@click.command()
@click.argument("release", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--judge", required=True, help=JUDGE_HELP)
@click.option("--check", "checks", multiple=True, help="Ask only this check; may be repeated.")
@click.option("--out", type=OutPath(), help="The folder to create, with the scan and rejudged.json.")
@click.option("--resume", is_flag=True, help="Continue in --out.")
@click.option("--dry-run", is_flag=True, help="Only plan and estimate; write the plan if --out is given.")
@click.option("--yes", is_flag=True, help="Ask the judge without a question about the price.")
@_batch_options
@model_options
@log_option
@benchmark_option
@json_option
def rejudge(
    release: Path, judge: str, checks: tuple[str, ...], out: Path | None, *, resume: bool, dry_run: bool,
    yes: bool, log_file: Path | None, benchmark_dir: Path | None, as_json: bool, **called: Any,
) -> None:  # fmt: skip
    """Ask a judge again about the conversations of a release, and show what drifted.

    The questions are those of the release, with the benchmark that it carries; the cache is not used. Each
    check gets its PASSes that are FAILs now, its FAILs that are PASSes, agreement, and the difference of
    failures with an interval by scenario family. Refusals and faults are counted, and are never verdicts.
    --benchmark only says which questions have changed since. Nothing is released: `ib publish` refuses the
    folder. Example: ib rejudge data/leaderboard --judge openai/gpt-4.1-2025-04-14 --out results/again
    """
    from ib.pipeline.release.rejudge import Again, plan_again
    from ib.pipeline.release.rejudge import rejudge as ask
    from ib.pipeline.scan.scan import Work

    if out is None and not dry_run:
        raise UsageError("name the folder with --out, or plan with --dry-run")
    _, batching = saving_in({**called, "cache": None, "no_cache": True})
    for name in ("batch", "batch_detach", "batch_deadline"):
        called.pop(name)
    again = Again(
        release=release, judge=judge, checks=checks, calling=calling_in(called), installed=benchmark_dir
    )
    with reporting(None if dry_run else log_file, often=True) as callbacks:
        callbacks.step("reading the release and planning the questions")
        work = Work(resume=resume, callbacks=callbacks, batching=batching)
        if dry_run or out is None:
            plan = plan_again(again, out, work)
            value = {"plan": plan.model_dump(mode="json", exclude={"transcripts"})}
            emit(value, as_json=as_json, text=lambda _: scan_words(plan, planned=True))
            return
        if not resume:
            _agree(again, yes=yes)
        report = ask(again, out, work)
    say(f"report: {shown(out / 'rejudged.json')}")
    emit(report, as_json=as_json, text=lambda one: "\n".join(_words(one)))
    if not report.all_checks.answered.n:
        raise Refused(f"{shown(out)}: no case is answered both times, so that drift is not known")


def _agree(again: Again, *, yes: bool) -> None:
    """Show the price of what may cost something, and ask. Raises Refused on "no"."""
    from ib.pipeline.release.rejudge import plan_again
    from ib.pipeline.scan.scan import USUAL

    if yes:
        return
    plan: ScanPlan = plan_again(again, None, USUAL)
    if plan.estimated_cost_usd == 0:
        return
    say(scan_words(plan, planned=True))
    if not sys.stdin.isatty():
        raise Refused("asking may cost what is said above; pass --yes to ask")
    if not click.confirm("Ask the judge?", err=True):
        raise Refused("nothing was asked")


def _words(report: Rejudged) -> Iterator[str]:
    """The report in lines."""
    same = "the same judge" if report.same_judge else "another judge"
    yield (
        f"{report.release} ({report.stage}, {report.released}), judged by {report.judge_before.model}, asked "
        f"again of {report.judge_now.model} ({same}): {report.conversations:,} conversations"
    )
    left = [f"{count:,} withheld ({reason})" for reason, count in report.withheld.items()]
    left += [f"{report.twins:,} plays of safe twins"] if report.twins else []
    if left:
        yield f"not asked about: {', '.join(left)}"
    units = ", ".join(f"{count:,} {state}" for state, count in report.units.items() if count)
    yield f"questions: {units}; refused in the release: {report.refused_replies_before:,}"
    yield from (f"differs: {one}" for one in report.differs)
    if report.changed:
        named = ", ".join(f"{one.check_id} ({one.how})" for one in report.changed)
        yield f"older questions, changed in this benchmark since the release: {named}"
    every = "all checks" if len(report.checks) > 1 else "the check"
    yield f"{every}: {_drift(report.all_checks)}"
    moved = [one for one in report.checks if one.answered.only_first or one.answered.only_second]
    for one in sorted(moved, key=lambda one: -abs(one.answered.difference or 0)):
        yield f"{one.check_id}{' (gate)' if one.gate else ''}: {_drift(one)}"
    if not report.all_checks.answered.n:
        return
    drifted = [one.check_id for one in report.checks if one.answered.adjusted < SURE]
    answered = sum(one.answered.n > 0 for one in report.checks)
    quiet = answered - len(moved)
    yield f"no verdict turned on {quiet:,} of {counted(answered, 'check')} with answers both times"
    yield (
        f"drift at .05, after Holm: {', '.join(drifted)}"
        if drifted
        else "no check drifted at .05, after Holm"
    )
    yield "this is no release, and changes none"


def _drift(one: Drift) -> str:
    """The drift of a check, or of all, in one line."""
    told = one.answered
    words = (
        f"{told.n:,} answered both times, PASS to FAIL {told.only_first:,}, FAIL to PASS {told.only_second:,}"
    )
    if told.difference is not None and told.low is not None and told.high is not None:
        agreed = one.agreement
        words += (
            f"; agreement {_share(agreed.share)} ({_share(agreed.low)} to {_share(agreed.high)}); failures "
            f"{_points(told.difference)} points ({_points(told.low)} to {_points(told.high)}), "
            f"p {told.adjusted:.3f}, {counted(told.n_families, 'family', 'families')}"
        )
    counts = {
        "undecided in the release": one.undecided_before,
        "undecided now": one.undecided_now,
        "undecided both times": one.undecided_both,
        "refused now": one.refused_now,
        "on an older wording in the release": one.older_questions,
    }
    return "; ".join([words, *(f"{name} {count:,}" for name, count in counts.items() if count)])


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.0f}%"


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"
