"""`ib submit`: conversations that somebody else played, looked at before maintainers judge them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, say, shown
from ib.commands.options import draw_option
from ib.errors import Refused

if TYPE_CHECKING:
    from ib.models.report.submission import JudgingPrice, SubmissionReport

MOST = 60
"""The most reasons that are printed; --json has them all."""


@click.group()
def submit() -> None:
    """Check conversations that somebody played, before maintainers judge them."""


@submit.command("check")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--judge", metavar="PROVIDER/MODEL", help="Estimate with the prices of this judge; it is not called."
)
@click.option("--out", type=OutPath(), help="Also write the report into this file, as JSON.")
@draw_option
@benchmark_option
@json_option
def check_command(
    folder: Path, judge: str | None, out: Path | None, draw: str | None, benchmark_dir: Path | None,
    *, as_json: bool,
) -> None:  # fmt: skip
    """Say if the conversations of FOLDER can be judged, with every reason against it, and the price.

    FOLDER holds submission.yaml or submission.json (docs/submit.md), transcripts.jsonl or files named
    NAME.transcripts.jsonl, each also as .gz, and perhaps incomplete.jsonl, the plays that ended with a fault.
    Each conversation is played again with its replies, branch by branch, and compared. Nothing is judged, and
    no key is needed: only maintainers judge. Exit code 1 if the answer is no, 3 if a file cannot be read.
    """
    from ib.models.common.canonical import pretty
    from ib.pipeline.submit.check import check_submission
    from ib.store.benchmark.drawing import key_named
    from ib.store.files.wording import counted
    from ib.store.files.writing import replace

    report = check_submission(folder, benchmark_dir, judge, key_named(draw))
    if out is not None:
        replace(out, pretty(report))
        say(f"report: {shown(out)}")
    emit(report, as_json=as_json, text=lambda one: "\n".join(_words(one)))
    if not report.can_be_judged:
        reasons = counted(len(report.reasons), "reason")
        raise Refused(f"{shown(folder)} cannot be judged: {reasons}, listed above")


def _words(report: SubmissionReport) -> Iterator[str]:
    """The report in lines; a reason that several conversations share is one line."""
    from ib.store.files.wording import counted

    manifest = report.manifest
    days = {str(manifest.played_from): None, str(manifest.played_to): None}
    who = manifest.submitter
    yield f"{manifest.named}, played {' to '.join(days)} ({manifest.how_played}), submitted by {who.name}"
    yield f"conflict of interest, as stated: {manifest.conflict_of_interest}"
    yield (
        f"{report.complete:,} of {report.scenarios:,} scenarios and safe twins of {', '.join(manifest.sets)} "
        f"are complete ({manifest.repetitions} each); {report.conversations:,} conversations, "
        f"{report.faults:,} recorded faults, {report.truncated:,} replies cut off"
    )
    yield from (f"differs: {one}" for one in report.differs)
    yield from (f"not compared: {one}" for one in report.not_compared)
    alike = Counter((one.kind, one.key, one.found, one.allowed) for one in report.reasons)
    first = {(one.kind, one.key, one.found, one.allowed): one for one in reversed(report.reasons)}
    for told, times in [*alike.items()][:MOST]:
        more = f" (and the same in {counted(times - 1, 'more line')})" if times > 1 else ""
        yield f"no: {first[told]}{more}"
    if len(alike) > MOST:
        yield f"and {counted(len(alike) - MOST, 'more reason')}; --json lists all"
    yield from _price(report.price)
    yield "can be judged; only maintainers judge" if report.can_be_judged else "cannot be judged"


def _price(price: JudgingPrice | None) -> Iterator[str]:
    """What judging would take, in lines."""
    from ib.pipeline.common.costing import cost_words

    if price is None:
        return
    yield (
        f"judging {price.conversations:,} conversations takes {price.planned_calls:,} calls at least (about "
        f"{price.planned_calls_expected:,}, at most {price.planned_calls_max:,})"
        + ("" if price.judge else "; --judge PROVIDER/MODEL estimates dollars")
    )
    yield from map(cost_words, price.cost)
