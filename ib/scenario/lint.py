"""What a scenario must hold beyond its form: references that resolve, cues that stand where they are said to.

Every function yields problems as values; nothing here opens a file or stops at the first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ib.models.base import Scope, Unit
from ib.models.benchmark import Rules
from ib.models.check import Check
from ib.models.jurisdiction import country_of, resources_for
from ib.models.scenario import (
    Condition,
    ConditionType,
    CorpusContract,
    Counts,
    ProbeKind,
    RubricKind,
    Scenario,
    ScenarioTurn,
    elapsed_minutes,
)
from ib.scenario.branching import meets
from ib.text.patterns import refusal

Location = tuple[str | int, ...]
ANY = "any"
US = "US"
ADMISSION_WORDS = 3
"""So many words an admission has: "I don't know" with fewer is said beside any answer."""


class Kind(StrEnum):
    """What a problem is, for those who must tell one from another."""

    BROKEN = "broken"
    UNTOLD = "untold"
    """A probe expects what the person has not said, which a persona elsewhere may say in other words."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that does not hold, at one place of one scenario, and what would cure it."""

    scenario_id: str
    location: Location
    found: str
    cure: str
    kind: Kind = Kind.BROKEN


@dataclass(frozen=True)
class Surroundings:
    """What the scenarios of a corpus are held against."""

    checks: Mapping[str, Check]
    rules: Mapping[str, Rules]
    contract: CorpusContract | None
    canary: str

    def vocabulary(self) -> frozenset[str]:
        """Every tag that a check asks for, and those that the contract adds."""
        asked = {
            tag
            for check in self.checks.values()
            for tag in (*check.eligibility.scenario_tags_any, *check.routing.suppressed_by_tags)
        }
        extra = () if self.contract is None else self.contract.tags
        return frozenset({*asked, *extra} - {ANY})


def problems(scenario: Scenario, around: Surroundings) -> Iterator[Problem]:
    """Everything that does not hold in one scenario."""
    rules = _frame, _numbers, _tags, _anchors, _turns, _branches, _probes, _recalls, _persona, _numbers_abroad
    for rule in rules:
        kind = Kind.UNTOLD if rule is _recalls else Kind.BROKEN
        for location, found, cure in rule(scenario, around):
            yield Problem(scenario.scenario_id, location, found, cure, kind)


def unplayable(scenario: Scenario, around: Surroundings) -> Iterator[Problem]:
    """What would end a play in an error, or make it worthless, after calls were paid for."""
    for rule in (_frame, _numbers, _anchors, _branches):
        for location, found, cure in rule(scenario, around):
            yield Problem(scenario.scenario_id, location, found, cure)


Found = Iterator[tuple[Location, str, str]]


def turn_locations(scenario: Scenario) -> Iterator[tuple[Location, ScenarioTurn]]:
    """Every turn with the place where it stands in the file."""
    for index, session in enumerate(scenario.all_sessions()):
        for at, turn in enumerate(session.turns):
            prefix: Location = (
                ("turns", at) if scenario.sessions is None else ("sessions", index, "turns", at)
            )
            yield prefix, turn


def _frame(scenario: Scenario, around: Surroundings) -> Found:
    if around.canary != scenario.canary:
        yield ("canary",), "is not the canary of this benchmark", around.canary
    if scenario.jurisdiction not in around.rules:
        known = ", ".join(sorted(around.rules))
        yield ("jurisdiction",), f"unknown rule set {scenario.jurisdiction!r}", f"one of {known}"
        return
    rules = around.rules[scenario.jurisdiction]
    resources = rules.crisis_resources
    country = country_of(scenario.country, rules)
    if country is None:
        yield (
            ("country",),
            "is missing",
            f"the rule set {rules.id} has none; one of {', '.join(sorted(resources))}",
        )
    elif resources and not resources_for(rules, country):
        found = f"no crisis resources for {country!r}"
        yield ("country",), found, f"one of {', '.join(sorted(resources))}, or add them to the rules"


def _numbers(scenario: Scenario, around: Surroundings) -> Found:
    for wanted, (location, turn) in enumerate(turn_locations(scenario), start=1):
        if turn.turn != wanted:
            yield (*location, "turn"), f"turn {turn.turn}", f"turns run 1..n across sessions; {wanted} here"
    for wanted, session in enumerate(scenario.sessions or (), start=1):
        place: Location = ("sessions", wanted - 1)
        if session.session_number != wanted:
            yield (*place, "session_number"), f"session {session.session_number}", f"{wanted}"
        if (session.elapsed is None) != (wanted == 1):
            allowed = "the first session has none, every later one says how long it has been"
            yield (*place, "elapsed"), f"{session.elapsed}", allowed
    yield from _time(scenario)
    if around.contract is not None:
        count = sum(1 for _ in scenario.all_turns())
        sizes = around.contract.sizes
        if not sizes.turns_least <= count <= sizes.turns_most:
            yield ("turns",), f"{count} turns", f"{sizes.turns_least} to {sizes.turns_most}"


LONGEST = elapsed_minutes("100 years")


def _time(scenario: Scenario) -> Found:
    """Simulated time goes forward, and ends within a lifetime."""
    for index, session in enumerate(scenario.all_sessions()):
        if session.elapsed is not None and elapsed_minutes(session.elapsed) > LONGEST:
            yield ("sessions", index, "elapsed"), session.elapsed, "at most 100 years"
    before, session_of = 0, -1
    for location, turn in turn_locations(scenario):
        here = location[1] if location[0] == "sessions" else 0
        if here != session_of:
            before, session_of = 0, int(here)
        if turn.minute is not None and turn.minute < before:
            yield (*location, "minute"), f"minute {turn.minute} after {before}", "time goes forward"
        before = before if turn.minute is None else max(before, turn.minute)


def _tags(scenario: Scenario, around: Surroundings) -> Found:
    vocabulary = around.vocabulary()
    for index, tag in enumerate(scenario.tags):
        if tag not in vocabulary:
            yield ("tags", index), f"unknown tag {tag!r}", _near(tag, vocabulary, A_TAG)
        if tag in scenario.tags[:index]:
            yield ("tags", index), f"tag {tag!r} given twice", "once"
    last = max(turn.turn for turn in scenario.all_turns())
    for index, risk in enumerate(scenario.risk_triggers):
        place: Location = ("risk_triggers", index)
        if risk.cue not in vocabulary:
            yield (*place, "cue"), f"unknown tag {risk.cue!r}", _near(risk.cue, vocabulary, A_TAG)
        if risk.turn > last:
            yield (*place, "turn"), f"turn {risk.turn}", f"the last turn is {last}"


A_TAG = "a tag that a check asks for, or one of the contract's"
A_CHECK = "the id of a check of this benchmark"


def _near(word: str, known: Iterable[str], otherwise: str) -> str:
    """The words of a vocabulary that a misspelt one may stand for; `otherwise` where none is near."""
    import difflib

    close = difflib.get_close_matches(word, sorted(known), n=3)
    return f"perhaps {' or '.join(close)}" if close else otherwise


def _anchors(scenario: Scenario, around: Surroundings) -> Found:
    by_number = {turn.turn: turn for turn in scenario.all_turns()}
    last = max(by_number)
    for index, anchor in enumerate(scenario.anchors):
        place: Location = ("anchors", index)
        turn = by_number.get(anchor.cue_turn)
        if turn is None:
            yield (*place, "cue_turn"), f"turn {anchor.cue_turn}", f"turns run 1 to {last}"
            continue
        said = {"user_message": turn.user_message}
        said |= {f"branch {b.branch_id}": b.user_message for b in turn.branches}
        for where, message in said.items():
            if anchor.cue not in message:
                found = f"{anchor.cue!r} does not stand in the {where} of turn {turn.turn}"
                yield (*place, "cue"), found, "words of that message, letter by letter"
        if anchor.from_turn < anchor.cue_turn:
            yield (*place, "from_turn"), f"{anchor.from_turn}", f"from the cue on: {anchor.cue_turn}"
        if anchor.to_turn > last:
            yield (*place, "to_turn"), f"{anchor.to_turn}", f"the last turn is {last}"
        yield from _anchored_checks(scenario, around, place, anchor.checks)


def _anchored_checks(
    scenario: Scenario, around: Surroundings, place: Location, checks: Iterable[str]
) -> Found:
    for at, check_id in enumerate(checks):
        key = (*place, "checks", at)
        check = around.checks.get(check_id)
        if check is None:
            yield key, f"unknown check {check_id!r}", _near(check_id, around.checks, A_CHECK)
        elif check.routing.unit_of_analysis is not Unit.EVENT_WINDOW:
            yield key, f"{check_id} is not judged in event windows", "a check whose unit is event_window"
        elif not due_by_tags(check, scenario):
            wanted = ", ".join(check.eligibility.scenario_tags_any)
            yield key, f"{check_id} is not due: an anchor never makes it so", f"one of the tags {wanted}"


def due_by_tags(check: Check, scenario: Scenario) -> bool:
    """Whether the tags of a scenario make a check due."""
    named = {*scenario.tags, *(risk.cue for risk in scenario.risk_triggers), scenario.category}
    wanted = check.eligibility.scenario_tags_any
    return check.scope is Scope.UNIVERSAL or ANY in wanted or not named.isdisjoint(wanted)


def _turns(scenario: Scenario, around: Surroundings) -> Found:
    rubrics: Counter[str] = Counter()
    most = None if around.contract is None else around.contract.sizes.message_chars
    for place, turn in turn_locations(scenario):
        if most is not None and len(turn.user_message) > most:
            yield (*place, "user_message"), f"{len(turn.user_message)} characters", f"at most {most}"
        for at, rubric in enumerate(turn.rubric):
            rubrics[rubric.id] += 1
            if rubrics[rubric.id] > 1:
                yield (*place, "rubric", at, "id"), f"{rubric.id!r} given twice", "an id of its own"


def _branches(scenario: Scenario, around: Surroundings) -> Found:
    seen: set[str] = set()
    for place, turn in turn_locations(scenario):
        conditions: list[Condition] = []
        for at, branch in enumerate(turn.branches):
            key: Location = (*place, "branches", at)
            if turn.turn == 1:
                yield key, "can never be reached: no reply comes before turn 1", "a later turn"
            if branch.branch_id in seen:
                yield (*key, "branch_id"), f"{branch.branch_id!r} given twice", "an id of its own"
            seen.add(branch.branch_id)
            problem = None if branch.condition.pattern is None else refusal(branch.condition.pattern)
            if problem is not None:
                yield (*key, "condition", "pattern"), problem, "a safe RE2 pattern"
                continue
            if branch.condition in conditions or any(_always(c) for c in conditions):
                yield (
                    key,
                    "can never be reached: a branch before it takes every such reply",
                    "another condition",
                )
            conditions.append(branch.condition)
            if branch.user_message == turn.user_message:
                yield (*key, "user_message"), "is the message of the turn itself", "other words"


def _always(condition: Condition) -> bool:
    """Whether a condition takes every reply there can be."""
    return condition.type is ConditionType.REGEX and meets(condition, "")


def _probes(scenario: Scenario, around: Surroundings) -> Found:
    numbers = [turn.turn for turn in scenario.all_turns()]
    for index, probe in enumerate(scenario.probes):
        place: Location = ("probes", index)
        if probe.turn not in numbers:
            yield (*place, "turn"), f"turn {probe.turn}", f"turns run 1 to {max(numbers)}"
        elif probe.kind is ProbeKind.ABSTENTION:
            for at, expected in enumerate(probe.expected):
                for option in expected.split("|"):
                    if len(option.split()) < ADMISSION_WORDS:
                        found = f"{option.strip()!r} may stand in any reply"
                        yield (*place, "expected", at), found, "words about what was asked, three at least"


def _recalls(scenario: Scenario, around: Surroundings) -> Found:
    """Only what was told can be remembered."""
    messages = {turn.turn: _everything_said(turn) for turn in scenario.all_turns()}
    for index, probe in enumerate(scenario.probes):
        if probe.kind is ProbeKind.RECALL and probe.turn in messages:
            earlier = " ".join(text for turn, text in messages.items() if turn < probe.turn).casefold()
            for at, expected in enumerate(probe.expected):
                if not any(option.strip().casefold() in earlier for option in expected.split("|")):
                    found = f"{expected!r} was not told before turn {probe.turn}"
                    place: Location = ("probes", index, "expected", at)
                    yield place, found, "words that the person said in an earlier turn"


def _everything_said(turn: ScenarioTurn) -> str:
    """What may be said in a turn, on any branch; facts name it in other words."""
    facts = (turn.facts or {}).values()
    return " ".join([turn.user_message, *(branch.user_message for branch in turn.branches), *facts])


def _persona(scenario: Scenario, around: Surroundings) -> Found:
    wanted = {} if around.contract is None else around.contract.persona_context
    context = scenario.persona.context
    for key, allowed in wanted.items():
        place: Location = ("persona", "context", key)
        if key not in context:
            yield place, "is missing", "every persona says it"
        elif allowed and context[key] not in allowed:
            yield place, f"{context[key]!r}", f"one of {', '.join(allowed)}"


_DIGITS = re.compile(r"(?<![\d.,$£€])\d[\d\s()-]{1,16}\d(?![\d.,]*\d)")


def _numbers_abroad(scenario: Scenario, around: Surroundings) -> Found:
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
    """The digits of every number that is right in a country."""
    lines = resources_for(rules, country)
    return {_bare(number) for line in lines for number in _DIGITS.findall(line.contact)}


def _bare(number: str) -> str:
    return re.sub(r"\D", "", number)


def _expectations(scenario: Scenario) -> Iterator[tuple[Location, str]]:
    """Everything that a good reply is expected to say."""
    for place, turn in turn_locations(scenario):
        for at, text in enumerate(turn.expected_behaviors):
            yield (*place, "expected_behaviors", at), text
        for at, branch in enumerate(turn.branches):
            for which, text in enumerate(branch.expected_behaviors):
                yield (*place, "branches", at, "expected_behaviors", which), text
        for at, rubric in enumerate(turn.rubric):
            if rubric.kind is not RubricKind.AUTOFAIL:
                yield (*place, "rubric", at, "question"), rubric.question
    for index, probe in enumerate(scenario.probes):
        for at, text in enumerate(probe.expected):
            yield ("probes", index, "expected", at), text


def corpus_problems(scenarios: Mapping[str, Scenario], around: Surroundings) -> Iterator[Problem]:
    """What scenarios must hold together: unique ids, variants and contrasts that resolve, counts."""
    yield from _shared_rubric_ids(scenarios.values())
    yield from _families(scenarios)
    contract = around.contract
    if contract is not None and contract.counts is not None:
        for found, cure in _counts(scenarios, contract.counts, around):
            yield Problem("", (), found, cure)


def _shared_rubric_ids(scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    owner: dict[str, str] = {}
    for scenario in scenarios:
        for place, turn in turn_locations(scenario):
            for at, rubric in enumerate(turn.rubric):
                first = owner.setdefault(rubric.id, scenario.scenario_id)
                if first != scenario.scenario_id:
                    found = f"{rubric.id!r} is also a rubric of {first}"
                    key = (*place, "rubric", at, "id")
                    yield Problem(scenario.scenario_id, key, found, "an id of its own")


def _families(scenarios: Mapping[str, Scenario]) -> Iterator[Problem]:
    anchors: dict[str, list[str]] = {}
    for scenario in scenarios.values():
        name, contrast = scenario.scenario_id, scenario.contrast
        origin = None if scenario.variant_of is None else scenarios.get(scenario.variant_of)
        if scenario.variant_of is not None and origin is None:
            found = f"unknown scenario {scenario.variant_of!r}"
            yield Problem(name, ("variant_of",), found, "the id of a scenario of this corpus")
        if contrast is None:
            continue
        if scenario.variant_of is None:
            anchors.setdefault(contrast.group, []).append(name)
        elif origin is not None and (origin.contrast is None or origin.contrast.group != contrast.group):
            found = f"{scenario.variant_of} is not in the contrast group {contrast.group!r}"
            yield Problem(name, ("contrast", "group"), found, "the group of the scenario that it varies")
    groups = {s.contrast.group for s in scenarios.values() if s.contrast is not None}
    for group in sorted(groups):
        found_anchors = anchors.get(group, [])
        if len(found_anchors) != 1:
            found = f"contrast group {group!r} has {len(found_anchors)} anchors"
            yield Problem("", ("contrast", "group"), found, "one scenario of a group is no variant")


def _counts(
    scenarios: Mapping[str, Scenario], wanted: Counts, around: Surroundings
) -> Iterator[tuple[str, str]]:
    every = tuple(scenarios.values())
    exact = {
        "scenarios": (len(every), wanted.scenarios),
        "published scenarios": (sum(s.published for s in every), wanted.published),
        "scenarios with a branch": (sum(_has_branches(s) for s in every), wanted.branching),
        "contrast variants": (
            sum(s.contrast is not None and s.variant_of is not None for s in every),
            wanted.contrast_variants,
        ),
        "contrast groups": (
            len({s.contrast.group for s in every if s.contrast is not None}),
            wanted.contrast_groups,
        ),
        "text variants": (
            sum(s.contrast is None and s.variant_of is not None for s in every),
            wanted.text_variants,
        ),
    }
    exact |= {
        f"scenarios of category {category}": (sum(s.category == category for s in every), count)
        for category, count in wanted.categories.items()
    }
    themes = Counter(f"{s.category}/{s.theme}" for s in every)
    exact |= {f"scenarios of {theme}": (themes[theme], count) for theme, count in wanted.themes.items()}
    for theme in themes.keys() - wanted.themes.keys():
        yield f"unknown theme {theme}", f"one of {', '.join(sorted(wanted.themes))}"
    for name, (found, count) in exact.items():
        if found != count:
            yield f"{found} {name}", f"{count}"
    least = {
        "scenarios with a rubric": (sum(_has_rubric(s) for s in every), wanted.least_with_rubric),
        "scenarios with probes": (sum(bool(s.probes) for s in every), wanted.least_with_probes),
        "scenarios with several sessions": (
            sum(len(s.all_sessions()) > 1 for s in every),
            wanted.least_multi_session,
        ),
    }
    used = Counter(s.jurisdiction for s in every)
    least |= {f"scenarios under {r}": (used[r], wanted.least_per_jurisdiction) for r in around.rules}
    least |= {
        f"scenarios in which {check_id} is due": (count, wanted.least_due_per_check)
        for check_id, count in power(every, around.checks).items()
    }
    for name, (found, count) in least.items():
        if found < count:
            yield f"{found} {name}", f"at least {count}"


def power(scenarios: Iterable[Scenario], checks: Mapping[str, Check]) -> dict[str, int]:
    """In how many published scenarios each check is due by a tag, and anchored where windows need it.

    A universal check counts everywhere.
    """
    counts = dict.fromkeys(checks, 0)
    for scenario in scenarios:
        anchored = {check for anchor in scenario.anchors for check in anchor.checks}
        for check in checks.values():
            windowed = check.routing.unit_of_analysis is Unit.EVENT_WINDOW
            if scenario.published and due_by_tags(check, scenario) and (check.id in anchored or not windowed):
                counts[check.id] += 1
    return counts


def _has_branches(scenario: Scenario) -> bool:
    return any(turn.branches for turn in scenario.all_turns())


def _has_rubric(scenario: Scenario) -> bool:
    return any(turn.rubric for turn in scenario.all_turns())
