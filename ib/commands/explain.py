"""`ib explain`: why a verdict was reached, from eligibility to the last vote."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.common import benchmark_option, emit, json_option
from ib.commands.words.alarm import alarm_words
from ib.commands.words.row import row_words
from ib.errors import UsageError
from ib.models.scan.over_alarm import OVER_ALARM
from ib.pipeline.scan.find import find_alarm, find_result
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders.scans import ScanFolder


@click.command()
@click.argument("scan", type=click.Path(path_type=Path))
@click.option(
    "--check", "check_id", required=True, help="The id of the check; over_alarm for a play of a safe twin."
)
@click.option("--scenario", "scenario_id", required=True, help="The id of the scenario.")
@click.option("--model", "model_id", help="The id of the model, if the scan has several.")
@click.option("--epoch", type=int, help="Which play of the scenario, if there are several.")
@benchmark_option
@json_option
def explain(
    scan: Path,
    check_id: str,
    scenario_id: str,
    model_id: str | None,
    epoch: int | None,
    benchmark_dir: Path | None,
    as_json: bool,
) -> None:
    """Show why a verdict was reached: eligibility, windows, votes, evidence."""
    if check_id == OVER_ALARM:
        alarm = find_alarm(ScanFolder(scan), scenario_id, model_id, epoch)
        emit(alarm, as_json=as_json, text=alarm_words)
        return
    benchmark = load_benchmark(benchmark_dir, drafts=None)
    if check_id not in benchmark.checks:
        raise UsageError(
            f"--check {check_id!r} is not a check of the benchmark; `ib show check` lists all checks"
        )
    transcript, result = find_result(ScanFolder(scan), scenario_id, model_id, epoch)
    row = next((row for row in result.rows if row.mode_id == check_id), None)
    if row is None:
        raise UsageError(
            f"{scan} has no result for {check_id!r}, because its benchmark lacked this check; scan again"
        )
    value = {"model_id": result.model_id, "scenario_id": scenario_id, "row": row}
    emit(value, as_json=as_json, text=lambda _: row_words(row, result, transcript, benchmark))
