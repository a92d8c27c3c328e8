"""`ib publish`: build a release, pass the gate, replace the old release. A failed publish changes nothing."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from ib.commands.board_words import table
from ib.commands.building import check_target, finish_publishing
from ib.commands.common import (
    OutPath,
    address_options,
    benchmark_option,
    emit,
    json_option,
    say,
    shown,
    signers_option,
)
from ib.commands.options import key_option
from ib.commands.publishing import RELEASE, confirm_replacing, publish_with_site, say_changes, say_held
from ib.commands.release_options import history_options, release_options, set_releases_option
from ib.errors import UsageError
from ib.models.common.base import Carrying
from ib.pipeline.release.gap import Draws
from ib.pipeline.release.history import Why, write_recorded
from ib.pipeline.release.publish import Wanted, planned_release, scans_of
from ib.store.benchmark.drawing import key_named


@click.command()
@click.argument("scan", required=False, type=click.Path(path_type=Path))
@release_options
@click.option("--out", type=OutPath(), default=RELEASE, show_default=True, help="The folder of the release.")
@click.option("--to", type=OutPath(), help="Also build the site of the release in this folder.")
@set_releases_option
@history_options
@click.option(
    "--yes",
    is_flag=True,
    help="Replace a release without asking, also one with more conversations.",
)
@click.option(
    "--sign",
    "key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Sign the release with this key of ssh (ssh-keygen -Y sign). The path is written nowhere.",
)
@key_option
@click.option(
    "--gap",
    type=click.Path(path_type=Path),
    help="A finished scan of a private draw: each model gets its gap between the two draws.",
)
@click.option(
    "--exam",
    "exams",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A finished sitting of the exam for judges, which the release shows; may be repeated.",
)
@benchmark_option
@address_options
@signers_option
@json_option
def publish(
    scan: Path | None, stage: str | None, out: Path, to: Path | None, transcripts: str,
    add: tuple[Path, ...], withdraw: tuple[str, ...], reason: str | None, releases: Path | None,
    *, yes: bool, day: date | None, key: Path | None, draw: str | None, gap: Path | None,
    exams: tuple[Path, ...], set_releases: tuple[Path, ...], benchmark_dir: Path | None, signers: Path | None,
    as_json: bool, **addresses: str | None,
) -> None:  # fmt: skip
    """Build a release, pass the gate, then replace the old release.

    SCAN is the folder of a finished scan. The default is the newest complete scan in results/ whose
    profile may be published; with --add or --withdraw, the scans of the newest release. If the gate refuses,
    or the site could not be built at --to, nothing changes. A release of stage research or public also gets a
    folder of its own and its lines in the ledger, and loses no model without --withdraw and --reason.

    Of a private draw, a release has verdicts, figures and hashes, and no word of a conversation.
    """
    if set_releases and to is None:
        raise UsageError("--set-release is for a site; give its folder with --to")
    finish_publishing(out)
    why = Why(withdraw, reason)
    given = scans_of(scan, add, why, out, releases, benchmark_dir)
    if scan is None:
        say(f"publishing {', '.join(shown(one.path) for one in given)}")
    if to is not None:
        check_target(out, to, **addresses)
    draws = Draws(key_named(draw), gap, exams)
    wanted = Wanted(stage, benchmark_dir, Carrying(transcripts), day, key, draws)
    made, one = planned_release(given, out, wanted, why, releases)
    say_changes(one)
    say_held(made.held, [shown(scan.path) for scan in given])
    confirm_replacing(out, made, yes=yes, without=withdraw)
    if to is not None:
        publish_with_site(one, to, benchmark_dir, signers, set_releases, **addresses)
    else:
        write_recorded(one)
    say("signed" if key is not None else "unsigned; --sign KEY signs a release")
    say(f"published {shown(out)} at stage {made.stage}, with the date {made.leaderboard.released}")
    if to is None:
        say(f"next: ib site build --release {shown(out)} --out site")
    emit(made.leaderboard, as_json=as_json, text=table)
