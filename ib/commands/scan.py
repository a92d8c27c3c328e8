"""`ib scan`: judge transcripts and write a scan folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from ib.commands.common import (
    Command,
    LogsPath,
    OutPlace,
    benchmark_option,
    emit,
    json_option,
    reporting,
    say,
    shown,
)
from ib.commands.engine_work import EngineWork, run_engine
from ib.commands.engines import engine_in, engine_options, refuse_addresses
from ib.commands.options import (
    calling_in,
    draw_option,
    log_option,
    model_options,
    part_in,
    part_options,
    redact_in,
    redact_options,
)
from ib.commands.report import after_scan, fail_on_option, say_outcomes
from ib.commands.scan_words import outcome_words, scan_words
from ib.commands.sentinels import sentinel_options, sentinels_in
from ib.errors import DataError, UsageError
from ib.models.scan.part import HINTS, Sampling
from ib.pipeline.scan.batching import Batching
from ib.pipeline.scan.judges import NONE
from ib.pipeline.scan.prepare import ScanOptions
from ib.pipeline.scan.scan import Work, plan_scan, scan_into
from ib.pipeline.scan.second import SHARE, SecondOptions
from ib.store.benchmark.drawing import key_named
from ib.store.files.validation import findings_of
from ib.store.folders.cache import cache_path
from ib.store.folders.scans import PLAN, SUMMARY, ScanFolder

CACHE_HELP = "The file with a model's answers to earlier scans.  [default: IB_CACHE, or in the cache folder]"
HOURS = click.FloatRange(0, min_open=True)

SAVING = (
    click.option("--cache", type=click.Path(path_type=Path), help=CACHE_HELP),
    click.option("--no-cache", is_flag=True, help="Ask a model again what an earlier scan has asked it."),
    click.option("--batch", is_flag=True, help="Ask a model in batches, at half the price; takes hours."),
    click.option("--batch-detach", is_flag=True, help="Submit a batch and end; fetch with --resume."),
    click.option(
        "--batch-deadline", type=HOURS, default=24.0, show_default=True,
        help="Hours after which a batch is cancelled and its rest is asked at once.",
    ),
)  # fmt: skip


def saving_options(command: Command) -> Command:
    """Add the options to a command, which gets them by their names."""
    for option in reversed(SAVING):
        command = option(command)
    return command


def saving_in(called: dict[str, Any]) -> tuple[Path | None, Batching | None]:
    """Take the cache and the batching out of the values of the options."""
    cache, no_cache, batch = called.pop("cache"), called.pop("no_cache"), called.pop("batch")
    hours, leave = called.pop("batch_deadline"), called.pop("batch_detach")
    if leave and not batch:
        raise UsageError("--batch-detach needs --batch")
    return None if no_cache else cache_path(cache or True), Batching(hours, leave) if batch else None


SECOND = (
    click.option(
        "--second-judge",
        help="A judge of another family, which answers a sample of the questions and all gate FAILs again.",
    ),
    click.option(
        "--second-share",
        type=click.FloatRange(0, 1),
        help=f"The share of the questions in the sample.  [default: {SHARE}]",
    ),
)


def second_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(SECOND):
        command = option(command)
    return command


def second_in(called: dict[str, Any]) -> SecondOptions | None:
    """Take the second judge out of the values of the options; None if there is none."""
    judge, share = called.pop("second_judge"), called.pop("second_share")
    if judge is None:
        if share is not None:
            raise UsageError("--second-share needs --second-judge")
        return None
    return SecondOptions(judge, SHARE if share is None else share)


SAMPLING = (
    click.option(
        "--sample", type=click.IntRange(1), metavar="N",
        help="Judge N conversations of logs, drawn with known probabilities; phrases are looked for in all.",
    ),
    click.option("--sample-seed", metavar="S", help="Another seed draws other conversations.  [default: 1]"),
    click.option(
        "--strata", multiple=True, metavar="hints|meta.KEY",
        help="What strata are made of; may be repeated. `hints` draws more where a phrase was found.  "
        "[default: hints]",
    ),
)  # fmt: skip


def sampling_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(SAMPLING):
        command = option(command)
    return command


def sampling_in(called: dict[str, Any]) -> Sampling | None:
    """Take the sample out of the values of the options, with --cluster; None if there is none."""
    n, seed, strata = called.pop("sample"), called.pop("sample_seed"), called.pop("strata")
    if n is None:
        for name, value in {"--sample-seed": seed, "--strata": strata}.items():
            if value:
                raise UsageError(f"{name} needs --sample")
        return None
    if called["engine"] is not None:
        raise UsageError("--engine judges all conversations; omit --sample, or --engine")
    told = {"n": n, "seed": seed or "1", "strata": strata or (HINTS,), "cluster": called.pop("cluster")}
    called["cluster"] = None
    try:
        return Sampling.model_validate(told)
    except ValidationError as error:
        raise DataError(findings_of(error, Sampling, "command line")) from error


JUDGE_HELP = (
    "`none`, `lexical` (phrases), `scripts` (reference assistants only), `recorded:PATH[,PATH...]` "
    "(votes files), or a model: PROVIDER/MODEL, PROVIDER/MODEL@ADDRESS, or its id in --config."
)
PROFILE_HELP = "smoke, dev, full or publish: which checks, and how many votes."
MANY = click.IntRange(0, 1000)


@click.command()
@click.argument("transcripts", nargs=-1, required=True, type=LogsPath())
@click.option("--profile", default="smoke", show_default=True, help=PROFILE_HELP)
@click.option("--judge", default=NONE, show_default=True, help=JUDGE_HELP)
@click.option("--out", type=OutPlace(), help="The folder to create.  [default: a new one in results/]")
@click.option("--resume", is_flag=True, help="Continue the scan in --out.")
@click.option("--dry-run", is_flag=True, help="Only plan and estimate; write the plan if --out is given.")
@click.option("--regard", is_flag=True, help="Also judge regard, in its four parts.")
@click.option("--rubric", "rubrics", is_flag=True, help="Also judge the scenarios' rubrics.")
@draw_option
@click.option("--draft", "drafts", multiple=True, help="Also judge this draft check; may be repeated.")
@click.option("--workers", default=0, type=MANY, help="Processes for a scan without a judge; 0: all cores.")
@engine_options
@sampling_options
@saving_options
@second_options
@sentinel_options
@part_options
@redact_options
@model_options
@log_option
@fail_on_option
@benchmark_option
@json_option
def scan(
    transcripts: tuple[Path, ...], out: Path | None, *, resume: bool, dry_run: bool, workers: int,
    log_file: Path | None, benchmark_dir: Path | None, as_json: bool, profile: str,
    judge: str, draw: str | None, regard: bool, rubrics: bool, drafts: tuple[str, ...],
    fail_on: tuple[str, ...], **called: Any,
) -> None:  # fmt: skip
    """Judge transcripts, check by check.

    TRANSCRIPTS are .jsonl, .jsonl.gz or .parquet files with one conversation per line or row. Nothing is
    written until all are checked. Example: ib scan a.jsonl.gz --profile publish --judge lexical --out scan
    """
    sampling = sampling_in(called)
    engine = engine_in(called)
    if engine is None:
        refuse_addresses(*transcripts, out)
    if resume and out is None:
        raise UsageError("--resume needs --out, the folder of the scan to continue")
    _check_thresholds(fail_on, benchmark_dir, dry_run=dry_run, is_sample=sampling is not None)
    cache, batching = saving_in(called)
    sentinels = sentinels_in(called, profile, judge, benchmark_dir)
    options = ScanOptions(
        profile=profile, judge=judge, benchmark=benchmark_dir, regard=regard, rubrics=rubrics, drafts=drafts,
        part=part_in(called), second=second_in(called), redact=redact_in(called), draw=key_named(draw),
        calling=calling_in(called), sampling=sampling, sentinels=sentinels,
    )  # fmt: skip
    with reporting(None if dry_run else log_file) as callbacks:
        work = Work(resume=resume, workers=workers, callbacks=callbacks, cache=cache, batching=batching)
        if engine is not None:
            how = EngineWork(work=work, dry_run=dry_run)
            run_engine(engine, transcripts, out, options, {"--fail-on": fail_on}, how)
            return
        if dry_run:
            plan = plan_scan(transcripts, options, out, callbacks)
        else:
            out, plan = scan_into(transcripts, options, out, work)
    if out is not None:
        say(f"{'plan' if dry_run else 'scan'}: {shown(out / PLAN if dry_run else out)}")
    if out is not None and not dry_run:
        say(outcome_words(ScanFolder(out)))
        say(after_scan(out, out / SUMMARY, benchmark_dir))
    value = {"plan": plan.model_dump(mode="json", exclude={"transcripts"})}
    emit(value, as_json=as_json, text=lambda _: scan_words(plan, planned=dry_run))
    if out is not None and fail_on:
        _hold(out, fail_on, benchmark_dir)


def _check_thresholds(
    fail_on: tuple[str, ...], benchmark: Path | None, *, dry_run: bool, is_sample: bool
) -> None:
    """Raises UsageError for an expression that is no threshold of such a scan, before anything is asked."""
    if not fail_on:
        return
    from ib.board.report.thresholds import refuse_rates, thresholds
    from ib.store.benchmark.loading import load_benchmark

    if dry_run:
        raise UsageError("--fail-on compares results, and --dry-run makes none; omit one of them")
    listed = thresholds(fail_on, load_benchmark(benchmark, drafts=None).checks)
    if is_sample:
        refuse_rates(listed)


def _hold(out: Path, fail_on: tuple[str, ...], benchmark: Path | None) -> None:
    """Compare the finished scan with the thresholds of the gate for builds."""
    from ib.pipeline.report.report import gate_of, hold

    outcomes = gate_of(ScanFolder(out), fail_on, benchmark)
    say_outcomes(outcomes)
    hold(outcomes, out)
