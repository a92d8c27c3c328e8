"""`ib compare`: two versions of one bot, and whether the second is worse."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ib.commands.common import OutPath, benchmark_option, json_option, say, shown
from ib.commands.options import key_option
from ib.commands.report import append, print_data, summary_file

NAMES = ("text", "md", "json")


@click.command()
@click.argument("first", type=click.Path(path_type=Path), metavar="SCAN_A")
@click.argument("second", type=click.Path(path_type=Path), metavar="SCAN_B")
@click.option(
    "--format", "name", type=click.Choice(NAMES), default="text", show_default=True, help="How it is written."
)
@click.option("--out", type=OutPath(), help="The file to write.  [default: stdout]")
@click.option("--first", "first_model", help="The model of the first scan, if it has several.")
@click.option("--second", "second_model", help="The model of the second scan, if it has several.")
@click.option("--show-user", is_flag=True, help="Show what persons said in logs, too.")
@click.option("--github-summary", is_flag=True, help="Also append it to the summary of a GitHub job.")
@click.option(
    "--fail-on", type=click.Choice(("worse",)),
    help="Exit with 1 if a gate check is worse in the second scan: exact McNemar, Holm at .05.",
)  # fmt: skip
@key_option
@benchmark_option
@json_option
def compare(
    first: Path, second: Path, name: str, out: Path | None, first_model: str | None, second_model: str | None,
    *, show_user: bool, github_summary: bool, fail_on: str | None, draw: str | None,
    benchmark_dir: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Compare two scans of two versions of one bot: what got worse, with the words.

    Both scans need the same profile, judge and checks. Conversations are paired by the id of the log or the
    scenario. Gate checks are tested; the rest is listed. Example: ib compare before after --fail-on worse

    Scans of the benchmark may also differ in judge, checks or scenarios, or have several models. Then each
    figure that moved is listed with its cause, and each verdict that flipped, as in `ib releases diff`.
    """
    from delivery.report.compared import compared_markdown, compared_text
    from delivery.report.moved import moved_markdown, moved_text
    from ib.board.evidence.leaks import secrets_of
    from ib.models.common.canonical import pretty
    from ib.pipeline.release.diff import diff_scans, differ_in_more_than_one_model
    from ib.pipeline.report.compare import compare_scans, not_worse
    from ib.store.benchmark.drawing import key_named

    name = "json" if as_json else name
    summary = summary_file() if github_summary else None
    if first_model is second_model is fail_on is None and differ_in_more_than_one_model(first, second):
        diff = diff_scans(first, second, benchmark_dir, key_named(draw))
        forms = {"text": lambda: moved_text(diff).encode() + b"\n", "json": lambda: pretty(diff)}
        markdown = moved_markdown(diff).encode()
        _write(forms.get(name, lambda: markdown)(), out, summary, markdown, as_json=name == "json")
        return
    found = compare_scans(
        first, second, models=(first_model, second_model), show_user=show_user,
        secrets=secrets_of(os.environ), benchmark=benchmark_dir,
    )  # fmt: skip
    write = {"text": lambda: compared_text(found).encode() + b"\n", "json": lambda: pretty(found)}
    markdown = compared_markdown(found).encode()
    _write(write.get(name, lambda: markdown)(), out, summary, markdown, as_json=name == "json")
    if fail_on is not None:
        not_worse(found)


def _write(data: bytes, out: Path | None, summary: Path | None, markdown: bytes, *, as_json: bool) -> None:
    """Print a comparison or write it into a file, and append it to the summary of a build."""
    from ib.store.files.writing import replace

    if out is None:
        print_data(data, as_json=as_json)
    else:
        replace(out, data)
        say(f"comparison: {shown(out)}")
    if summary is not None:
        append(summary, markdown)
