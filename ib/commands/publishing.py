"""Replace a release, and its site with it, for `ib publish`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import click

from ib.commands.building import size_words
from ib.commands.common import say, shown
from ib.errors import Refused
from ib.models.release.leaderboard import Leaderboard
from ib.pipeline.release.release import Release, staged_release
from ib.pipeline.release.replaced import held
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.lines import Lines
from ib.store.files.together import swap_together


def confirm_replacing(
    out: Path, new: Leaderboard, lines: Mapping[str, Lines] = MappingProxyType({}), *, yes: bool
) -> None:
    """Ask before replacing a release that somebody may want to keep. Raises Refused on "no"."""
    asked = held(out, new, lines)
    if asked is None:
        return
    sentence, gone = asked
    if not yes and not sys.stdin.isatty():
        raise Refused(f"{sentence}; pass --yes to replace it", gone)
    for line in gone:
        say(f"lost with the release that is replaced: {line}")
    if not yes and not click.confirm(f"{sentence}. Replace it?", err=True):
        raise Refused(f"{out} was not replaced; nothing was published")


def publish_with_site(
    made: Release, out: Path, to: Path, benchmark_dir: Path | None, **addresses: str | None
) -> None:
    """Write a release and build its site, both beside the old ones, then replace both together.

    If the site cannot be built, neither is replaced.
    """
    from delivery.release.place import Place
    from delivery.sync_web_bench import staged_site

    root = benchmark_dir or benchmark_folder()
    place = Place(addresses.get("site_url"), addresses.get("source_url"))
    to = to.resolve() if to.is_symlink() else to
    say(f"building the site of {shown(out)}")
    with (
        staged_release(made, out) as release,
        staged_site(release[0], load_benchmark(root), to, root, place) as (site, built),
    ):
        swap_together(release, (site, to))
    say(size_words(built, to))
