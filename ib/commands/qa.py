"""`ib qa`: what the gate says of a scan, stage by stage, without publishing anything."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.common import benchmark_option, emit, json_option
from ib.errors import Refused
from ib.models.base import Stage
from ib.pipeline.release import make_release, qa_words, read_finished, refusals
from ib.store.benchmark import benchmark_folder, load_benchmark


@click.command()
@click.argument("scan", type=click.Path(path_type=Path))
@click.option("--stage", type=click.Choice([s.value for s in Stage]), help="Exit 1 unless this is granted.")
@benchmark_option
@json_option
def qa(scan: Path, stage: str | None, benchmark_dir: Path | None, as_json: bool) -> None:
    """Say which stages the gate would grant a scan, and why not the others."""
    finished = read_finished(scan, load_benchmark(benchmark_dir), benchmark_dir or benchmark_folder())
    wanted = Stage(stage) if stage else Stage.DEMO
    release = make_release(finished, wanted)
    emit(release.qa, as_json=as_json, text=qa_words)
    if wanted not in release.qa.granted:
        raise Refused(f"stage {wanted} is refused", refusals(release.qa, wanted))
