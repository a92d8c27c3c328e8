"""Parts of `ib review`: disputes, and batches that go to Label Studio and come back."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from ib.commands.common import OutPath, benchmark_option, of_benchmark, say, shown
from ib.errors import UsageError
from ib.models.common.canonical import pretty
from ib.models.common.reader import ReaderRole


def say_next(batch: Path, scan: Path, also: str, benchmark: str) -> None:
    """What to do with a batch: read it, and apply the answers to the scan, with the files `also`."""
    say(f"next: ib review page {shown(batch)} --out {shown(batch.with_suffix('.html'))}{benchmark}")
    new = shown(scan.with_name(f"{scan.name}-read"))
    given = f"{shown(scan)} FILE...{also} --out {new}{benchmark}"
    say(f"then, with the files of all readers: ib review apply {given}")


@click.command("export")
@click.argument("batch", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=OutPath(), help="The folder to write.")
@benchmark_option
def export_command(batch: Path, out: Path, benchmark_dir: Path | None) -> None:
    """Write a batch for Label Studio, in place of the page: tasks.json to import, and labeling.xml.

    The tasks are as blind as the page. Give every reader an account of their own, show no reader the answers
    of another, and export as JSON (not JSON-MIN).
    """
    from delivery.pages.review import crisis_lines
    from ib.pipeline.review.label_studio import labeling, tasks_of
    from ib.store.benchmark.loading import load_benchmark
    from ib.store.files.writing import replace
    from ib.store.folders.reviews import load_batch

    tasks = tasks_of(load_batch(batch))
    lines = crisis_lines(load_benchmark(benchmark_dir))
    out.mkdir(parents=True, exist_ok=True)
    replace(out / "tasks.json", pretty(tasks))
    replace(out / "labeling.xml", labeling(lines).encode())
    config = shown(out / "labeling.xml")
    say(f"{len(tasks)} tasks: {shown(out / 'tasks.json')}; labeling configuration: {config}")
    answers = f"--batch {shown(batch)} --reader NAME --role ROLE --language en --out ANSWERS.json"
    say(f"next, for each reader: ib review import EXPORT.json {answers}")


@click.command("import")
@click.argument("export", type=click.Path(path_type=Path))
@click.option("--batch", required=True, type=click.Path(path_type=Path), help="The batch of the tasks.")
@click.option("--reader", required=True, help="What the reader is called in public; not the real name.")
@click.option(
    "--role", required=True, type=click.Choice([role.value for role in ReaderRole]), help="Who reads."
)
@click.option("--language", required=True, help="The language that the reader speaks best, such as en.")
@click.option("--annotator", help="The number or e-mail address in Label Studio, if the export has several.")
@click.option("--date", "day", help="The day of the export.  [default: today, in UTC]")
@click.option("--out", required=True, type=OutPath(), help="The answers file to write.")
def import_command(
    export: Path,
    batch: Path,
    reader: str,
    role: str,
    language: str,
    annotator: str | None,
    day: str | None,
    out: Path,
) -> None:
    """Make the answers file of one reader from a JSON export of Label Studio."""
    from pydantic import ValidationError

    from ib.models.scan.decided import Reader
    from ib.pipeline.review.label_studio import answers_of
    from ib.store.files.clock import today
    from ib.store.files.writing import replace
    from ib.store.folders.reviews import load_batch

    try:
        who = Reader(pseudonym=reader, role=ReaderRole(role), language=language)
        read_on = today() if day is None else date.fromisoformat(day)
    except (ValidationError, ValueError) as error:
        raise UsageError(f"--reader, --language or --date: {str(error).splitlines()[0]}") from error
    answers = answers_of(export, load_batch(batch), who, read_on, annotator)
    replace(out, pretty(answers))
    say(f"answers: {shown(out)}, {len(answers.answers)} items; apply them as files of the page")


@click.command("dispute")
@click.argument("permalink")
@click.option("--scan", required=True, type=click.Path(path_type=Path), help="The scan of the release.")
@click.option("--why", required=True, help="Why the verdict is disputed. Published with the outcome.")
@click.option(
    "--release",
    type=click.Path(path_type=Path),
    help="The release that the address is of.  [default: data/leaderboard, or data/releases/ID for /r/ID/]",
)
@click.option("--check", "check_id", help="The check, for the address of a transcript.")
@click.option(
    "--about",
    type=click.Choice(["verdict", "rule"]),
    default="verdict",
    show_default=True,
    help="verdict: people read it. rule: the check is disputed; says how to judge all models again.",
)
@click.option("--out", type=OutPath(), default=Path("dispute.json"), show_default=True, help="The batch.")
@benchmark_option
def dispute_command(
    permalink: str,
    scan: Path,
    why: str,
    release: Path | None,
    check_id: str | None,
    about: str,
    out: Path,
    benchmark_dir: Path | None,
) -> None:
    """Take up a dispute about a published verdict.

    PERMALINK is the address of the verdict on the site, or its path: models/MODEL/CHECK/#CASE. The batch has
    the verdict among others of the same check, for people to read blind. A second file, OUT with `-claim` in
    its name, says what is disputed: it is not for readers, and `ib review apply` takes it with the answers.
    """
    from ib.pipeline.review.dispute import again, dispute_batch, find_verdict, release_of
    from ib.store.files.writing import replace

    found = find_verdict(permalink, release or release_of(permalink), check_id)
    benchmark = of_benchmark(benchmark_dir)
    if about == "rule":
        say(f"if the rule of {found.key[3]} is wrong: change its file, `ib lint`, and judge all models again")
        say(f"next: ib scan {again(scan)}{benchmark} --out {shown(scan.with_name(f'{scan.name}-again'))}")
        say("questions that did not change are answered from the cache; the release then names the cause")
        return
    made, dispute = dispute_batch(permalink, why, scan, found, benchmark_dir)
    claim = out.with_name(f"{out.stem}-claim{out.suffix}")
    replace(out, pretty(made.batch))
    replace(claim, pretty(dispute))
    say(f"batch: {shown(out)}, {len(made.batch.items)} items; claim, not for readers: {shown(claim)}")
    say_next(out, scan, f" {shown(claim)}", benchmark)
