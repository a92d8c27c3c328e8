"""`ib show`: print a check, a scenario, or the results of a model in a release."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.common import benchmark_option, emit, json_option
from ib.commands.show_prompt import show_prompt
from ib.commands.show_scenario import show_scenario
from ib.commands.words.board import table
from ib.commands.words.check import check_line, check_words
from ib.commands.words.model import model_words
from ib.errors import UsageError
from ib.models.release.leaderboard import Leaderboard
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders.released import LEADERBOARD, load_released

release_option = click.option(
    "--release",
    type=click.Path(path_type=Path),
    default=Path("data/leaderboard"),
    show_default=True,
    help="The folder of a release.",
)


@click.group()
def show() -> None:
    """Show a check, a scenario, a model or the questions to a judge."""


@show.command("check")
@click.argument("check_id", required=False)
@benchmark_option
@json_option
def show_check(check_id: str | None, benchmark_dir: Path | None, as_json: bool) -> None:
    """Show a check. Without CHECK_ID, list all checks."""
    checks = load_benchmark(benchmark_dir, drafts=None).checks
    if check_id is None:
        rows = [{"id": c.id, "name": c.name, "severity": c.severity, "gate": c.gate} for c in checks.values()]
        emit(rows, as_json=as_json, text=lambda _: "\n".join(check_line(c) for c in checks.values()))
        return
    if check_id not in checks:
        raise UsageError(f"unknown check {check_id!r}; `ib show check` lists all checks")
    emit(checks[check_id], as_json=as_json, text=check_words)


@show.command("model")
@click.argument("model_id", required=False)
@release_option
@json_option
def show_model(model_id: str | None, release: Path, as_json: bool) -> None:
    """Show the results of a model in a release. Without MODEL_ID, show the leaderboard."""
    board = load_released(Leaderboard, release / LEADERBOARD)
    if model_id is None:
        emit(board, as_json=as_json, text=table)
        return
    entry = next((m for m in board.models if m.model_id == model_id), None)
    if entry is None:
        known = ", ".join(m.model_id for m in board.models)
        raise UsageError(f"{release} has no model {model_id!r}; its models are {known}")
    emit(entry, as_json=as_json, text=model_words)


show.add_command(show_scenario)
show.add_command(show_prompt)
