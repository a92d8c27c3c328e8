"""`ib scan`: judge transcripts and write a scan folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, reporting, say, shown
from ib.commands.model_options import calling_in, model_options
from ib.commands.part_options import part_in, part_options
from ib.commands.saving_options import saving_in, saving_options
from ib.commands.second_options import second_in, second_options
from ib.commands.words.scan import outcome_words, scan_words
from ib.errors import UsageError
from ib.pipeline.scan.judges import NONE
from ib.pipeline.scan.prepare import ScanOptions
from ib.pipeline.scan.scan import Work, plan_scan, scan_into
from ib.store.folders.scans import PLAN, SUMMARY, ScanFolder

JUDGE_HELP = (
    "`none`, `lexical` (phrases), `recorded:PATH[,PATH...]` (votes files), or a model: PROVIDER/MODEL, "
    "PROVIDER/MODEL@ADDRESS, or its id in --config."
)
PROFILE_HELP = "smoke, dev, full or publish: which checks, and how many votes."
MANY = click.IntRange(0, 1000)


@click.command()
@click.argument("transcripts", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--profile", default="smoke", show_default=True, help=PROFILE_HELP)
@click.option("--judge", default=NONE, show_default=True, help=JUDGE_HELP)
@click.option("--out", type=OutPath(), help="The folder to create.  [default: a new one in results/]")
@click.option("--resume", is_flag=True, help="Continue the scan in --out.")
@click.option("--dry-run", is_flag=True, help="Only plan and estimate; write the plan if --out is given.")
@click.option("--regard", is_flag=True, help="Also judge regard, in its four parts.")
@click.option("--rubric", "rubrics", is_flag=True, help="Also judge the scenarios' rubrics.")
@click.option("--draft", "drafts", multiple=True, help="Also judge this draft check; may be repeated.")
@click.option("--workers", default=0, type=MANY, help="Processes for a scan without a judge; 0: all cores.")
@saving_options
@second_options
@part_options
@model_options
@benchmark_option
@json_option
def scan(
    transcripts: tuple[Path, ...], out: Path | None, *, resume: bool, dry_run: bool, workers: int,
    benchmark_dir: Path | None, as_json: bool, profile: str,
    judge: str, regard: bool, rubrics: bool, drafts: tuple[str, ...], **called: Any,
) -> None:  # fmt: skip
    """Judge transcripts, check by check.

    TRANSCRIPTS are .jsonl or .jsonl.gz files with one conversation per line. Nothing is written until
    all are checked. Example: ib scan a.jsonl.gz --profile publish --judge recorded:votes --out scan
    """
    if resume and out is None:
        raise UsageError("--resume needs --out, the folder of the scan to continue")
    saving, part, second = saving_in(called), part_in(called), second_in(called)
    how = (calling_in(called), drafts, part, second)
    options = ScanOptions(profile, judge, benchmark_dir, regard, rubrics, *how)
    with reporting() as callbacks:
        work = Work(resume, workers, callbacks, *saving)
        if dry_run:
            plan = plan_scan(transcripts, options, out, callbacks)
        else:
            out, plan = scan_into(transcripts, options, out, work)
    if out is not None:
        say(f"{'plan' if dry_run else 'scan'}: {shown(out / PLAN if dry_run else out)}")
    if out is not None and not dry_run:
        say(outcome_words(ScanFolder(out)))
        say(f"next: read {shown(out / SUMMARY)}; `ib explain` shows why a verdict was reached")
    value = {"plan": plan.model_dump(mode="json", exclude={"transcripts"})}
    emit(value, as_json=as_json, text=lambda _: scan_words(plan, "planned" if dry_run else "scanned"))
