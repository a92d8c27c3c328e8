"""`ib calibrate`: the verdicts of a scan beside labels, and the edit that its checks may get."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, say, shown

if TYPE_CHECKING:
    from ib.pipeline.calibrate.calibrate import Compared


@click.command()
@click.argument("scan", type=click.Path(path_type=Path))
@click.argument("labels", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--annotator",
    "specs",
    multiple=True,
    metavar="KEY=ROLE[:NAME][:blind]",
    help="Who an annotator is, for each in own files and exports. KEY is the name there: `annotator` of a "
    "line, else the name of the file without .jsonl; in an export, the number or address. ROLE is clinician, "
    "caregiver, researcher, other or language_model. NAME is shown in place of KEY. Add :blind for an "
    "annotator who saw neither model, nor verdict, nor other labels.",
)
@click.option("--batch", type=click.Path(path_type=Path), help="The batch of an export of Label Studio.")
@click.option("--check", "only", multiple=True, help="Only this check; repeatable.  [default: all]")
@click.option("--out", type=OutPath(), help="The file for the proposed edit of the benchmark, as a patch.")
@benchmark_option
@json_option
def calibrate(
    scan: Path,
    labels: tuple[Path, ...],
    specs: tuple[str, ...],
    batch: Path | None,
    only: tuple[str, ...],
    out: Path | None,
    benchmark_dir: Path | None,
    as_json: bool,
) -> None:
    """Compare the verdicts of a scan with labels, and propose what its checks say of it.

    LABELS are files of labels, one line each (docs/calibration.md), answers files of the review page, and
    JSON exports of Label Studio. Any judge may have scanned; without one, hits of lexicons are compared. The
    report has the agreement of annotators with each other, of the judge with their consensus, and on the
    turns that fail. With --out, a patch is written that puts the figures into `calibration` of each check.
    It is not applied: read it, then apply it in the folder of the benchmark, and `ib lint` counts it again.
    """
    from ib.pipeline.calibrate.calibrate import calibrate as compare
    from ib.pipeline.calibrate.labels import annotators
    from ib.pipeline.calibrate.proposed import patch
    from ib.store.files.writing import replace

    compared = compare(scan, labels, annotators(specs), batch=batch, only=only, benchmark=benchmark_dir)
    for name in compared.unanswered:
        say(f"{name}: labeled, and the scan has no verdict on any labeled conversation")
    if out is not None:
        replace(out, patch(compared).encode())
        say(f"proposed edit of {len(compared.checks)} checks: {shown(out)}; nothing was changed")
        say(f"next: read it; then patch -p1 -d {shown(compared.root)} < {shown(out)}, and ib lint")
    emit(_data(compared), as_json=as_json, text=lambda _: _words(compared))


def _data(compared: Compared) -> dict[str, Any]:
    """The report as data."""
    measured = {name: told.measured for name, told in compared.checks.items() if told.measured is not None}
    return {
        "checks": {
            name: {"status": one.status, "lacks": one.lacks, **one.model_dump(mode="json")}
            for name, one in measured.items()
        },
        "all": compared.every,
        "unanswered": compared.unanswered,
    }


def _words(compared: Compared) -> str:
    """The report as text."""
    from ib.board.calibration.sentences import UNCLEAR_IS, figures_words

    lines: list[str] = []
    for name, told in compared.checks.items():
        if (one := told.measured) is not None:
            lines += [f"{name}: {told.status}", *figures_words(one.figures, one.annotators)]
            lines += [f"  for `validated` it lacks: {lack}" for lack in one.lacks]
    if len(compared.checks) > 1:
        lines += ["all checks together", *figures_words(compared.every, compared.annotators)]
    return "\n".join([*lines, "", UNCLEAR_IS])
