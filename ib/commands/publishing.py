"""Replace a release, and its site with it, for `ib publish`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from pathlib import Path

import click

from ib.commands.building import size_words
from ib.commands.common import say, shown
from ib.errors import Refused
from ib.models.release.held import HeldReply
from ib.pipeline.release.history import Recorded, staged
from ib.pipeline.release.release import Release
from ib.pipeline.release.replaced import held
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.together import swap_together
from ib.store.files.wording import counted

RELEASE = Path("data/leaderboard")
"""The usual folder of the newest release."""


def say_changes(one: Recorded) -> None:
    """Say what becomes of each row of the board, before anything is written."""
    for change in one.changes:
        say(f"{change.action}: {change.model_id}")
    if one.history is not None and not one.changes:
        say("no row of the board changes")


def say_held(held: Sequence[tuple[str, HeldReply]], scans: Sequence[str]) -> None:
    """Name the replies of which a release has no word, and say how to release one."""
    if not held:
        return
    for model_id, one in held:
        because = ", ".join(one.because)
        say(f"withheld: {model_id}:{one.scenario_id}:{one.turn}  {one.sha256[:12]}  {because}")
    say(
        f"{counted(len(held), 'reply is', 'replies are')} withheld until a person has read and released "
        f"{'it' if len(held) == 1 else 'them'}: ib review held {' or '.join(scans)}"
    )


def confirm_replacing(out: Path, new: Release, *, yes: bool, without: Collection[str] = ()) -> None:
    """Ask before replacing a release that somebody may want to keep. Raises Refused on "no".

    Models in `without` are withdrawn, which is no loss to ask about.
    """
    asked = held(out, new, without)
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
    one: Recorded,
    to: Path,
    benchmark_dir: Path | None,
    signers: Path | None = None,
    set_releases: Sequence[Path] = (),
    **addresses: str | None,
) -> None:
    """Write a release with its history and build its site, all beside the old ones, then replace all of them.

    If the site cannot be built, nothing is replaced.
    """
    from delivery.release.history import history_of
    from delivery.release.place import Place
    from delivery.sync_web_bench import staged_site, with_sets

    root = benchmark_dir or benchmark_folder()
    place = Place(addresses.get("site_url"), addresses.get("source_url"), signers)
    to = to.resolve() if to.is_symlink() else to
    say(f"building the site of {shown(one.out)}")
    history = None
    if one.history is not None:
        history = history_of(one.after, one.history, {one.release: one.told})
    with (
        staged(one) as pairs,
        with_sets(pairs[0][0], set_releases, to, root, place) as beside,
        staged_site(pairs[0][0], load_benchmark(root), to, root, beside, history) as (site, built),
    ):
        swap_together(*pairs, (site, to))
    say(size_words(built, to))
