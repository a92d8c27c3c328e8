"""`ib demo`: the whole chain on the reference assistants, with no key and no network."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from ib.commands.common import OutPath, benchmark_option, say, shown
from ib.errors import UsageError
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
@click.pass_context
def demo(context: click.Context, out: Path, benchmark_dir: Path | None) -> None:
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
        _make(context, names, out, benchmark_dir)
    index = out / "site" / "index.html"
    say(f"open {shown(index)}, or run: ib site serve --dir {shown(out / 'site')}")


def _make(context: click.Context, names: tuple[str, ...], out: Path, benchmark_dir: Path | None) -> None:
    """Every step with the command that a maintainer would use."""
    from ib.commands.publish import publish
    from ib.commands.run import run
    from ib.commands.scan import scan
    from ib.commands.site import site

    shared = {"benchmark_dir": benchmark_dir, "as_json": False}
    context.invoke(
        run, names=names, ids=(), categories=(), tags=(), out=out / "run", resume=False, dry_run=False,
        scenario_parallel=1, model_parallel=1, **shared,
    )  # fmt: skip
    context.invoke(
        scan, transcripts=(out / "run" / "transcripts.jsonl",), profile="publish", judge="lexical",
        out=out / "scan", resume=False, dry_run=False, regard=False, rubrics=False, concurrency=1,
        **shared,
    )  # fmt: skip
    context.invoke(publish, scan=out / "scan", stage="demo", out=out / "release", yes=True, **shared)
    build = site.get_command(context, "build")
    assert build is not None
    context.invoke(build, release=out / "release", out=out / "site", **shared)


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
