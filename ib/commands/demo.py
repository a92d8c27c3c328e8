"""`ib demo`: every step of the benchmark on the reference assistants, without a key or a network."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.common import OutPath, benchmark_option, reporting, say, shown
from ib.commands.words.board import demo_table
from ib.errors import UsageError
from ib.models.base import Stage
from ib.models.leaderboard import Leaderboard
from ib.pipeline.callbacks import Callbacks
from ib.pipeline.demo import claim, clear
from ib.store.benchmark import benchmark_folder
from ib.store.characters import character_paths
from ib.store.files import only_writer
from ib.targets.reference import PREFIX
from ib.text.sets import automata_kept


@click.command()
@click.option(
    "--out",
    type=OutPath(),
    default=Path("demo"),
    show_default=True,
    help="The folder to create.",
)
@benchmark_option
def demo(out: Path, benchmark_dir: Path | None) -> None:
    """Run every step on the reference assistants: play, judge, gate, publish, site.

    The lexical judge decides, and the release has stage `demo`. No key is needed, and nothing
    leaves this machine. An earlier demonstration in the same folder is replaced.
    """
    out = out.resolve() if out.is_symlink() else out  # a link itself cannot be cleared
    names = tuple(PREFIX + name for name in character_paths(benchmark_dir or benchmark_folder()))
    if not names:
        raise UsageError("the benchmark has no reference assistants; add one to its folder reference/")
    claim(out)
    with only_writer(out):
        clear(out)
        with automata_kept(), reporting() as callbacks:
            board = _make(names, out, benchmark_dir, callbacks)
    click.echo(demo_table(board))
    index = shown(out / "site" / "index.html")
    click.echo(f"\nOpen {index} in a browser, or run: ib site serve --dir {shown(out / 'site')}")


def _make(names: tuple[str, ...], out: Path, folder: Path | None, callbacks: Callbacks) -> Leaderboard:
    """Run each step as a maintainer would; returns the leaderboard."""
    from delivery.sync_web_bench import build_site
    from ib.pipeline.release import prepare_release, write_release
    from ib.pipeline.run import play
    from ib.pipeline.scan import scan

    played = play(names, out=out / "run", benchmark=folder, callbacks=callbacks)
    say(f"played {played.plays} conversations: {shown(played.folder)}")
    scanned = scan(
        [played.transcripts], profile="publish", judge="lexical", out=out / "scan", benchmark=folder,
        callbacks=callbacks,
    )  # fmt: skip
    say(f"judged them: {shown(scanned.path)}")
    made = prepare_release(scanned.path, Stage.DEMO, folder)
    write_release(made, out / "release")
    say(f"passed the gate at stage {made.stage}: {shown(out / 'release')}")
    built = build_site(out / "release", out=out / "site", benchmark=folder)
    say(f"built {built.pages} pages: {shown(out / 'site')}")
    return made.leaderboard
