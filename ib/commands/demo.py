"""`ib demo`: the whole chain on the transcripts that come with the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from ib.commands.common import benchmark_option, say, shown
from ib.errors import UsageError
from ib.store.benchmark import benchmark_folder

MARK = ".ib-demo"


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
    """Run the whole chain on the transcripts that come with the package.

    Scan, leaderboard, gate and site, all at stage demo: two scripted characters, and no judge.
    """
    from ib.commands.publish import publish
    from ib.commands.scan import scan
    from ib.commands.site import site

    files = sorted(((benchmark_dir or benchmark_folder()) / "demo").glob("*.transcripts.jsonl"))
    if not files:
        raise UsageError("the benchmark brings no demonstration transcripts")
    _clear(out)
    context.invoke(
        scan, transcripts=tuple(files), profile="smoke", judge_name="none", out=out / "scan",
        resume=False, dry_run=False, concurrency=1, benchmark_dir=benchmark_dir, as_json=False,
    )  # fmt: skip
    context.invoke(
        publish, scan=out / "scan", stage="demo", out=out / "release", yes=True,
        benchmark_dir=benchmark_dir, as_json=False,
    )  # fmt: skip
    build = site.get_command(context, "build")
    assert build is not None
    context.invoke(
        build, release=out / "release", out=out / "site", benchmark_dir=benchmark_dir, as_json=False
    )
    index = out / "site" / "index.html"
    say(f"open {shown(index)}, or run: ib site serve --dir {shown(out / 'site')}")


def _clear(out: Path) -> None:
    """Make way for a new demonstration; a folder that is none is left alone."""
    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise UsageError(f"{out} exists and holds no demonstration; choose another folder with --out")
    if out.exists():
        shutil.rmtree(out)
    out.mkdir(parents=True)
    (out / MARK).touch()
