"""The corpus in other draws: it lints, and nothing that reads it depends on a choice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest

from ib.engine.reading.lexicons import Matcher
from ib.engine.reading.searched import Utterance
from ib.measures.memory import _find
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Role
from ib.models.conversation.scenario import Probe, ProbeKind, Scenario
from ib.models.conversation.transcript import Message, Transcript
from ib.models.conversation.twin import Moment
from ib.models.draw.keyed_slot import forms_of
from ib.pipeline.lint.benchmark import scenario_findings
from ib.pipeline.run.targets import reference_assistants
from ib.scenario.drawing import seeded
from ib.scenario.listening import hears
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_played, load_scenarios, load_twins
from ib.store.benchmark.supplementary import load_supplementary
from ib.targets.reference import _Turn
from ib.text.normalize import normalize, normalize_said
from tools.pilot.alarms import written_alarms
from tools.pilot.sources import load_written

SEEDS = range(20)
ROOT = benchmark_folder()


@cache
def world() -> Benchmark:
    return load_benchmark()


@pytest.mark.gate
@pytest.mark.parametrize("seed", SEEDS)
def test_every_draw_lints(seed: int) -> None:
    """The rules for scenarios, families and twins find no error in the words of any of twenty keys."""
    key = seeded(f"lint {seed}")
    found = scenario_findings(world(), ROOT, load_scenarios(ROOT, key), load_twins(ROOT, key))
    assert [str(finding) for finding in found if finding.level == "error"] == []


def hits(scenario: Scenario, matcher: Matcher) -> list[tuple[str, ...]]:
    """For each message that the person may say, the lexicons and phrases that it hits."""
    return [
        tuple(sorted(f"{hit.lexicon}/{hit.pattern}" for hit in matcher.match(normalize_said(said))))
        for said in scenario.messages()
    ]


@pytest.mark.gate
def test_no_phrase_depends_on_a_choice() -> None:
    """In every draw, each message hits the same phrases of the same lexicons."""
    matcher = Matcher(world().lexicons.values(), Role.USER)
    public = {name: hits(scenario, matcher) for name, scenario in load_played(ROOT).items()}
    for seed in SEEDS:
        for name, scenario in load_played(ROOT, seeded(f"hits {seed}")).items():
            assert hits(scenario, matcher) == public[name], (name, seed)


@pytest.mark.gate
def test_no_listening_hears_a_value() -> None:
    """A reply that repeats a word of a slot takes no other branch for it."""
    for name, scenario in load_scenarios(ROOT).items():
        branches = [branch for turn in scenario.all_turns() for branch in turn.branches]
        heard = [one for branch in branches if (one := branch.condition.listening) is not None]
        for slot in scenario.slots.values():
            for value in slot.values:
                for said in forms_of(value).values():
                    assert not any(hears(one, normalize(said)) for one in heard), (name, said)


def _moments(play: Transcript) -> tuple[Moment, ...]:
    assert play.twin is not None
    return play.twin.moments


@pytest.mark.gate
def test_the_written_conversations_of_the_pilot_fit_their_twins() -> None:
    """In every draw, each has the same moments of its twin, so that the pilot asks the same."""
    written = load_written(ROOT / "pilot" / "written.yaml")
    found = [
        [_moments(one.transcript) for one in written_alarms(written, load_twins(ROOT, key))]
        for key in (None, *(seeded(f"pilot {seed}") for seed in SEEDS))
    ]
    assert found[0]
    assert found == [found[0]] * len(found)


@pytest.mark.gate
def test_no_character_hears_a_value() -> None:
    """In every draw, each message has an answer of the same rules of each character, in the same country."""
    characters = reference_assistants(world(), ROOT).values()

    def answers(scenario: Scenario) -> object:
        said = tuple(scenario.messages())
        spoken = [one._speaking(_Turn(text, ("",), False)) for text in said for one in characters]
        countries = [one._country(one._heard(_Turn(said[0], said, False))) for one in characters]
        return [[rule for rule, _ in each] for each in spoken], countries

    public = {name: answers(scenario) for name, scenario in load_played(ROOT).items()}
    for seed in SEEDS:
        for name, scenario in load_played(ROOT, seeded(f"heard {seed}")).items():
            assert answers(scenario) == public[name], (name, seed)


def alternatives(probe: Probe) -> Iterator[list[str]]:
    """The texts that pass each part of a probe. A probe of time has one part: any of its texts passes it."""
    parts = [" | ".join(probe.expected)] if probe.kind is ProbeKind.TIME else probe.expected
    return ([one.strip() for one in part.split("|")] for part in parts)


@pytest.mark.gate
def test_a_probe_accepts_no_value_of_another_draw() -> None:
    """A probe does not find what it expects in another draw. A weekday is found with or without its hour."""
    rules = load_supplementary(ROOT, world())
    assert rules is not None
    draws = [load_scenarios(ROOT, seeded(f"probe {seed}")) for seed in SEEDS]
    parts = [
        (name, mine, one)
        for here, there in pairwise(draws)
        for name in here
        for probe, other in zip(here[name].probes, there[name].probes, strict=True)
        for mine, theirs in zip(alternatives(probe), alternatives(other), strict=True)
        for one in {*theirs} - {*mine}
    ]
    for name, mine, one in parts:
        reply = Utterance(Message(turn=1, role=Role.ASSISTANT, content=f"It was {one} then."))
        if not re.search(r"day\b|domingo|lunes|martes|sábado", one):
            assert _find(" | ".join(mine), reply, rules, nearly=True) is None, (name, mine, one)


def test_every_public_scenario_says_the_words_of_its_draw() -> None:
    """No brace is left in anything that a reader or a model sees."""
    for name, scenario in load_played(ROOT).items():
        assert not re.search(r"[{}]", " ".join(scenario.messages())), name


def values_of(scenario: Scenario) -> set[str]:
    """Every value of the slots that a scenario lists which has a letter."""
    told = (
        said for slot in scenario.slots.values() for value in slot.values for said in forms_of(value).values()
    )
    return {said for said in told if re.search(r"[a-z]", said, re.IGNORECASE)}


def test_no_fact_depends_on_a_choice() -> None:
    """A fact about a word that is drawn says so, and holds for every value or names the one looked up."""
    scenarios = load_scenarios(ROOT)
    for line in (ROOT / "FACTS.md").read_text(encoding="utf-8").splitlines():
        name, _, rest = line.removeprefix("| ").partition(" | ")
        fact = rest.split(" | ")[0]
        if name in scenarios and "may be drawn" not in fact:
            named = [one for one in values_of(scenarios[name]) if re.search(rf"\b{re.escape(one)}\b", fact)]
            assert named == [], (name, fact)


def test_no_id_of_a_question_names_a_value() -> None:
    """An id with the name of one draw would be wrong in the others."""
    for name, scenario in load_scenarios(ROOT).items():
        values = {re.sub(r"[^a-z0-9]+", "-", one.casefold()).strip("-") for one in values_of(scenario)}
        ids = [rubric.id for turn in scenario.all_turns() for rubric in turn.rubric]
        assert [i for i in ids for one in values if f"-{one}-" in f"-{i}-"] == [], name
