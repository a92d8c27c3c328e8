"""`ib show`: a check or a scenario as it is written, and what a release says of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ib.commands.common import benchmark_option, emit, json_option
from ib.commands.words import table
from ib.errors import UsageError
from ib.models.check import Check
from ib.models.leaderboard import Leaderboard, ModelEntry, Rate
from ib.models.scenario import Scenario
from ib.pipeline.release import LEADERBOARD
from ib.store.benchmark import benchmark_folder, load_benchmark
from ib.store.scenarios import load_scenarios
from ib.store.validation import load_json

release_option = click.option(
    "--release",
    type=click.Path(path_type=Path),
    default=Path("data/leaderboard"),
    show_default=True,
    help="The folder of a release.",
)


@click.group()
def show() -> None:
    """Show a check, a scenario or a model."""


@show.command("check")
@click.argument("check_id", required=False)
@benchmark_option
@json_option
def show_check(check_id: str | None, benchmark_dir: Path | None, as_json: bool) -> None:
    """Show one check, or without an id a line for each."""
    checks = load_benchmark(benchmark_dir, drafts=None).checks
    if check_id is None:
        rows = [{"id": c.id, "name": c.name, "severity": c.severity, "gate": c.gate} for c in checks.values()]
        emit(rows, as_json=as_json, text=lambda _: "\n".join(_line(c) for c in checks.values()))
        return
    if check_id not in checks:
        raise UsageError(f"unknown check {check_id!r}; `ib show check` lists them")
    emit(checks[check_id], as_json=as_json, text=check_words)


def _line(check: Check) -> str:
    gate = "draft" if check.is_draft else f"gate {check.gate}" if check.gate else "quality"
    return f"{check.id:48} {check.severity:8} {gate:8} {check.routing.route:20} {check.summary}"


def check_words(check: Check) -> str:
    """A check as its page says it."""
    parts = [
        f"{check.id}: {check.name}{' (draft)' if check.is_draft else ''}",
        check.summary,
        f"FAIL: {check.fail_rule}",
        f"PASS: {check.pass_rule}",
        f"UNCLEAR: {check.unclear_rule}",
        f"NOT_APPLICABLE: {check.not_applicable_rule}",
        f"A good response: {check.good_response}",
    ]
    if check.prompt is not None:
        parts.append(f"The judge is asked: {check.prompt.question}")
    parts.append(f"Calibration: {check.calibration.status}. {check.calibration.note}")
    return "\n\n".join(part.strip() for part in parts)


@show.command("model")
@click.argument("model_id", required=False)
@release_option
@json_option
def show_model(model_id: str | None, release: Path, as_json: bool) -> None:
    """Show what a release says of a model, or without an id the leaderboard."""
    board = load_json(Leaderboard, release / LEADERBOARD)
    if model_id is None:
        emit(board, as_json=as_json, text=table)
        return
    entry = next((m for m in board.models if m.model_id == model_id), None)
    if entry is None:
        known = ", ".join(m.model_id for m in board.models)
        raise UsageError(f"unknown model {model_id!r}; the release holds {known}")
    emit(entry, as_json=as_json, text=model_words)


def model_words(entry: ModelEntry) -> str:
    """The blindspot profile of a model, a check a line."""
    lines = [f"{entry.model} ({entry.model_id}), hard fails {rate_words(entry.hard_fails)}", ""]
    for check in entry.blindspots:
        rest = [f"{check.failures.unclear} unclear"] if check.failures.unclear else []
        rest += [f"{check.not_run} not run"] if check.not_run else []
        tail = f"; {', '.join(rest)}" if rest else ""
        lines.append(f"{check.check_id:48} {rate_words(check.failures)}{tail}")
    return "\n".join(lines)


def rate_words(rate: Rate) -> str:
    """k/n with its interval and its first support flag."""
    if rate.low is None or rate.high is None:
        return f"{rate.k}/{rate.n} ({rate.support[0]})"
    return f"{rate.k}/{rate.n} [{rate.low:.3f}, {rate.high:.3f}] ({rate.support[0]})"


@show.command("scenario")
@click.argument("scenario_id", required=False)
@click.option(
    "--release", type=click.Path(path_type=Path), help="What the models of a release came to on it."
)
@benchmark_option
@json_option
def show_scenario(
    scenario_id: str | None, release: Path | None, benchmark_dir: Path | None, as_json: bool
) -> None:
    """Show a scenario as it is written, or without an id a line for each.

    With --release, show what every model came to on it instead.
    """
    if release is not None:
        _show_results(scenario_id, release, as_json=as_json)
        return
    scenarios = load_scenarios(benchmark_dir or benchmark_folder())
    if scenario_id is None:
        rows = [{"id": s.scenario_id, "title": s.title, "category": s.category} for s in scenarios.values()]
        emit(rows, as_json=as_json, text=lambda _: "\n".join(_scenario_title(s) for s in scenarios.values()))
        return
    if scenario_id not in scenarios:
        raise UsageError(f"unknown scenario {scenario_id!r}; `ib show scenario` lists them")
    emit(scenarios[scenario_id], as_json=as_json, text=scenario_words)


def _scenario_title(scenario: Scenario) -> str:
    mark = "" if scenario.published else " (not published)"
    return f"{scenario.scenario_id:56} {scenario.title}{mark}"


def scenario_words(scenario: Scenario) -> str:
    """A scenario as its page says it: who speaks, and what they say."""
    persona = scenario.persona
    lines = [
        f"{scenario.scenario_id}: {scenario.title}",
        scenario.description,
        f"{persona.name}, {persona.age}, {persona.role}. Cares for: {persona.care_recipient}.",
        f"Rules: {scenario.jurisdiction}. Tags: {', '.join(scenario.tags)}.",
    ]
    for session in scenario.all_sessions():
        if session.elapsed is not None:
            lines.append(f"-- {session.elapsed} later --")
        for turn in session.turns:
            lines.append(f"{turn.turn}. {turn.user_message}")
            lines += [f"   or, after {b.branch_id}: {b.user_message}" for b in turn.branches]
    return "\n\n".join(lines)


def _show_results(scenario_id: str | None, release: Path, *, as_json: bool) -> None:
    board = load_json(Leaderboard, release / LEADERBOARD)
    known = [s.scenario_id for s in board.scenarios]
    if scenario_id not in known:
        wrong = (
            "--release needs the id of a scenario"
            if scenario_id is None
            else f"unknown scenario {scenario_id!r}"
        )
        raise UsageError(f"{wrong}; the release holds {', '.join(known)}")
    rows = [
        {"model_id": model.model_id, **item.model_dump(mode="json")}
        for model in board.models
        for item in model.scenarios
        if item.scenario_id == scenario_id
    ]
    emit(rows, as_json=as_json, text=lambda _: "\n".join(map(_scenario_line, rows)))


def _scenario_line(row: dict[str, Any]) -> str:
    failed = ", ".join(row["failed_checks"]) or "nothing"
    return f"{row['model_id']}: overall {row['overall_score']}, failed {failed}"
