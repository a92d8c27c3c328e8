"""`ib leaderboard`: build a leaderboard from a scan, or compare a leaderboard with its scan."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.board_words import qa_words, table
from ib.commands.common import OutPath, benchmark_option, emit, json_option, say, shown
from ib.commands.options import key_option
from ib.errors import Refused
from ib.models.common.base import Stage
from ib.models.release.bytes import release_bytes
from ib.models.release.leaderboard import Leaderboard
from ib.pipeline.release.release import leaderboard_of, make_release, refuse_rejudged
from ib.pipeline.release.replay import replay_scan
from ib.store.benchmark.drawing import key_named
from ib.store.files.writing import replace
from ib.store.folders.released import SCENARIOS, load_released, rows_name
from ib.store.folders.scans import file_hash

SCAN = click.argument("scan", type=click.Path(path_type=Path))


@click.group()
def leaderboard() -> None:
    """Build the leaderboard of a scan, or check one against its scan."""


@leaderboard.command("build")
@SCAN
@click.option("--out", type=OutPath(), help="Also write leaderboard.json to this path.")
@key_option
@benchmark_option
@json_option
def build_command(
    scan: Path, out: Path | None, draw: str | None, benchmark_dir: Path | None, as_json: bool
) -> None:
    """Build the leaderboard of a finished scan, at stage `demo`, and print it."""
    refuse_rejudged(scan)
    built = leaderboard_of(replay_scan(scan, benchmark_dir, key=key_named(draw)), Stage.DEMO)
    if out is not None:
        replace(out, release_bytes(built))
        say(f"leaderboard: {shown(out)}")
    emit(built, as_json=as_json, text=table)


@leaderboard.command("check")
@SCAN
@click.option(
    "--leaderboard",
    "path",
    required=True,
    type=click.Path(path_type=Path),
    help="The leaderboard.json to check against the scan.",
)
@key_option
@benchmark_option
@json_option
def check_command(
    scan: Path, path: Path, draw: str | None, benchmark_dir: Path | None, as_json: bool
) -> None:
    """Recompute every figure of a leaderboard from the scan; exit 1 if one differs.

    The verdicts of another draw, which a gap is computed from, are taken from source/ beside the leaderboard.
    """
    refuse_rejudged(scan)
    published = load_released(Leaderboard, path)
    names = (SCENARIOS, *(rows_name(model.slug) for model in published.models))
    beside = {name: file_hash(path.parent / name) for name in names if (path.parent / name).is_file()}
    release = make_release(
        replay_scan(scan, benchmark_dir, key=key_named(draw)), published, stored_lines=beside
    )
    emit(release.qa, as_json=as_json, text=qa_words)
    if published.stage not in release.qa.granted:
        raise Refused(f"{path} does not qualify for its stage {published.stage}; the findings say why")
