"""`ib verify`: compute a release again from what it was made from, and name each difference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from ib.commands.common import benchmark_option, emit, json_option, say, shown, signers_option
from ib.commands.options import key_option
from ib.errors import Refused
from ib.models.release.verified import Verified
from ib.store.files.wording import counted

MOST = 60
"""The most differences that are printed; --json has them all."""


@click.command()
@click.argument("release", type=click.Path(exists=True, file_okay=False, path_type=Path))
@signers_option
@key_option
@click.option(
    "--scan",
    "scans",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A scan that the release, or its gap, was made of: it is computed again, too. May be repeated.",
)
@benchmark_option
@json_option
def verify(
    release: Path, signers: Path | None, draw: str | None, scans: tuple[Path, ...],
    benchmark_dir: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Compute a release again from what it was made from, and name each difference.

    RELEASE is a folder with leaderboard.json, qa.json and source/. Every verdict, quote, rate, interval,
    finding, comparison and rule of the gate is computed from the conversations and replies that the release
    carries, with the benchmark that it carries. Exit code 1 if anything differs. The scan is not needed.

    Of a private draw, a release has verdicts without words. With --draw, the words of each scenario are
    computed from the key; with --scan, everything is. What is not proven is listed.

    If there is a ledger of releases, the release and every release before it are compared with it. The
    benchmark of --benchmark is only compared with that of the release, and scans are computed with it.
    """
    from delivery.release.history import check_ledger
    from ib.pipeline.release.opened import Opened
    from ib.pipeline.release.verify import verify_release
    from ib.store.benchmark.drawing import key_named

    found = verify_release(release, benchmark_dir, signers, Opened(key_named(draw), scans))
    emit(found, as_json=as_json, text=lambda one: "\n".join(words(one)))
    compared = check_ledger(release) if found.holds else None
    if compared is not None:
        say(f"{shown(release)}: {compared}")
    if not found.holds:
        bad = f"; {found.signature.words}" if found.signature.state == "bad" else ""
        raise Refused(f"{shown(release)}: {counted(len(found.differences), 'difference')}{bad}")


def words(found: Verified) -> Iterator[str]:
    """The result in lines."""
    what = "computed again from its source" if found.computed else "compared with its hashes alone"
    yield f"{found.release}: stage {found.stage}, {found.released}, {what}"
    for one in found.differences[:MOST]:
        yield f"  {one.words}"
    if len(found.differences) > MOST:
        yield f"  and {len(found.differences) - MOST:,} more; --json lists all"
    if not found.differences and found.computed:
        yield "every verdict, quote, figure, finding and stage follows from the source"
    for sentence in found.unproven:
        yield f"not proven: {sentence}"
    if found.benchmark:
        yield "the release was judged by another benchmark than that of this installation:"
        yield from (f"  {line}" for line in found.benchmark[:MOST])
    yield found.signature.words
