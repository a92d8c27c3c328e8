"""Lint rules for what is said turn by turn: numbers, time, branches and probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ib.errors import Path
from ib.models.common.base import ENGLISH
from ib.models.conversation.condition import Condition, ConditionType
from ib.models.conversation.scenario import Branch, Probe, ProbeKind, Scenario, Turn, elapsed_minutes
from ib.scenario.branching import meets
from ib.scenario.drawing import REFERENCE
from ib.scenario.surroundings import Faults, Surroundings, near, turn_locations


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
    session_of = dict(_sessions_of_cues(scenario))
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


def _sessions_of_cues(scenario: Scenario) -> Iterator[tuple[int, int]]:
    """Each turn with the number of its session."""
    for session in scenario.all_sessions():
        for turn in session.turns:
            yield turn.turn, session.session_number


ADMISSION_WORDS = 3
"""An admission needs at least this many words. Shorter phrases occur in replies that admit nothing."""
LONGEST = elapsed_minutes("100 years")


def numbers(scenario: Scenario, around: Surroundings) -> Faults:
    """Turns and sessions are numbered 1 to n, time moves forward, and the number of turns is allowed."""
    for wanted, (location, turn) in enumerate(turn_locations(scenario), start=1):
        if turn.turn != wanted:
            yield (*location, "turn"), f"turn {turn.turn}", f"turns run 1..n across sessions; {wanted} here"
    yield from _sessions(scenario)
    yield from _minutes(scenario)
    if around.contract is not None:
        count = sum(1 for _ in scenario.all_turns())
        sizes = around.contract.sizes_of(scenario.set)
        if not sizes.turns_least <= count <= sizes.turns_most:
            yield ("turns",), f"{count} turns", f"{sizes.turns_least} to {sizes.turns_most}"


def _sessions(scenario: Scenario) -> Faults:
    """Sessions are numbered 1 to n, and each after the first says how much time has passed."""
    for wanted, session in enumerate(scenario.sessions or (), start=1):
        place: Path = ("sessions", wanted - 1)
        if session.session_number != wanted:
            yield (*place, "session_number"), f"session {session.session_number}", f"{wanted}"
        if (session.elapsed is None) != (wanted == 1):
            allowed = "a time in every session but the first, which has none"
            yield (*place, "elapsed"), f"{session.elapsed}", allowed
        if session.elapsed is not None and elapsed_minutes(session.elapsed) > LONGEST:
            yield (*place, "elapsed"), session.elapsed, "at most 100 years"


def _minutes(scenario: Scenario) -> Faults:
    """Within a session no turn comes before the turn that precedes it."""
    before, session_of = 0, -1
    for location, turn in turn_locations(scenario):
        here = location[1] if location[0] == "sessions" else 0
        if here != session_of:
            before, session_of = 0, int(here)
        if turn.minute is not None and turn.minute < before:
            yield (*location, "minute"), f"minute {turn.minute} after {before}", "a later minute"
        before = before if turn.minute is None else max(before, turn.minute)


def turns(scenario: Scenario, around: Surroundings) -> Faults:
    """Messages are not too long, and rubric ids are unique."""
    rubrics: Counter[str] = Counter()
    most = None if around.contract is None else around.contract.sizes_of(scenario.set).message_chars
    for place, turn in turn_locations(scenario):
        if most is not None and len(turn.user_message) > most:
            yield (*place, "user_message"), f"{len(turn.user_message)} characters", f"at most {most}"
        for at, rubric in enumerate(turn.rubric):
            rubrics[rubric.id] += 1
            if rubrics[rubric.id] > 1:
                yield (*place, "rubric", at, "id"), f"{rubric.id!r} given twice", "a unique id"


def branches(scenario: Scenario, around: Surroundings) -> Faults:
    """Branch ids are unique, every branch can be reached, and it changes the message of its turn."""
    seen: set[str] = set()
    for place, turn in turn_locations(scenario):
        earlier: list[Condition] = []
        for at, branch in enumerate(turn.branches):
            key: Path = (*place, "branches", at)
            if branch.branch_id in seen:
                yield (*key, "branch_id"), f"{branch.branch_id!r} given twice", "a unique id"
            seen.add(branch.branch_id)
            yield from _branch(turn, branch, key, earlier)


def listenings(scenario: Scenario, around: Surroundings) -> Faults:
    """Every listening that a condition names exists, and hears the language of the conversation.

    Scenarios that were loaded have their listenings already.
    """
    for place, named in scenario.named_listenings():
        if scenario.language != ENGLISH:
            found = f"a listening hears English, and the person writes {scenario.language!r}"
            yield place, found, "no branch on what a reply says"
        if named not in around.listenings:
            hint = near(named, around.listenings, "the name of a file in listening/")
            yield place, f"unknown listening {named!r}", hint


def _branch(turn: Turn, branch: Branch, key: Path, earlier: list[Condition]) -> Faults:
    """The faults of one branch; its condition is added to `earlier`, the conditions before it."""
    condition = branch.condition
    if turn.turn == 1:
        yield key, "can never be reached: no reply comes before turn 1", "a later turn"
    if condition in earlier or any(_always(before) for before in earlier):
        yield key, "can never be reached: an earlier branch takes every such reply", "another condition"
    earlier.append(condition)
    if branch.user_message == turn.user_message:
        yield (*key, "user_message"), "is the message of the turn itself", "other words"


def _always(condition: Condition) -> bool:
    """True if every reply meets the condition."""
    return condition.type is ConditionType.REGEX and meets(condition, "")


def probes(scenario: Scenario, around: Surroundings) -> Faults:
    """Probes are on turns of the scenario, and admissions are long enough to mean something."""
    every = [turn.turn for turn in scenario.all_turns()]
    for index, probe in enumerate(scenario.probes):
        if probe.turn not in every:
            yield ("probes", index, "turn"), f"turn {probe.turn}", f"turns run 1 to {max(every)}"
        elif probe.kind is ProbeKind.ABSTENTION:
            yield from _admissions(probe, index)


def _admissions(probe: Probe, index: int) -> Faults:
    for at, expected in enumerate(probe.expected):
        for option in expected.split("|"):
            if len(option.split()) < ADMISSION_WORDS:
                found = f"{option.strip()!r} may stand in any reply"
                hint = f"at least {ADMISSION_WORDS} words about the question"
                yield ("probes", index, "expected", at), found, hint


def untold(scenario: Scenario, around: Surroundings) -> Faults:
    """Recall probes that expect something the person has not said in an earlier turn.

    In the file of a variant alone, slots of its origin are not drawn; what they hold is not known there.
    """
    messages = {turn.turn: " ".join(_said(turn)) for turn in scenario.all_turns()}
    for index, probe in enumerate(scenario.probes):
        if probe.kind is ProbeKind.RECALL and probe.turn in messages:
            earlier = " ".join(text for turn, text in messages.items() if turn < probe.turn).casefold()
            for at, expected in enumerate(probe.expected):
                told = any(option.strip().casefold() in earlier for option in expected.split("|"))
                if not told and REFERENCE.search(expected) is None:
                    found = f"{expected!r} was not told before turn {probe.turn}"
                    place: Path = ("probes", index, "expected", at)
                    yield place, found, "words that the person said in an earlier turn"


def _said(turn: Turn) -> Iterator[str]:
    """Everything the person may say in a turn, on any branch, and the facts that the turn lists."""
    yield turn.user_message
    yield from (branch.user_message for branch in turn.branches)
    yield from (turn.facts or {}).values()
