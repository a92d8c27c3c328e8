"""`ib demo`: the whole chain on the reference assistants, with no key and no network."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from ib.commands.common import benchmark_option, say, shown
from ib.errors import UsageError
from ib.store.benchmark import benchmark_folder
from ib.store.characters import character_paths
from ib.store.files import create_folder
from ib.targets.reference import PREFIX

MARK = ".ib-demo"
MADE = frozenset((MARK, "run", "scan", "release", "site"))
"""What lies in the folder of a demonstration."""


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
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
        scan, transcripts=(out / "run" / "transcripts.jsonl",), profile="publish", judge_name="lexical",
        out=out / "scan", resume=False, dry_run=False, ask_regard=False, ask_rubrics=False, concurrency=1,
        **shared,
    )  # fmt: skip
    context.invoke(publish, scan=out / "scan", stage="demo", out=out / "release", yes=True, **shared)
    build = site.get_command(context, "build")
    assert build is not None
    context.invoke(build, release=out / "release", out=out / "site", **shared)


def _clear(out: Path) -> None:
    """Make way for a new demonstration; a folder that is none is left alone."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; choose another folder with --out")
    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise UsageError(f"{out} exists and holds no demonstration; choose another folder with --out")
    foreign = next((path.name for path in sorted(out.glob("*")) if path.name not in MADE), None)
    if foreign is not None:
        raise UsageError(
            f"{out} holds {foreign}, which no demonstration made; move it, or choose another --out"
        )
    if out.exists():
        shutil.rmtree(out)
    create_folder(out)
    (out / MARK).touch()
