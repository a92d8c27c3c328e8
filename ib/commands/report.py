"""`ib report`: what a scan found, gravest first, and the gate for builds."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from ib.commands.common import (
    Command,
    LogsPath,
    OutPath,
    benchmark_option,
    json_option,
    of_benchmark,
    say,
    shown,
)
from ib.commands.terminal import plain, plain_json
from ib.errors import UsageError
from ib.models.report.threshold import Outcome

NAMES = ("text", "html", "md", "json", "csv", "parquet", "junit")
SUMMARY_FILE = "GITHUB_STEP_SUMMARY"
FAIL_ON_HELP = (
    'Exit with 1 if this is true, such as "safety>0", "IB-A1>=1", "found:any>0" or "compliance.rate>0.02"; '
    "may be repeated. Exits with 3 if it is about something that was not asked."
)


def fail_on_option(command: Command) -> Command:
    """The option of the gate for builds."""
    return click.option("--fail-on", multiple=True, metavar="EXPR", help=FAIL_ON_HELP)(command)


def say_outcomes(outcomes: Sequence[Outcome]) -> None:
    """Say what each threshold that held came to: the others are in the error."""
    for one in outcomes:
        if not one.tripped and not one.not_asked:
            say(one.said)


@click.command()
@click.argument("scan", type=LogsPath())
@click.option(
    "--format", "name", type=click.Choice(NAMES), default="text", show_default=True,
    help="How the report is written. html is one file for a browser, md fits the summary of a build.",
)  # fmt: skip
@click.option("--out", type=OutPath(), help="The file to write.  [default: stdout]")
@click.option("--by", metavar="KEY", help="Also group the conversations by this metadata key.")
@click.option("--show-user", is_flag=True, help="Show what persons said in logs, too.")
@click.option(
    "--false-alarms", multiple=True, metavar="[CHECK=]SHARE",
    help="Of a sampled scan: an upper bound of the share of false alarms of the judge; a rate that is "
    "not above it is not measurable. May be repeated.  [default: from labels of the check, else "
    "not known]",
)  # fmt: skip
@click.option("--github-summary", is_flag=True, help="Also append the report to the summary of a GitHub job.")
@fail_on_option
@benchmark_option
@json_option
def report(
    scan: Path, name: str, out: Path | None, by: str | None, *, show_user: bool, github_summary: bool,
    false_alarms: tuple[str, ...], fail_on: tuple[str, ...], benchmark_dir: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Report what a scan found: failures with their words, what was not asked, rates.

    A job of an engine is reported by its counts. A report of logs shows what the assistant said, and what
    persons said only with --show-user. Example:
    ib report scan --format html --out report.html --fail-on "safety>0"
    """
    from delivery.report.formats import BINARY, FORMATS
    from ib.batch.finished import counts_of, gate_of_job, is_job
    from ib.batch.places import place_at
    from ib.board.evidence.leaks import secrets_of
    from ib.pipeline.report.report import hold, report_of
    from ib.store.files.writing import replace

    assert set(NAMES) == set(FORMATS)
    name = "json" if as_json else name
    if name in BINARY and out is None:
        raise UsageError(f"--format {name} needs --out, because a terminal cannot show it")
    summary = summary_file() if github_summary else None
    place = place_at(scan)
    if is_job(place):
        if by is not None or show_user:
            raise UsageError("a job of an engine is reported by its counts; omit --by and --show-user")
        data, short = counts_of(place, name), counts_of(place, "md")
        outcomes = gate_of_job(place, fail_on, benchmark_dir)
    else:
        made, outcomes = report_of(
            scan, by=by, show_user=show_user, fail_on=fail_on, secrets=secrets_of(os.environ),
            false_alarms=dict(map(false_alarm, false_alarms)), benchmark=benchmark_dir,
        )  # fmt: skip
        data, short = FORMATS[name](made, outcomes), FORMATS["md"](made, outcomes)
    if out is None:
        print_data(data, as_json=name == "json")
    else:
        replace(out, data)
        say(f"report: {shown(out)}")
    if summary is not None:
        append(summary, short)
    say_outcomes(outcomes)
    hold(outcomes, scan)


def false_alarm(text: str) -> tuple[str, float]:
    """`CHECK=SHARE`, or `SHARE` for any check. Raises UsageError for any other form."""
    check, _, share = text.rpartition("=")
    try:
        bound = float(share)
    except ValueError:
        bound = -1.0
    if not 0 <= bound <= 1:
        raise UsageError(f"--false-alarms {text!r}: give CHECK=SHARE or SHARE, such as IB-A1=0.02 or 0.02")
    return check or "any", bound


def print_data(data: bytes, *, as_json: bool) -> None:
    """Print a report to stdout, without control characters and without keys."""
    said = data.decode()
    sys.stdout.buffer.write((plain_json(said) if as_json else plain(said)).encode())
    sys.stdout.buffer.flush()


def summary_file() -> Path:
    """The file that GitHub shows as the summary of a job. Raises UsageError if this is no job of GitHub."""
    named = os.environ.get(SUMMARY_FILE)
    if not named:
        raise UsageError(f"--github-summary needs {SUMMARY_FILE}, which GitHub sets in the steps of a job")
    return Path(named)


def append(summary: Path, data: bytes) -> None:
    """Append to the summary, which steps before may have begun."""
    from ib.store.files.writing import disk

    with disk(summary), summary.open("ab") as file:
        file.write(data)


def after_scan(scan: Path, summary: Path, benchmark: Path | None) -> str:
    """What to do with a finished scan."""
    told, again = shown(scan), of_benchmark(benchmark)
    return (
        f"next: read {shown(summary)}; `ib report {told}{again}` says what failed, "
        f"`ib qa {told}{again}` what may be published"
    )
