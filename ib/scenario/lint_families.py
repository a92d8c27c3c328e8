"""Lint rules between scenarios: variants, contrast groups, and safe twins with their parents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from ib.errors import Finding
from ib.models.common.base import Bucket
from ib.models.conversation.contract import Sizes
from ib.models.conversation.scenario import ProbeKind, Scenario, Turn
from ib.models.conversation.twin_scenario import TwinScenario
from ib.scenario.surroundings import Fault, Faults, Surroundings, due_by_tags, near, turn_locations

SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
LONG_SENTENCE = 8
"""A sentence of at least this many words does not occur in two scenarios by chance."""


def family_problems(scenarios: Mapping[str, Scenario]) -> Iterator[Finding]:
    """Contrast variants that differ in more than their cues, and sentences in two unrelated families.

    The file of a finding is the id of its scenario.
    """
    for name, scenario in scenarios.items():
        origin = scenarios.get(scenario.variant_of or "")
        if scenario.contrast is not None and origin is not None:
            yield from _contrast(name, scenario, origin)
    yield from _said_twice(scenarios)


def size_problems(scenario: Scenario, sizes: Sizes | None) -> Iterator[Finding]:
    """A conversation without a break that is longer than the contract allows."""
    most = None if sizes is None else sizes.turns_most_without_break
    count = len(scenario.turns or ())
    if most is not None and count > most:
        hint = f"at most {most}, or `sessions` with a break between them"
        yield Finding.at("", None, ("turns",), f"{count} turns", hint)


def probe_problems(scenario: Scenario) -> Iterator[Finding]:
    """Probes of something never told that do not say what would be made up."""
    for index, probe in enumerate(scenario.probes):
        if probe.kind is ProbeKind.ABSTENTION and not probe.forbidden:
            hint = "texts that show that an answer was made up"
            yield Finding.at("", None, ("probes", index, "forbidden"), "is missing", hint)


def _contrast(name: str, variant: Scenario, origin: Scenario) -> Iterator[Finding]:
    """A variant has the person, probes and branches of its original, and other words in cue turns alone."""
    for key in ("persona", "probes"):
        if getattr(variant, key) != getattr(origin, key):
            yield Finding.at(
                name, None, (key,), f"differs from {origin.scenario_id}", "a contrast variant keeps it"
            )
    cues = {anchor.cue_turn for one in (variant, origin) for anchor in one.anchors}
    cues |= {risk.turn for one in (variant, origin) for risk in one.risk_triggers}
    differs = False
    for mine, theirs in zip_longest(turn_locations(variant), origin.all_turns()):
        if mine is None or theirs is None:
            yield Finding.at(name, None, ("turns",), "are not as many", f"as many as in {origin.scenario_id}")
            return
        place, turn = mine
        if [b.condition for b in turn.branches] != [b.condition for b in theirs.branches]:
            hint = f"the conditions of {origin.scenario_id}"
            yield Finding.at(name, None, (*place, "branches"), "have other conditions", hint)
        if turn.user_message != theirs.user_message:
            differs = True
            if turn.turn not in cues:
                found = f"differs from {origin.scenario_id}, and holds no cue"
                yield Finding.at(name, None, (*place, "user_message"), found, "the same words, or a cue")
    if not differs:
        found = f"says nothing else than {origin.scenario_id}"
        yield Finding.at(name, None, ("variant_of",), found, "other words in a turn with a cue")


def _said_twice(scenarios: Mapping[str, Scenario]) -> Iterator[Finding]:
    owner: dict[str, tuple[str, str]] = {}
    for name, scenario in scenarios.items():
        family = _family(scenario, scenarios)
        for place, turn in turn_locations(scenario):
            for sentence in SENTENCE_END.split(turn.user_message):
                words = sentence.casefold().split()
                if len(words) >= LONG_SENTENCE:
                    theirs, first = owner.setdefault(" ".join(words), (family, name))
                    if theirs != family:
                        found = f"is said in {first} as well: {sentence[:80]!r}"
                        hint = "what a person says stands in one scenario and its variants"
                        yield Finding.at(name, None, (*place, "user_message"), found, hint)


def _family(scenario: Scenario, scenarios: Mapping[str, Scenario]) -> str:
    """The original of a variant, and of a twin or its parent; else the scenario itself."""
    if isinstance(scenario, TwinScenario):
        parent = scenarios.get(scenario.twin.of)
        return scenario.twin.of if parent is None else _family(parent, scenarios)
    return scenario.variant_of or scenario.scenario_id


SAME = ("persona", "category", "theme", "jurisdiction", "country", "set")
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
