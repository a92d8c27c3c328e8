"""A scenario as text, and the results of a model in it."""

from __future__ import annotations

from typing import Any

from ib.models.conversation.scenario import Scenario
from ib.models.conversation.twin_scenario import TwinScenario


def scenario_line(scenario: Scenario) -> str:
    mark = "" if scenario.published else " (not published)"
    return f"{scenario.scenario_id:56} {scenario.title}{mark}"


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
