"""`ib qa`: the release stages that a scan qualifies for. Publishes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from ib.commands.board_words import qa_words
from ib.commands.common import benchmark_option, emit, json_option, of_benchmark, say, shown
from ib.commands.options import key_option
from ib.errors import Refused
from ib.models.common.base import Stage
from ib.pipeline.release.release import Release, make_release, refusals, refuse_rejudged
from ib.pipeline.release.replay import replay_scan
from ib.store.benchmark.drawing import key_named

BY_GATE = ("gate_fails_decided_by_people", "passes_read_by_people")
"""The rules that a review of the draw for the gate settles."""
BY_CHECKS = "uncalibrated_checks"
"""The rule that a review of verdicts of each check settles."""
FOR_EACH_CHECK = 10
"""How many verdicts of each check are proposed: more than are needed, as people cannot decide all."""


@click.command()
@click.argument("scan", type=click.Path(path_type=Path))
@click.option(
    "--stage", type=click.Choice([s.value for s in Stage]), help="Exit 1 unless this stage is granted."
)
@key_option
@benchmark_option
@json_option
def qa(scan: Path, stage: str | None, draw: str | None, benchmark_dir: Path | None, as_json: bool) -> None:
    """Show which release stages a scan qualifies for, and why others are refused."""
    wanted = Stage(stage) if stage else Stage.DEMO
    refuse_rejudged(scan)
    made = make_release(replay_scan(scan, benchmark_dir, key=key_named(draw))).at(wanted)
    found = made.qa
    emit(found, as_json=as_json, text=qa_words)
    for step in _steps(scan, made, of_benchmark(benchmark_dir)):
        say(step)
    if wanted not in found.granted:
        raise Refused(f"{scan}: the gate refuses stage {wanted}", refusals(found, wanted))


def _steps(scan: Path, made: Release, benchmark: str) -> Iterator[str]:
    """The commands that lead to stage public, for a scan that people alone keep from it."""
    granted, missing = made.qa.granted, {finding.rule for finding in made.qa.findings}
    if Stage.PUBLIC in granted:
        yield f"next: ib publish {shown(scan)} --stage public{benchmark}"
    if Stage.RESEARCH not in granted or not missing & {*BY_GATE, BY_CHECKS}:
        return
    if made.leaderboard.reviews is not None:
        yield "this scan has reviews; draw from the scan that was read, and apply all files again:"
    draws = {"gate": "--for gate"} if missing & set(BY_GATE) else {}
    if BY_CHECKS in missing:
        draws["checks"] = f"--design checks --n {FOR_EACH_CHECK * len(made.leaderboard.checks)}"
    for name, how in draws.items():
        out = scan.with_name(f"{scan.name}-{name}.json")
        yield f"next, for stage public: ib review draw {shown(scan)} {how} --out {shown(out)}{benchmark}"
