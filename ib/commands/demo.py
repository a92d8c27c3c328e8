"""`ib demo`: the whole chain on the reference assistants, with no key and no network."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from ib.commands.common import OutPath, benchmark_option, reporting, say, shown
from ib.commands.words import demo_table
from ib.errors import UsageError
from ib.models.base import Stage
from ib.models.leaderboard import Leaderboard
from ib.pipeline.callbacks import Callbacks
from ib.store.benchmark import benchmark_folder
from ib.store.characters import character_paths
from ib.store.files import LOCK, create_folder, only_writer
from ib.store.temporaries import is_temporary
from ib.targets.reference import PREFIX

MARK = ".ib-demo"
MADE = frozenset((MARK, LOCK, "run", "scan", "release", "site"))
"""What lies in the folder of a demonstration."""


@click.command()
@click.option(
    "--out",
    type=OutPath(),
    default=Path("demo"),
    show_default=True,
    help="The folder to make.",
)
@benchmark_option
def demo(out: Path, benchmark_dir: Path | None) -> None:
    """Run the whole chain on the reference assistants: play, judge, gate, publish, site.

    The judge is the lexical one, and everything that it makes is stage demo. No key is needed and
    nothing leaves this machine.
    """
    out = out.resolve() if out.is_symlink() else out  # a link itself cannot be cleared
    names = tuple(PREFIX + name for name in character_paths(benchmark_dir or benchmark_folder()))
    if not names:
        raise UsageError("the benchmark brings no reference assistants")
    _claim(out)
    with only_writer(out):
        _clear(out)
        with reporting() as callbacks:
            board = _make(names, out, benchmark_dir, callbacks)
    click.echo(demo_table(board))
    index = shown(out / "site" / "index.html")
    click.echo(f"\nOpen {index} in a browser, or run: ib site serve --dir {shown(out / 'site')}")


def _make(names: tuple[str, ...], out: Path, folder: Path | None, callbacks: Callbacks) -> Leaderboard:
    """Every step as a maintainer would take it; the leaderboard."""
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


def _claim(out: Path) -> None:
    """Mark a new or empty folder as a demonstration; UsageError if it holds something else."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; choose another folder with --out")
    there = sorted(path.name for path in out.iterdir()) if out.exists() else []
    if {*there} - {LOCK} and MARK not in there:
        raise UsageError(f"{out} exists and holds no demonstration; choose another folder with --out")
    foreign = next((name for name in there if not _own(name)), None)
    if foreign is not None:
        raise UsageError(
            f"{out} holds {foreign}, which no demonstration made; move it, or choose another --out"
        )
    if not out.exists():
        create_folder(out)
    (out / MARK).touch()


def _own(name: str) -> bool:
    """True if a demonstration makes a file of this name, or leaves it when it is killed."""
    return name in MADE or is_temporary(name, "release|site")


def _clear(out: Path) -> None:
    """Remove an earlier demonstration. The mark stays: a kill in between leaves what is known as one."""
    for path in out.iterdir():
        if path.name not in (MARK, LOCK):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
