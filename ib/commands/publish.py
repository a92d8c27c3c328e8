"""`ib publish`: build a release, pass the gate, replace the old release. A failed publish changes nothing."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from ib.commands.board_words import table
from ib.commands.building import check_target, finish_publishing
from ib.commands.common import OutPath, address_options, benchmark_option, emit, json_option, say, shown
from ib.commands.options import release_options
from ib.commands.publishing import confirm_replacing, publish_with_site
from ib.models.common.base import Carrying
from ib.pipeline.common.folders import RESULTS
from ib.pipeline.release.release import newest_scan, prepare_release, write_release

RELEASE = Path("data/leaderboard")


@click.command()
@click.argument("scan", required=False, type=click.Path(path_type=Path))
@release_options
@click.option("--out", type=OutPath(), default=RELEASE, show_default=True, help="The folder of the release.")
@click.option("--to", type=OutPath(), help="Also build the site of the release in this folder.")
@click.option(
    "--yes",
    is_flag=True,
    help="Replace a release without asking, also one with more models or conversations.",
)
@benchmark_option
@address_options
@json_option
def publish(
    scan: Path | None,
    stage: str | None,
    out: Path,
    to: Path | None,
    transcripts: str,
    yes: bool,
    day: date | None,
    benchmark_dir: Path | None,
    as_json: bool,
    **addresses: str | None,
) -> None:
    """Build a release, pass the gate, then replace the old release.

    SCAN is the folder of a finished scan. The default is the newest complete scan in results/ whose
    profile may be published. If the gate refuses, or the site could not be built at --to, nothing changes.
    """
    finish_publishing(out)
    folder = scan or newest_scan(RESULTS, benchmark_dir)
    if scan is None:
        say(f"publishing {shown(folder)}")
    if to is not None:
        check_target(out, to, **addresses)
    made = prepare_release(folder, stage, benchmark_dir, Carrying(transcripts), day)
    confirm_replacing(out, made.leaderboard, made.lines, yes=yes)
    if to is not None:
        publish_with_site(made, out, to, benchmark_dir, **addresses)
    else:
        write_release(made, out)
    say(f"published {shown(out)} at stage {made.stage}, with the date {made.leaderboard.released}")
    if to is None:
        say(f"next: ib site build --release {shown(out)} --out site")
    emit(made.leaderboard, as_json=as_json, text=table)
