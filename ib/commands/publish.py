"""`ib publish`: stage, gate, then replace. A release that fails leaves every public byte as it was."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, say, shown
from ib.commands.leaderboard import table
from ib.errors import DataError, Refused, UsageError
from ib.models.base import STAGE_ORDER, Stage
from ib.models.leaderboard import Leaderboard, Qa
from ib.pipeline.release import LEADERBOARD, QA, highest, make_release, read_finished, refusals
from ib.store.benchmark import benchmark_folder, load_benchmark
from ib.store.files import foreign_file, replace, staging, swap_folder
from ib.store.scans import ScanFolder, load_json

RESULTS = Path("results")
RELEASE = Path("data/leaderboard")


@click.command()
@click.argument("scan", required=False, type=click.Path(path_type=Path))
@click.option(
    "--stage",
    type=click.Choice([s.value for s in Stage]),
    help="The stage to publish at.  [default: the highest granted]",
)
@click.option(
    "--out",
    type=OutPath(),
    default=RELEASE,
    show_default=True,
    help="The folder of the release.",
)
@click.option("--yes", is_flag=True, help="Replace a release of the same or a higher stage without asking.")
@benchmark_option
@json_option
def publish(
    scan: Path | None,
    stage: str | None,
    out: Path,
    yes: bool,
    benchmark_dir: Path | None,
    as_json: bool,
) -> None:
    """Stage a release, pass the gate, then put it in place.

    SCAN is the folder of a finished scan; by default the newest complete one of a profile that
    may be published, under results/.
    """
    out = out.resolve() if out.is_symlink() else out
    benchmark = load_benchmark(benchmark_dir)
    may_publish = {name for name, p in benchmark.scoring.profiles.items() if p.may_publish}
    folder = scan or newest_scan(RESULTS, may_publish)
    if scan is None:
        say(f"publishing {shown(folder)}")
    finished = read_finished(folder, benchmark, benchmark_dir or benchmark_folder())
    wanted = Stage(stage) if stage else highest(make_release(finished, Stage.DEMO).qa.granted)
    release = make_release(finished, wanted or Stage.DEMO)
    if wanted is None or wanted not in release.qa.granted:
        refused = wanted or Stage.DEMO
        message = f"the gate refuses stage {refused}; nothing was published"
        raise Refused(message, refusals(release.qa, refused))
    _confirm(out, wanted, yes=yes)
    with staging(out) as staged:
        for name, data in release.files.items():
            replace(staged / name, data)
        swap_folder(staged, out)
    say(f"published {shown(out)} at stage {wanted}")
    say(f"next: ib site build --release {shown(out)} --out site")
    emit(release.leaderboard, as_json=as_json, text=table)


def newest_scan(root: Path, profiles: set[str]) -> Path:
    """The newest complete scan under a folder whose profile may be published."""
    found: list[tuple[str, Path]] = []
    for folder in sorted(root.glob("*")) if root.is_dir() else []:
        try:
            manifest = ScanFolder(folder).manifest()
        except DataError:
            continue
        if manifest.profile in profiles:
            found.append((manifest.finished, folder))
    if not found:
        raise UsageError(f"{root}/ holds no complete scan that may be published; name a scan")
    return max(found)[1]


def _confirm(out: Path, stage: Stage, *, yes: bool) -> None:
    """Ask before a release of the same or a higher stage is replaced."""
    path = out / LEADERBOARD
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; choose a folder")
    foreign = _foreign(out)
    if foreign is not None:
        raise UsageError(f"{out} holds {foreign}, which is of no release; move it, or choose another folder")
    if not path.exists() or yes:
        return
    there = load_json(Leaderboard, path).stage
    if STAGE_ORDER.index(there) < STAGE_ORDER.index(stage):
        return
    if not sys.stdin.isatty():
        raise Refused(f"{out} holds a release of stage {there}; pass --yes to replace it")
    if not click.confirm(f"{out} holds a release of stage {there}. Replace it?", err=True):
        raise Refused("nothing was published")


def _foreign(out: Path) -> str | None:
    """The first file of a folder that its release does not hold: all that lies there goes with it."""
    try:
        own = {QA, *load_json(Qa, out / QA).released}
    except DataError:
        own = set()
    return foreign_file(out, own)
