"""`ib qa`: the release stages that a scan qualifies for. Publishes nothing."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.board_words import qa_words
from ib.commands.common import benchmark_option, emit, json_option
from ib.errors import Refused
from ib.models.common.base import Stage
from ib.pipeline.release.release import make_release, refusals
from ib.pipeline.release.replay import replay_scan


@click.command()
@click.argument("scan", type=click.Path(path_type=Path))
@click.option(
    "--stage", type=click.Choice([s.value for s in Stage]), help="Exit 1 unless this stage is granted."
)
@benchmark_option
@json_option
def qa(scan: Path, stage: str | None, benchmark_dir: Path | None, as_json: bool) -> None:
    """Show which release stages a scan qualifies for, and why others are refused."""
    wanted = Stage(stage) if stage else Stage.DEMO
    found = make_release(replay_scan(scan, benchmark_dir)).at(wanted).qa
    emit(found, as_json=as_json, text=qa_words)
    if wanted not in found.granted:
        raise Refused(f"{scan}: the gate refuses stage {wanted}", refusals(found, wanted))
