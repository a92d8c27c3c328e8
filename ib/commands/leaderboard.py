"""`ib leaderboard`: build one from a scan, or check that one says what its scan says."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, say, shown
from ib.errors import Refused
from ib.models.base import Stage
from ib.models.canonical import pretty
from ib.models.leaderboard import Leaderboard, ModelEntry
from ib.pipeline.release import make_release, qa_words, read_finished
from ib.store.benchmark import benchmark_folder, load_benchmark
from ib.store.files import replace
from ib.store.scans import load_json

SCAN = click.argument("scan", type=click.Path(path_type=Path))


@click.group()
def leaderboard() -> None:
    """Build the leaderboard of a scan, or check one that exists."""


@leaderboard.command("build")
@SCAN
@click.option("--out", type=OutPath(), help="Write leaderboard.json here.")
@benchmark_option
@json_option
def build_command(scan: Path, out: Path | None, benchmark_dir: Path | None, as_json: bool) -> None:
    """Build the leaderboard of a finished scan, at stage demo, without publishing it."""
    finished = read_finished(scan, load_benchmark(benchmark_dir), benchmark_dir or benchmark_folder())
    built = finished.board(Stage.DEMO)
    if out is not None:
        replace(out, pretty(built))
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
@benchmark_option
@json_option
def check_command(scan: Path, path: Path, benchmark_dir: Path | None, as_json: bool) -> None:
    """Recompute every figure of a leaderboard from the scan; exit 1 where one differs."""
    published = load_json(Leaderboard, path)
    finished = read_finished(scan, load_benchmark(benchmark_dir), benchmark_dir or benchmark_folder())
    release = make_release(finished, published.stage, published)
    emit(release.qa, as_json=as_json, text=qa_words)
    if published.stage not in release.qa.granted:
        raise Refused(f"{path} does not hold at stage {published.stage}")


def table(board: Leaderboard) -> str:
    """The leaderboard in words: gates first, alphabetical, every rate with its interval."""
    lines = [f"stage {board.stage}, profile {board.profile}, judge {board.judge.model}"]
    lines += [f"note: {note}" for note in board.notes]
    for model in board.models:
        lines.append(_row(model))
    return "\n".join(lines)


def _row(model: ModelEntry) -> str:
    fails, overall = model.hard_fails, model.overall
    interval = "" if fails.low is None or fails.high is None else f" [{fails.low:.3f}, {fails.high:.3f}]"
    mean = "null" if overall.mean is None else f"{overall.mean:.3f}"
    spread = (
        "" if overall.low is None or overall.high is None else f" [{overall.low:.3f}, {overall.high:.3f}]"
    )
    return (
        f"{model.model_id}: hard fails {fails.k}/{fails.n}{interval}, {fails.unclear} incomplete; "
        f"overall {mean}{spread} over {overall.n}, {overall.nulls} null"
    )
