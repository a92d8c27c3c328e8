"""`ib show scenario`: print a scenario, or the results of every model in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ib.commands.common import benchmark_option, emit, json_option, say
from ib.errors import UsageError
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.twin_scenario import TwinScenario
from ib.models.draw.keyed_slot import Drawn, forms_of
from ib.scenario.drawing import seeded
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_played
from ib.store.folders.released import load_joined


def scenario_line(scenario: Scenario) -> str:
    mark = "" if scenario.published else " (not published)"
    return f"{scenario.scenario_id:56} {scenario.title}{mark}"


def drawn_words(drawn: Drawn) -> str:
    """The draw, and the value of each slot."""
    told = (f"{name}: {' / '.join(forms_of(value).values())}" for name, value in drawn.chosen.items())
    return f"Draw {drawn.draw[:12]}. {'; '.join(told)}."


def scenario_words(scenario: Scenario) -> str:
    """The persona and every turn of a scenario, as on its page."""
    persona = scenario.persona
    lines = [
        f"{scenario.scenario_id}: {scenario.title}",
        scenario.description,
        f"{persona.name}, {persona.age}, {persona.role}. Cares for: {persona.care_recipient}.",
        f"Rules: {scenario.jurisdiction}. Tags: {', '.join(scenario.tags)}.",
    ]
    if isinstance(scenario, TwinScenario):
        twin = scenario.twin
        moments = ", ".join(f"{moment.turn} ({moment.words!r})" for moment in twin.moments)
        lines.append(f"Safe twin of {twin.of}, without the cue of {', '.join(twin.checks)}.")
        lines.append(f"Safe because: {twin.safe_because} Could be misread in turns {moments}.")
    if scenario.drawn is not None:
        lines.append(drawn_words(scenario.drawn))
    for session in scenario.all_sessions():
        if session.elapsed is not None:
            lines.append(f"-- {session.elapsed} later --")
        for turn in session.turns:
            lines.append(f"{turn.turn}. {turn.user_message}")
            lines += [f"   or, after {b.branch_id}: {b.user_message}" for b in turn.branches]
    return "\n\n".join(lines)


def result_line(row: dict[str, Any]) -> str:
    failed = ", ".join(row["failed_checks"]) or "nothing"
    return f"{row['model_id']}: overall {row['overall_score']}, failed {failed}"


@click.command("scenario")
@click.argument("scenario_id", required=False)
@click.option("--draw", metavar="SEED", help="Show the words that the key of this seed draws.")
@click.option("--release", type=click.Path(path_type=Path), help="Show the results in this release instead.")
@benchmark_option
@json_option
def show_scenario(
    scenario_id: str | None, draw: str | None, release: Path | None, benchmark_dir: Path | None, as_json: bool
) -> None:
    """Show a scenario. Without SCENARIO_ID, list all scenarios.

    With --draw, its slots have the words of another draw: any text is a seed. With --release, show the
    results of every model in the scenario instead.
    """
    if release is not None:
        _show_results(scenario_id, release, as_json=as_json)
        return
    key = None if draw is None else seeded(draw)
    scenarios = load_played(benchmark_dir or benchmark_folder(), key)
    if scenario_id is None:
        rows = [{"id": s.scenario_id, "title": s.title, "category": s.category} for s in scenarios.values()]
        emit(rows, as_json=as_json, text=lambda _: "\n".join(scenario_line(s) for s in scenarios.values()))
        return
    if scenario_id not in scenarios:
        raise UsageError(f"unknown scenario {scenario_id!r}; `ib show scenario` lists all scenarios")
    emit(scenarios[scenario_id], as_json=as_json, text=scenario_words)


def _show_results(scenario_id: str | None, release: Path, *, as_json: bool) -> None:
    board = load_joined(release)
    known = [s.scenario_id for s in board.scenarios]
    if scenario_id not in known:
        wrong = (
            f"--release {release} needs the id of a scenario"
            if scenario_id is None
            else f"{release} has no scenario {scenario_id!r}"
        )
        raise UsageError(f"{wrong}; its scenarios are {', '.join(known)}")
    if board.open_logs:
        say("open logs: models are not compared, and one id may be another conversation in each model's log")
    rows = [
        {"model_id": model.model_id, **item.model_dump(mode="json")}
        for model in board.models
        for item in model.scenarios
        if item.scenario_id == scenario_id
    ]
    emit(rows, as_json=as_json, text=lambda _: "\n".join(map(result_line, rows)))
