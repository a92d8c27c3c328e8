"""Lint rules for one scenario, beyond its schema: references resolve, and cues occur in their turns.

Every function yields all its findings. No function opens a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ib.errors import Finding, Path
from ib.models.benchmark.benchmark import Rules
from ib.models.benchmark.jurisdiction import country_of, resources_for
from ib.models.common.base import Unit
from ib.models.conversation.scenario import RubricKind, Scenario, ScenarioAnchor, ScoringDimension, Turn
from ib.scenario import lint_turns
from ib.scenario.lint_corpus import corpus_problems, power, set_counts
from ib.scenario.lint_turns import episodes, untold
from ib.scenario.placeholders import placeholders
from ib.scenario.surroundings import Faults, Surroundings, due_by_tags, near, turn_locations

__all__ = [
    "Surroundings",
    "corpus_problems",
    "due_by_tags",
    "power",
    "problems",
    "set_counts",
    "tolerant",
    "unplayable",
]

US = "US"
A_TAG = "a tag that a check asks for, or a tag of the contract"
A_CHECK = "the id of a check of this benchmark"


def problems(scenario: Scenario, around: Surroundings) -> Iterator[Finding]:
    """All findings about one scenario. The `file` of each finding is the scenario's id."""
    yield from tolerant(scenario, around)
    for rule in (untold, episodes, _dimensions, _set):
        yield from _told(scenario, rule(scenario, around))


def tolerant(scenario: Scenario, around: Surroundings) -> Iterator[Finding]:
    """`problems` without three rules: recall probes ask only for what was said, cues name their episodes, and
    the scenario lists the dimensions of its rubrics and probes.

    Corpora from elsewhere also probe for facts that only the persona states, have no episodes, and list
    dimensions by rules of their own.
    """
    turns = lint_turns
    for rule in (_frame, turns.numbers, _tags, _anchors, turns.turns, turns.branches, turns.probes):
        yield from _told(scenario, rule(scenario, around))
    for rule in (_persona, _numbers_abroad, turns.listenings, placeholders):
        yield from _told(scenario, rule(scenario, around))


def unplayable(scenario: Scenario, around: Surroundings) -> Iterator[Finding]:
    """Findings that would stop a run, or make its transcript useless, after calls were paid for."""
    for rule in (_frame, lint_turns.numbers, _anchors, lint_turns.branches):
        yield from _told(scenario, rule(scenario, around))


def _told(scenario: Scenario, faults: Faults) -> Iterator[Finding]:
    return (Finding.at(scenario.scenario_id, None, path, found, hint) for path, found, hint in faults)


def _frame(scenario: Scenario, around: Surroundings) -> Faults:
    """The canary is the benchmark's, and the rule set exists and has crisis resources."""
    if around.canary != scenario.canary:
        yield ("canary",), "is not the canary of this benchmark", around.canary
    rules = around.rules.get(scenario.jurisdiction)
    if rules is None:
        known = ", ".join(sorted(around.rules))
        yield ("jurisdiction",), f"unknown rule set {scenario.jurisdiction!r}", f"one of {known}"
        return
    country, known = country_of(scenario.country, rules), ", ".join(sorted(rules.crisis_resources))
    if country is None:
        yield ("country",), "is missing", f"the rule set {rules.id} has none; one of {known}"
    elif rules.crisis_resources and not resources_for(rules, country):
        found = f"no crisis resources for {country!r}"
        yield ("country",), found, f"one of {known}, or add them to the rules"


def _tags(scenario: Scenario, around: Surroundings) -> Faults:
    """Tags are known and given once, and risk triggers are on turns of the scenario."""
    vocabulary = around.vocabulary()
    for index, tag in enumerate(scenario.tags):
        if tag not in vocabulary:
            yield ("tags", index), f"unknown tag {tag!r}", near(tag, vocabulary, A_TAG)
        if tag in scenario.tags[:index]:
            yield ("tags", index), f"tag {tag!r} given twice", "once"
    last = max(turn.turn for turn in scenario.all_turns())
    for index, risk in enumerate(scenario.risk_triggers):
        place: Path = ("risk_triggers", index)
        if risk.cue not in vocabulary:
            yield (*place, "cue"), f"unknown tag {risk.cue!r}", near(risk.cue, vocabulary, A_TAG)
        if risk.turn > last:
            yield (*place, "turn"), f"turn {risk.turn}", f"the last turn is {last}"


def _set(scenario: Scenario, around: Surroundings) -> Faults:
    """The set is one that the contract knows."""
    known = {} if around.contract is None else around.contract.sets
    if scenario.set is not None and scenario.set not in known:
        yield ("set",), f"unknown set {scenario.set!r}", near(scenario.set, known, "a set of the contract")


def _anchors(scenario: Scenario, around: Surroundings) -> Faults:
    """Every anchor has its cue in its turn, a window inside the scenario, and checks that can use it."""
    by_number = {turn.turn: turn for turn in scenario.all_turns()}
    last = max(by_number)
    for index, anchor in enumerate(scenario.anchors):
        place: Path = ("anchors", index)
        turn = by_number.get(anchor.cue_turn)
        if turn is None:
            yield (*place, "cue_turn"), f"turn {anchor.cue_turn}", f"turns run 1 to {last}"
            continue
        yield from _cue(anchor, turn, place)
        if anchor.from_turn < anchor.cue_turn:
            yield (*place, "from_turn"), f"{anchor.from_turn}", f"at least the cue's turn, {anchor.cue_turn}"
        if anchor.to_turn > last:
            yield (*place, "to_turn"), f"{anchor.to_turn}", f"the last turn is {last}"
        yield from _anchored_checks(scenario, around, place, anchor.checks)


def _cue(anchor: ScenarioAnchor, turn: Turn, place: Path) -> Faults:
    """The cue occurs in the message of its turn, and in the message of each branch."""
    said = {"user_message": turn.user_message}
    said |= {f"branch {branch.branch_id}": branch.user_message for branch in turn.branches}
    for where, message in said.items():
        if anchor.cue not in message:
            found = f"{anchor.cue!r} does not stand in the {where} of turn {turn.turn}"
            yield (*place, "cue"), found, "words of that message, letter by letter"


def _anchored_checks(scenario: Scenario, around: Surroundings, place: Path, checks: Iterable[str]) -> Faults:
    for at, check_id in enumerate(checks):
        key = (*place, "checks", at)
        check = around.checks.get(check_id)
        if check is None:
            yield key, f"unknown check {check_id!r}", near(check_id, around.checks, A_CHECK)
        elif check.routing.unit_of_analysis is not Unit.EVENT_WINDOW:
            yield key, f"{check_id} is not judged in event windows", "a check whose unit is event_window"
        elif not due_by_tags(check, scenario):
            wanted = ", ".join(check.eligibility.scenario_tags_any)
            yield key, f"{check_id} is not due: an anchor never makes it so", f"one of the tags {wanted}"


def _dimensions(scenario: Scenario, around: Surroundings) -> Faults:
    """The listed dimensions are those of the rubrics, and `memory` if there are probes. A scenario without
    rubrics may list more."""
    listed = scenario.scoring_dimensions
    rubrics = {rubric.dimension: rubric.id for turn in scenario.all_turns() for rubric in turn.rubric}
    asked = {dimension: f"rubric {name!r} is about it" for dimension, name in rubrics.items()}
    if scenario.probes:
        asked.setdefault(ScoringDimension.MEMORY, "the scenario has probes")
    for dimension, reason in asked.items():
        if dimension not in listed:
            yield ("scoring_dimensions",), f"{dimension.value} is missing", f"list it, because {reason}"
    for index, dimension in enumerate(listed):
        if rubrics and dimension not in asked:
            found = f"no rubric is about {dimension.value}"
            yield ("scoring_dimensions", index), found, f"one of {', '.join(sorted(asked))}"


def _persona(scenario: Scenario, around: Surroundings) -> Faults:
    """The persona's context has the keys and values that the contract asks for."""
    wanted = {} if around.contract is None else around.contract.persona_context
    context = scenario.persona.context
    for key, allowed in wanted.items():
        place: Path = ("persona", "context", key)
        if key not in context:
            yield place, "is missing", "required in the context of every persona"
        elif allowed and context[key] not in allowed:
            yield place, f"{context[key]!r}", f"one of {', '.join(allowed)}"


_DIGITS = re.compile(r"(?<![\d.,$£€])\d[\d\s()-]{1,16}\d(?![\d.,]*\d)")


def _numbers_abroad(scenario: Scenario, around: Surroundings) -> Faults:
    """A scenario outside the US never expects a US number."""
    rules = around.rules.get(scenario.jurisdiction)
    here = None if rules is None else country_of(scenario.country, rules)
    if rules is None or here in (None, US):
        return
    foreign = _numbers_of(rules, US) - _numbers_of(rules, here)
    for place, text in _expectations(scenario):
        for number in _DIGITS.findall(text):
            if _bare(number) in foreign:
                found = f"expects {number.strip()!r}, a number of the US"
                yield place, found, f"a resource of {here}"


def _numbers_of(rules: Rules, country: str | None) -> set[str]:
    """The digits of every phone number in a country's crisis resources."""
    lines = resources_for(rules, country)
    return {_bare(number) for line in lines for number in _DIGITS.findall(line.contact)}


def _bare(number: str) -> str:
    return re.sub(r"\D", "", number)


def _expectations(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    """Everything that a good reply is expected to say."""
    for place, turn in turn_locations(scenario):
        yield from _expected(turn, place)
        for at, rubric in enumerate(turn.rubric):
            if rubric.kind is not RubricKind.AUTOFAIL:
                yield (*place, "rubric", at, "question"), rubric.question
    for index, probe in enumerate(scenario.probes):
        for at, text in enumerate(probe.expected):
            yield ("probes", index, "expected", at), text


def _expected(turn: Turn, place: Path) -> Iterator[tuple[Path, str]]:
    """The expected behaviors of a turn and of its branches."""
    for at, text in enumerate(turn.expected_behaviors):
        yield (*place, "expected_behaviors", at), text
    for at, branch in enumerate(turn.branches):
        for which, text in enumerate(branch.expected_behaviors):
            yield (*place, "branches", at, "expected_behaviors", which), text
