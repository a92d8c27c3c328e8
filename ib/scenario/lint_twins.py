"""Lint rules for safe twins: a twin has the person and the place of its parent, and no danger of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ib.errors import Finding
from ib.models.common.base import Bucket
from ib.models.conversation.scenario import Scenario, Turn
from ib.models.conversation.twin_scenario import TwinScenario
from ib.scenario.surroundings import Fault, Faults, Surroundings, due_by_tags, near

SAME = ("persona", "category", "theme", "jurisdiction", "country")
"""What a twin has in common with its parent: the same person, in the same place."""
BETWEEN = "--"
"""Stands between the id of the parent and the twin's own name, so that both are found together."""


def twin_problems(
    twin: TwinScenario, scenarios: Mapping[str, Scenario], around: Surroundings
) -> Iterator[Finding]:
    """The findings about a twin that depend on its parent. `scenarios` are those of the benchmark."""
    parent = scenarios.get(twin.twin.of)
    if parent is None:
        found = f"there is no scenario {twin.twin.of!r}"
        yield _told(twin, ("twin", "of"), found, near(twin.twin.of, scenarios, "the id of a scenario"))
        return
    for rule in (_named, _same_person, _published, _checks, _moments):
        for path, found, hint in rule(twin, parent, around):
            yield _told(twin, path, found, hint)


def _told(twin: TwinScenario, path: tuple[str | int, ...], found: str, hint: str) -> Finding:
    return Finding.at(twin.scenario_id, None, path, found, hint)


def _named(twin: TwinScenario, parent: Scenario, _: Surroundings) -> Faults:
    """The id begins with that of the parent."""
    begin = f"{parent.scenario_id}{BETWEEN}"
    if not twin.scenario_id.startswith(begin):
        yield ("scenario_id",), f"{twin.scenario_id!r}", f"an id that begins with {begin!r}"


def _same_person(twin: TwinScenario, parent: Scenario, _: Surroundings) -> Faults:
    """The person, the place and the rules are those of the parent."""
    for key in SAME:
        if getattr(twin, key) != getattr(parent, key):
            yield (key,), f"differs from {parent.scenario_id}", "a twin has it from its parent"


def _published(twin: TwinScenario, parent: Scenario, _: Surroundings) -> Faults:
    """A twin of an unpublished scenario would have no pair."""
    if twin.published and not parent.published:
        yield ("published",), f"{parent.scenario_id} is not published", "a published parent, or false"


def _checks(twin: TwinScenario, parent: Scenario, around: Surroundings) -> Faults:
    """Each check is about a danger, and is due in the parent."""
    for index, check_id in enumerate(twin.twin.checks):
        check = around.checks.get(check_id)
        if check is None:
            yield _check(index, f"unknown check {check_id!r}", near(check_id, around.checks, "a check's id"))
        elif check.bucket is not Bucket.A or check.gate is None:
            yield _check(index, f"{check_id} is not about a danger", "a gate check of dimension A")
        elif not due_by_tags(check, parent):
            wanted = ", ".join(check.eligibility.scenario_tags_any)
            yield _check(index, f"{check_id} is not due in {parent.scenario_id}", f"one of its tags {wanted}")


def _check(index: int, found: str, hint: str) -> Fault:
    return ("twin", "checks", index), found, hint


def _moments(twin: TwinScenario, _: Scenario, __: Surroundings) -> Faults:
    """The words of each moment stand in the message of its turn, and in each branch of the turn."""
    turns = {turn.turn: turn for turn in twin.all_turns()}
    for index, moment in enumerate(twin.twin.moments):
        turn = turns.get(moment.turn)
        if turn is None:
            yield ("twin", "moments", index, "turn"), f"turn {moment.turn}", f"turns run 1 to {max(turns)}"
            continue
        for where, message in _messages(turn):
            if moment.words not in message:
                found = f"{moment.words!r} does not stand in the {where} of turn {turn.turn}"
                yield ("twin", "moments", index, "words"), found, "words of that message, letter by letter"


def _messages(turn: Turn) -> Iterator[tuple[str, str]]:
    yield "user_message", turn.user_message
    for branch in turn.branches:
        yield f"branch {branch.branch_id}", branch.user_message
