"""Lint rules for episodes: each cue of a check with several names its danger, within one session."""

from __future__ import annotations

from collections.abc import Iterator

from ib.models.conversation.scenario import Scenario
from ib.scenario.surroundings import Faults, Surroundings


def episodes(scenario: Scenario, around: Surroundings) -> Faults:
    """Anchors that name no episode although their check has others, and episodes across sessions."""
    anchored: dict[str, list[int]] = {}
    for index, anchor in enumerate(scenario.anchors):
        for check_id in dict.fromkeys(anchor.checks):
            anchored.setdefault(check_id, []).append(index)
    for check_id, indices in anchored.items():
        if len(indices) > 1:
            yield from _unnamed(scenario, check_id, indices)
            yield from _across_sessions(scenario, check_id, indices)


def _unnamed(scenario: Scenario, check_id: str, indices: list[int]) -> Faults:
    for index in indices:
        if check_id not in scenario.anchors[index].episode:
            found = f"names no episode for {check_id}, which has {len(indices)} anchors"
            hint = f'{{"{check_id}": "<a short name>"}}, the same for all cues about one danger'
            yield ("anchors", index, "episode"), found, hint


def _across_sessions(scenario: Scenario, check_id: str, indices: list[int]) -> Faults:
    session_of = dict(_sessions(scenario))
    begins: dict[str, int | None] = {}
    for index in indices:
        anchor = scenario.anchors[index]
        name = anchor.episode.get(check_id)
        if name is None:
            continue
        session = session_of.get(anchor.cue_turn)
        first = begins.setdefault(name, session)
        if session != first:
            found = f"{name!r} has anchors in sessions {first} and {session}"
            hint = "another name: an episode ends with its session"
            yield ("anchors", index, "episode", check_id), found, hint


def _sessions(scenario: Scenario) -> Iterator[tuple[int, int]]:
    """Each turn with the number of its session."""
    for session in scenario.all_sessions():
        for turn in session.turns:
            yield turn.turn, session.session_number
