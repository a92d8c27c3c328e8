"""`ib export`: a release in the forms of others."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.building import check_release, finish_publishing
from ib.commands.common import OutPath, benchmark_option, emit, json_option, shown, signers_option
from ib.errors import UsageError

INSPECT = "inspect"
FORMS = ("every-eval-ever", INSPECT, "croissant", "model-card")
LOGS = ("json", "eval")


@click.command()
@click.argument("form", type=click.Choice(FORMS))
@click.argument("release", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", required=True, type=OutPath(), help="A new folder for the files of the export.")
@click.option(
    "--log-format",
    type=click.Choice(LOGS),
    help="For inspect: JSON, or .eval, which is smaller and keeps each conversation on its own.  "
    "[default: json]",
)
@benchmark_option
@signers_option
@json_option
def export(
    form: str,
    release: Path,
    out: Path,
    log_format: str | None,
    benchmark_dir: Path | None,
    signers: Path | None,
    *,
    as_json: bool,
) -> None:
    """Export a release: figures and verdicts in a form that others read.

    every-eval-ever writes a JSON of figures and a JSONL of conversations for each model, inspect a log that
    `inspect view` opens, croissant a described table of verdicts, model-card a section in Markdown. The
    release is computed again from its source first, as `ib verify` does, and refused if it differs. A second
    export has the same bytes.
    """
    from delivery.export.registry import FORMS as KNOWN
    from delivery.export.registry import LOGS as OF_INSPECT
    from delivery.export.writing import refuse_existing, write_export

    if log_format and form != INSPECT:
        raise UsageError(f"--log-format is for the form {INSPECT}; {form} has no such choice")
    refuse_existing(out)  # before the release is computed again, which takes long
    finish_publishing(release)
    check_release(release, benchmark_dir, signers)
    made = OF_INSPECT[log_format] if log_format else KNOWN[form]
    written = write_export(made, release, out, benchmark_dir)
    told = {"out": shown(out), "files": written}
    emit(told, as_json=as_json, text=lambda _: "\n".join(f"{shown(out)}/{name}" for name in written))
