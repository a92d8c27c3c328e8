"""What a scenario must hold: every rule of the contract, broken once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from ib.models.conversation.contract import CorpusContract
from ib.models.conversation.scenario import Scenario
from ib.scenario.lint import Surroundings, corpus_problems, power, problems, tolerant
from ib.store.benchmark.loading import load_benchmark
from tests.scenario import CANARY, branch, scenario, turn

BENCHMARK = load_benchmark()
AROUND = Surroundings(
    BENCHMARK.checks,
    BENCHMARK.rules,
    CorpusContract.model_validate(
        {
            "canary": CANARY,
            "tags": {"sms": "Texts."},
            "persona_context": {"gender": ("woman", "man"), "place": ()},
            "sizes": {"turns_least": 2, "turns_most": 5, "message_chars": 100},
        }
    ),
    CANARY,
)
CONTEXT = {"gender": "woman", "place": "city"}
ANCHOR = {"cue_turn": 2, "cue": "in turn 2", "from_turn": 2, "to_turn": 3, "checks": ["IB-A1"]}


def whole(**replaced: Any) -> Any:
    """A scenario that holds everything, but for what is replaced."""
    persona = {
        "name": "Ada",
        "age": 50,
        "role": "daughter",
        "care_recipient": "her mother",
        "care_duration": "a year",
        "context": CONTEXT,
    }
    kept = {"tags": ["passive_ideation"], "anchors": [ANCHOR], "scoring_dimensions": ["safety", "memory"]}
    return scenario(**{"persona": persona, **kept, **replaced})


def persona(**context: str) -> dict[str, Any]:
    made: dict[str, Any] = whole().persona.model_dump()
    return {**made, "context": context}


def anchored(**changed: Any) -> list[dict[str, Any]]:
    return [{**ANCHOR, **changed}]


def asked(*dimensions: str) -> list[dict[str, Any]]:
    """Four turns, the first with one rubric for each dimension."""
    rubrics = [
        {"id": f"about-{name}", "kind": "binary", "question": "Does it?", "dimension": name}
        for name in dimensions
    ]
    return [turn(1, rubric=rubrics), *(turn(n) for n in range(2, 5))]


def branched(at: int, *branches: dict[str, Any]) -> list[dict[str, Any]]:
    """Four turns, one of them with branches that keep the words of its cue."""
    return [turn(n, branches=list(branches) if n == at else []) for n in range(1, 5)]


def in_two_sessions(first: str, second: str) -> dict[str, Any]:
    """Two sessions, with a cue in each, and the names of their episodes."""
    later = {"cue": "in turn 3", "cue_turn": 3, "from_turn": 3}
    return {
        "turns": None,
        "sessions": [
            {"session_number": 1, "turns": [turn(1), turn(2)]},
            {"session_number": 2, "elapsed": "2 days", "turns": [turn(3), turn(4)]},
        ],
        "anchors": [
            *anchored(episode={"IB-A1": first}, to_turn=2),
            *anchored(episode={"IB-A1": second}, **later),
        ],
    }


HEARD = {"type": "contains_any", "values": ["988"]}
BROKEN: dict[str, tuple[dict[str, Any], str, str]] = {
    "canary": ({"canary": "another"}, "canary", "not the canary"),
    "jurisdiction": ({"jurisdiction": "atlantis"}, "jurisdiction", "unknown rule set"),
    "country missing": ({"country": None}, "country", "is missing"),
    "country unknown": ({"country": "ZZ"}, "country", "no crisis resources"),
    "country that the Union is not": (
        {"jurisdiction": "eu", "country": "JP"},
        "country",
        "no crisis resources for 'JP'",
    ),
    "turn numbers": ({"turns": [turn(1), turn(3), turn(3)], "anchors": []}, "turns.1.turn", "turn 3"),
    "too few turns": ({"turns": [turn(1)], "anchors": []}, "turns", "1 turns"),
    "tag": ({"tags": ["passive_ideation", "pasive_ideation"]}, "tags.1", "unknown tag"),
    "tag twice": ({"tags": ["passive_ideation", "passive_ideation"]}, "tags.1", "given twice"),
    "risk turn": (
        {"risk_triggers": [{"turn": 9, "cue": "passive_ideation", "severity": "high"}]},
        "risk_triggers.0.turn",
        "turn 9",
    ),
    "risk cue": (
        {"risk_triggers": [{"turn": 1, "cue": "despair", "severity": "high"}]},
        "risk_triggers.0.cue",
        "unknown tag",
    ),
    "anchor turn": (
        {"anchors": anchored(cue_turn=8, from_turn=8, to_turn=8)},
        "anchors.0.cue_turn",
        "turn 8",
    ),
    "anchor cue": ({"anchors": anchored(cue="never said")}, "anchors.0.cue", "does not stand"),
    "anchor cue on a branch": (
        {"turns": branched(2, branch("other", HEARD))},
        "anchors.0.cue",
        "branch other",
    ),
    "anchor reach": ({"anchors": anchored(to_turn=7)}, "anchors.0.to_turn", "7"),
    "anchor before its cue": ({"anchors": anchored(from_turn=1)}, "anchors.0.from_turn", "1"),
    "anchor check": ({"anchors": anchored(checks=["IB-A9"])}, "anchors.0.checks.0", "unknown check"),
    "anchor unit": (
        {"anchors": anchored(checks=["IB-C1"])},
        "anchors.0.checks.0",
        "not judged in event windows",
    ),
    "anchor not due": ({"tags": ["emotional_disclosure"]}, "anchors.0.checks.0", "not due"),
    "anchor without an episode": (
        {"anchors": [*anchored(episode={"IB-A1": "wish"}), *anchored(to_turn=4)]},
        "anchors.1.episode",
        "names no episode for IB-A1, which has 2 anchors",
    ),
    "episode across sessions": (
        in_two_sessions("wish", "wish"),
        "anchors.1.episode.IB-A1",
        "'wish' has anchors in sessions 1 and 2",
    ),
    "long message": (
        {"turns": [turn(1), turn(2), turn(3, "x" * 101)]},
        "turns.2.user_message",
        "101 characters",
    ),
    "branch on turn 1": (
        {"turns": branched(1, branch("b", HEARD))},
        "turns.0.branches.0",
        "never be reached",
    ),
    "branch id twice": (
        {"turns": branched(3, branch("b", HEARD), branch("b", {"type": "regex", "pattern": "nine"}))},
        "turns.2.branches.1.branch_id",
        "given twice",
    ),
    "branch behind its like": (
        {"turns": branched(3, branch("b", HEARD), branch("c", HEARD))},
        "turns.2.branches.1",
        "never be reached",
    ),
    "branch behind one that takes all": (
        {"turns": branched(3, branch("b", {"type": "regex", "pattern": "x*"}), branch("c", HEARD))},
        "turns.2.branches.1",
        "never be reached",
    ),
    "branch that changes nothing": (
        {"turns": branched(3, branch("b", HEARD, "This is what I say in turn 3."))},
        "turns.2.branches.0.user_message",
        "message of the turn itself",
    ),
    "probe turn": (
        {"probes": [{"turn": 9, "kind": "time", "expected": ["a week"]}]},
        "probes.0.turn",
        "turn 9",
    ),
    "probe of what was never told": (
        {"probes": [{"turn": 4, "kind": "recall", "expected": ["in turn 4"]}]},
        "probes.0.expected.0",
        "was not told",
    ),
    "dimension of a rubric": (
        {"turns": asked("safety", "regard"), "scoring_dimensions": ["safety"]},
        "scoring_dimensions",
        "regard is missing",
    ),
    "dimension of no rubric": (
        {"turns": asked("safety"), "scoring_dimensions": ["safety", "regard"]},
        "scoring_dimensions.1",
        "no rubric is about regard",
    ),
    "dimension of a probe": (
        {
            "probes": [{"turn": 2, "kind": "time", "expected": ["a week"]}],
            "scoring_dimensions": ["safety"],
        },
        "scoring_dimensions",
        "memory is missing",
    ),
    "persona key": ({"persona": persona(gender="woman")}, "persona.context.place", "is missing"),
    "persona word": (
        {"persona": persona(gender="lady", place="city")},
        "persona.context.gender",
        "'lady'",
    ),
    "a US number elsewhere": (
        {
            "country": "GB",
            "turns": [turn(1, expected_behaviors=["Gives 988"]), *(turn(n) for n in range(2, 5))],
        },
        "turns.0.expected_behaviors.0",
        "a number of the US",
    ),
    "sessions": (
        {
            "turns": None,
            "sessions": [
                {"session_number": 1, "elapsed": "2 days", "turns": [turn(1), turn(2)]},
                {"session_number": 3, "turns": [turn(3), turn(4)]},
            ],
        },
        "sessions.1.session_number",
        "session 3",
    ),
}

TOLERATED = (
    "probe of what was never told",
    "anchor without an episode",
    "episode across sessions",
    "dimension of a rubric",
    "dimension of no rubric",
    "dimension of a probe",
)


def found(value: Any) -> list[tuple[str, str]]:
    return [(p.key, p.found) for p in problems(value, AROUND)]


def test_a_scenario_that_holds_everything_has_no_problem() -> None:
    """The scenario that the broken ones differ from is itself without a problem."""
    assert found(whole()) == []


@pytest.mark.parametrize("name", BROKEN)
def test_every_rule_of_the_contract_names_what_breaks_it(name: str) -> None:
    """A scenario that breaks one rule is told the key, what was found, and a cure."""
    changed, key, words = BROKEN[name]
    assert any(at == key and words in what for at, what in found(whole(**changed))), found(whole(**changed))


def test_dimensions_of_rubrics_and_probes_have_no_problem() -> None:
    """Rubrics and probes are listed; without rubrics a scenario may list what it likes."""
    probes = [{"turn": 2, "kind": "time", "expected": ["a week"]}]
    listed = ["regard", "memory", "safety"]
    assert found(whole(turns=asked("safety", "regard"), probes=probes, scoring_dimensions=listed)) == []
    assert found(whole(scoring_dimensions=["regard"])) == []


def test_anchors_with_episodes_and_single_anchors_have_no_problem() -> None:
    """One episode of two cues, two episodes of one check, and a check with one anchor; two sessions, too."""
    one, other = {"IB-A1": "wish"}, {"IB-A1": "pills"}
    tags = ["passive_ideation", "direct_ideation"]
    for second in (one, other):
        anchors = [
            *anchored(episode=one),
            *anchored(episode=second, to_turn=4, checks=["IB-A1", "IB-A2"]),
        ]
        assert found(whole(tags=tags, anchors=anchors)) == []
    assert found(whole(**in_two_sessions("wish", "pills"))) == []


def test_a_branch_whose_pattern_runs_away_is_no_scenario() -> None:
    """A safe pattern is part of the type: a scenario with another one is not made."""
    with pytest.raises(ValidationError, match="backtracks catastrophically"):
        whole(turns=branched(3, branch("b", {"type": "regex", "pattern": "(a+)+b"})))


@pytest.mark.parametrize("name", BROKEN)
def test_only_three_rules_are_left_out_where_corpora_from_elsewhere_are_linted(name: str) -> None:
    """`tolerant` yields every finding of `problems` but those of untold probes, episodes and dimensions."""
    value = whole(**BROKEN[name][0])
    left_out = {*problems(value, AROUND)} - {*tolerant(value, AROUND)}
    assert bool(left_out) == (name in TOLERATED)


def test_a_finding_names_the_scenario_in_place_of_the_file() -> None:
    """The caller knows the file; the finding has the id of the scenario and no line."""
    (only,) = problems(whole(canary="another"), AROUND)
    assert (only.file, only.line, only.place.path) == ("safety-crisis-small", None, ("canary",))


def test_the_cure_for_an_unknown_word_is_of_its_own_vocabulary() -> None:
    """Near words where there are any; else what an id of a check is, or what a tag is."""

    def cures(**changed: Any) -> list[str]:
        return [p.hint for p in problems(whole(**changed), AROUND) if "unknown" in p.found]

    assert cures(anchors=anchored(checks=["IB-A9"]))[0].startswith("perhaps IB-A")
    assert cures(anchors=anchored(checks=["ZZ-E9"])) == ["the id of a check of this benchmark"]
    assert cures(tags=["passive_ideation", "qqqq"]) == [
        "a tag that a check asks for, or a tag of the contract"
    ]


def test_a_number_of_the_us_may_be_named_as_a_failure() -> None:
    """That a reply gives 988 in England may stand among the failures; it is not expected there."""
    turns = [turn(1, autofail_triggers=["Gives 988"]), *(turn(n) for n in range(2, 5))]
    assert found(whole(country="GB", turns=turns)) == []


@pytest.mark.parametrize("jurisdiction", ["base", "eu"])
def test_a_member_state_without_a_list_has_that_of_the_union(jurisdiction: str) -> None:
    """The lines that hold in a country are those of `resources_for`, under whatever rule set."""
    assert found(whole(jurisdiction=jurisdiction, country="PT")) == []


def under_canada(expected: str) -> list[tuple[str, str]]:
    """What is wrong with a scenario without a country, under a rule set whose country is Canada."""
    canada = BENCHMARK.rules["base"].model_copy(update={"id": "on", "country": "CA"})
    around = replace(AROUND, rules={"on": canada})
    turns = [turn(1, expected_behaviors=[expected]), *(turn(n) for n in range(2, 5))]
    given = whole(jurisdiction="on", country=None, turns=turns)
    return [(p.found, p.hint) for p in problems(given, around)]


def test_a_scenario_without_a_country_is_where_its_rule_set_is() -> None:
    """The numbers of that country may be expected, others of the US may not, and the cure names it."""
    assert under_canada("Gives 9-8-8, or 911 in danger") == []
    assert under_canada("Gives 1-800-662-4357") == [
        ("expects '1-800-662-4357', a number of the US", "a resource of CA")
    ]


def test_ids_are_unique_in_the_corpus_and_variants_resolve() -> None:
    """A rubric id of another scenario, a variant of nothing, and a group without an anchor are named."""
    rubric = {"id": "same", "kind": "binary", "question": "Does it?", "dimension": "safety"}
    turns = [turn(1, rubric=[rubric]), *(turn(n) for n in range(2, 5))]
    contrast = {"group": "g", "variable": "v"}
    corpus = {
        "a": scenario("a", turns=turns),
        "b": scenario("b", turns=turns, variant_of="nobody"),
        "c": scenario("c", contrast=contrast, variant_of="a"),
    }
    texts = [p.found for p in corpus_problems(corpus, AROUND)]
    assert any("'same' is also a rubric of a" in text for text in texts)
    assert any("unknown scenario 'nobody'" in text for text in texts)
    assert any("has 0 anchors" in text for text in texts)
    assert any("a is not in the contrast group 'g'" in text for text in texts)


def test_counts_of_the_contract_are_compared_with_the_files() -> None:
    """A corpus that is smaller than it says is told so, count by count."""
    contract = AROUND.contract
    assert contract is not None
    counts = {
        **dict.fromkeys(
            ("scenarios", "published", "contrast_variants", "contrast_groups", "text_variants"),
            0,
        ),
        **dict.fromkeys(
            (
                "least_with_branch",
                "least_with_rubric",
                "least_with_probes",
                "least_multi_session",
                "least_per_jurisdiction",
                "least_due_per_check",
            ),
            0,
        ),
        "categories": {"safety": 2},
        "themes": {},
    }
    wanted = CorpusContract.model_validate(
        {**contract.model_dump(), "counts": {**counts, "least_with_probes": 3}}
    )
    texts = {(p.found, p.hint) for p in corpus_problems({"a": whole()}, replace(AROUND, contract=wanted))}
    said = "as `counts` in configs/scenarios.yaml says; correct the files or the count"
    assert ("1 scenarios", f"0, {said}") in texts
    assert ("1 scenarios of category safety", f"2, {said}") in texts
    assert ("0 scenarios with probes", "at least 3") in texts
    assert ("unknown theme safety/crisis", "one of ") in texts


def _about(corpus: dict[str, Scenario], **contract: Any) -> set[tuple[str, str]]:
    """What is found about a corpus under a contract without counts."""
    assert AROUND.contract is not None
    wanted = AROUND.contract.model_dump() | {"counts": None} | contract
    around = replace(AROUND, contract=CorpusContract.model_validate(wanted))
    return {(p.found, p.hint) for p in corpus_problems(corpus, around)}


def test_a_device_is_known_and_is_used_by_few_families() -> None:
    """A plot that is cloned to fill a count is found; a variant shares the plot of its original."""
    corpus = {
        "a": scenario("a", devices=["spoon"]),
        "b": scenario("b", devices=["spoon", "lok"], variant_of="a"),
        "c": scenario("c", devices=["spoon"]),
    }
    known = {"spoon": "A relative with a spoon.", "lock": "A lock on the door."}
    once = ("device 'spoon' is used by a, c", "at most 1 families")
    assert ("unknown device 'lok'", "perhaps lock") in _about(corpus, devices=known, device_most=1)
    assert once in _about(corpus, devices=known, device_most=1)
    assert once not in _about(corpus, devices=known, device_most=2)


def test_messages_differ_in_length() -> None:
    """The shares of short and of long messages, those of branches included, are as the contract says."""
    corpus = {"a": whole()}
    count = sum(1 for _ in corpus["a"].messages())
    lengths = {"short_below": 2, "long_above": 1000, "least_short": 0.5, "least_long": 1.0}
    found = _about(corpus, lengths=lengths)
    assert (f"0 long messages of {count}", f"at least {count}") in found
    assert not {text for text, _ in _about(corpus, lengths={**lengths, "least_short": 0, "least_long": 0})}


def test_power_counts_windows_only_where_they_are_anchored() -> None:
    """A windowed check counts where it is due and anchored, others where due; unpublished ones never."""
    count = power([whole(), whole(anchors=[])], BENCHMARK.checks)
    assert (count["IB-A1"], count["IB-B1"], count["IB-C1"]) == (1, 2, 0)
    hidden = whole(published=False, unpublished_reason="Too long.")
    assert power([hidden], BENCHMARK.checks)["IB-B1"] == 0
