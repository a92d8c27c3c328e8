"""Lint rules between scenarios: a variant differs in one thing, and no long sentence occurs twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from ib.errors import Finding
from ib.models.conversation.contract import Sizes
from ib.models.conversation.scenario import ProbeKind, Scenario
from ib.models.conversation.twin_scenario import TwinScenario
from ib.scenario.surroundings import turn_locations

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
