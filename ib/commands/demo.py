"""`ib demo`: every step of the benchmark on the reference assistants, without a key or a network."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from ib.commands.board_words import demo_table
from ib.commands.common import OutPath, benchmark_option, own_name, reporting, say, shown
from ib.commands.exam import write_page
from ib.commands.release_options import day_option
from ib.errors import UsageError
from ib.models.common.base import Stage
from ib.models.release.leaderboard import Leaderboard
from ib.pipeline.common.select import Selection
from ib.pipeline.start.demo import (
    DemoStage,
    assistants,
    chosen_for_demo,
    claim,
    clear,
    set_names,
    stage_of,
)
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.writing import only_writer
from ib.text.sets import automata_kept

SCENARIO_HELP = "Play this scenario; may be repeated.  [default: all; with --live, one of each category]"


@click.command()
@click.option("--out", type=OutPath(), help="The folder to create.  [default: demo; with --live, demo-live]")
@click.option("--live", is_flag=True, help="Call the assistants and the judge over HTTP on this machine.")
@click.option("-s", "--scenario", "ids", multiple=True, help=SCENARIO_HELP)
@click.option("--all", "every", is_flag=True, help="Play every published scenario, also with --live.")
@click.option("--sets", "with_sets", is_flag=True, help="Also play the sets; the site has a board of each.")
@day_option
@benchmark_option
def demo(
    out: Path | None,
    benchmark_dir: Path | None,
    *,
    live: bool,
    ids: tuple[str, ...],
    every: bool,
    with_sets: bool,
    day: date | None,
) -> None:
    """Run every step on the reference assistants: play, judge, gate, publish, site.

    The judge knows what the scripts of the assistants declare about their own words, and the
    release has stage `demo`. No key is needed, and nothing leaves this machine. An earlier
    demonstration in the same folder is replaced.

    With --live, a server on this machine stands in for a provider, with a fault now and then, and
    every reply and verdict takes the way of a paid one. 1,000 calls take about 15 seconds. A judge with
    planted errors sits `ib exam` on a few items, which the page Judges of the site shows.

    With --sets, the scenarios beside the core are played and released too, each set by itself, and the
    boards of the sets stand below sets/ of the site.
    """
    if ids and every:
        raise UsageError("-s and --all exclude each other")
    if with_sets and (ids or live):
        raise UsageError("--sets plays whole sets, without a server; leave -s and --live away")
    sets = set_names(benchmark_dir) if with_sets else ()
    out = out or Path("demo-live" if live else "demo")  # the small one does not replace the whole one
    out = out.resolve() if out.is_symlink() else out  # a link itself cannot be cleared
    names = assistants(benchmark_dir)
    chosen = chosen_for_demo(benchmark_dir, ids, few=live and not every)
    claim(out)
    with only_writer(out):
        clear(out)
        with (
            automata_kept(),
            reporting(often=True) as callbacks,
            stage_of(benchmark_dir, callbacks, live=live) as stage,
        ):
            of_sets = [_release_of_set(stage, names, name, out / "sets" / name, day) for name in sets]
            board = _make(stage, names, chosen, out, day, of_sets)
    click.echo(demo_table(board))
    index = shown(out / "site" / "index.html")
    click.echo(f"\nOpen {index} in a browser, or run: {own_name()} site serve --dir {shown(out / 'site')}")


def _release_of_set(stage: DemoStage, names: tuple[str, ...], name: str, out: Path, day: date | None) -> Path:
    """Play, judge and release a set in a folder of its own; returns the folder of the release."""
    from ib.pipeline.release.release import prepare_release, write_release

    stage.callbacks.step(f"playing and judging the set {name}")
    played = stage.play(names, Selection(sets=(name,)), out / "run")
    scanned = stage.scan(played.transcripts, out / "scan")
    stage.callbacks.step(f"computing the set {name} again for the gate")
    write_release(prepare_release(scanned.path, Stage.DEMO, stage.benchmark, day=day), out / "release")
    say(f"played and judged {played.plays} conversations of the set {name}: {shown(out / 'release')}")
    return out / "release"


def _make(
    stage: DemoStage,
    names: tuple[str, ...],
    chosen: Selection,
    out: Path,
    day: date | None,
    of_sets: list[Path],
) -> Leaderboard:
    """Run each step as a maintainer would, and name it; returns the leaderboard."""
    from delivery.release.place import NOWHERE
    from delivery.sync_web_bench import build, with_sets
    from ib.pipeline.release.gap import Draws
    from ib.pipeline.release.release import prepare_release, write_release

    stage.callbacks.step("preparing the plays")
    played = stage.play(names, chosen, out / "run")
    say(f"played {played.plays} conversations: {shown(played.folder)}")
    stage.callbacks.step("planning the questions")
    scanned = stage.scan(played.transcripts, out / "scan")
    say(f"judged them{stage.calls}: {shown(scanned.path)}")
    stage.callbacks.step("preparing the exam")
    sat = stage.exam(out / "exam")
    beside = Draws(exams=() if sat is None else (out / "exam",))
    stage.callbacks.step("computing everything again for the gate")
    made = prepare_release(scanned.path, Stage.DEMO, stage.benchmark, day=day, draws=beside)
    write_release(made, out / "release")
    say(f"passed the gate at stage {made.stage}: {shown(out / 'release')}")
    root = stage.benchmark or benchmark_folder()
    stage.callbacks.step("building the site")
    with with_sets(out / "release", of_sets, out / "site", root, NOWHERE) as place:
        built = build(out / "release", load_benchmark(root), out / "site", root, place)
    say(f"built {built.pages} pages: {shown(out / 'site')}")
    if sat is not None:
        write_page(out / "exam")
        say(f"the sitting is on the page {shown(out / 'site' / 'judges' / 'index.html')}")
    return made.leaderboard
