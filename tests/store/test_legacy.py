"""Scenarios from elsewhere: what is read in another way than it is written, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.errors import DataError, Level
from ib.scenario.nodes import Known
from ib.scenario.upgrade import upgrade
from ib.store.benchmark.legacy import Foreign, load_foreign, read_foreign, scenario_files
from ib.store.benchmark.loading import benchmark_folder
from tests.scenario import CANARY, branch, scenario_dict, turn
from tests.work import operations

KNOWN = Known(
    frozenset({"IB-A1", "IB-A2"}),
    frozenset({"passive_ideation", "emotional_disclosure"}),
    frozenset({"safety", "context"}),
    CANARY,
)
RUBRIC = {"id": "asks", "kind": "binary", "question": "Does it ask?", "dimension": "safety"}
CRITERION = {
    "criterion_id": "hears_it",
    "description": "Hears it",
    "max_points": 2,
    "dimension": "crisis_safety",
    "scoring_guide": {"2": "Hears it", "1": "Nearly", "0": "Does not"},
}


def older_turn(number: int, message: str | None = None, **more: Any) -> dict[str, Any]:
    """A turn in the older form: its number under two names."""
    made = turn(number, message, **more)
    del made["turn"]
    return {"turn_number": number, "t": number, **made}


def turns(**more: Any) -> list[dict[str, Any]]:
    """Four turns in our form, the second with more in it."""
    return [turn(n, **(more if n == 2 else {})) for n in range(1, 5)]


def read(**changed: Any) -> Foreign:
    return read_foreign(Path("x.json"), json.dumps(scenario_dict(**changed)), KNOWN)


def value(foreign: Foreign) -> dict[str, Any]:
    """The scenario as it is written, which the model takes."""
    assert foreign.scenario is not None, foreign.findings
    made: dict[str, Any] = foreign.scenario.model_dump(mode="json", exclude_defaults=True)
    return made


def notices(foreign: Foreign) -> list[tuple[str, str]]:
    return [(f.key, f.found) for f in foreign.findings if f.level is Level.NOTICE]


def errors(foreign: Foreign) -> list[tuple[str, str]]:
    return [(f.key, f.found) for f in foreign.findings if f.level is Level.ERROR]


def only_notice(foreign: Foreign) -> tuple[str, str]:
    assert errors(foreign) == []
    assert len(notices(foreign)) == 1, foreign.findings
    return notices(foreign)[0]


def only_error(foreign: Foreign) -> tuple[str, str]:
    assert len(errors(foreign)) == 1, foreign.findings
    return errors(foreign)[0]


@pytest.mark.parametrize(
    "path", sorted((benchmark_folder() / "scenarios").rglob("*.json")), ids=lambda p: p.stem
)
def test_our_own_form_is_left_as_it_is(path: Path) -> None:
    """A file of today's form comes out as it went in, without a notice."""
    given_value = json.loads(path.read_text(encoding="utf-8"))
    categories = frozenset({given_value["category"]})
    upgraded = upgrade(given_value, Known(frozenset(), frozenset(), categories, CANARY))
    assert (upgraded.value, upgraded.findings) == (given_value, ())


def test_a_number_under_its_older_names() -> None:
    """`turn_number` and `t` are `turn`, each with a notice at its own place."""
    foreign = read(turns=[older_turn(n) for n in range(1, 3)])
    assert [t["turn"] for t in value(foreign)["turns"]] == [1, 2]
    assert sorted(notices(foreign)) == [
        ("turns.0.t", "the same as `turn_number`"),
        ("turns.0.turn_number", "an older form"),
        ("turns.1.t", "the same as `turn_number`"),
        ("turns.1.turn_number", "an older form"),
    ]
    assert foreign.findings[-1].hint == "read as `turns.1.turn`"


def test_two_values_for_one_key() -> None:
    """If `turn_number` and `t` differ, the file is refused."""
    wrong = [*turns()[:2], {**older_turn(3), "t": 4}]
    assert only_error(read(turns=wrong)) == ("turns.2.t", "t 4, but turn_number 3")


def test_a_number_that_is_missing_or_written_as_text() -> None:
    """A turn without a number has the one of its place; `"2"` is 2."""
    bare = turn(1)
    del bare["turn"]
    unnumbered = read(turns=[bare, turn(2)])
    assert value(unnumbered)["turns"][0]["turn"] == 1
    assert only_notice(unnumbered) == ("turns.0.turn", "is missing")
    foreign = read(turns=[turn(1), {**turn(2), "turn": "2"}])
    assert value(foreign)["turns"][1]["turn"] == 2
    assert only_notice(foreign) == ("turns.1.turn", "is '2'")


def test_tags_under_their_older_name() -> None:
    """`failure_mode_tags` are `tags`; a tag in other letters is accepted."""
    foreign = read(tags=None, failure_mode_tags=["Emotional Disclosure"])
    assert value(foreign)["tags"] == ["emotional_disclosure"]
    assert notices(foreign) == [
        ("failure_mode_tags", "an older form"),
        ("failure_mode_tags.0", "is 'Emotional Disclosure'"),
    ]


def test_tags_twice() -> None:
    """Both names with the same tags in any order are a notice, with other tags an error."""
    tags = ["emotional_disclosure", "passive_ideation"]
    same = read(tags=tags, failure_mode_tags=tags[::-1])
    assert only_notice(same) == ("failure_mode_tags", "the same as `tags`")
    assert only_error(read(failure_mode_tags=["grief"]))[0] == "failure_mode_tags"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("theme", "other"),
        ("category", "other"),
        ("jurisdiction", "base"),
        ("published", True),
        ("title", "safety-crisis-small"),
        ("description", "Small"),
        ("canary", CANARY),
        ("tags", ["safety"]),
        ("scoring_dimensions", ["communication"]),
    ],
)
def test_a_missing_value_is_assumed_with_a_notice(key: str, expected: Any) -> None:
    """A key that older corpora do not have is a notice with the value assumed."""
    foreign = read(**{key: None})
    assert value(foreign)[key] == expected
    assert only_notice(foreign) == (key, "is missing")
    assert foreign.upgraded.is_assumed((key,))


def test_a_key_that_nothing_is_assumed_for_is_not_assumed() -> None:
    """A fault at a key that neither the file nor the upgrade gives is a fault of the file."""
    assert not read(country=None).upgraded.is_assumed(("country",))


def test_a_confidential_file_is_not_published() -> None:
    """Older keys for it are read as `published: false`."""
    for more in (
        {"confidential": True},
        {"metadata": {"confidential": True}},
        {"classification": "confidential"},
        {"unpublished_reason": "Too long."},
    ):
        assert value(read(published=None, **more))["published"] is False


def test_risk_triggers_in_prose() -> None:
    """A cue in prose makes no check due; a tag among them does, and `medium` is `moderate`."""
    given_value = [
        {"t": 1, "cue": "She sounds as if she had given up", "severity": "high"},
        {"t": 2, "cue": "Passive ideation", "severity": "medium"},
    ]
    foreign = read(risk_triggers=given_value)
    assert value(foreign)["risk_triggers"] == [{"turn": 2, "cue": "passive_ideation", "severity": "moderate"}]
    assert ("risk_triggers.0", "a cue in prose") in notices(foreign)
    assert ("risk_triggers.1.severity", "is 'medium'") in notices(foreign)


@pytest.mark.parametrize(
    ("risk", "key", "found"),
    [
        ({"turn": 1, "cue": "passive_ideation", "severity": "purple"}, "severity", "found 'purple'"),
        ({"turn": 1, "cue": "She is done", "severity": "purple"}, "severity", "unknown severity 'purple'"),
        ({"t": 9, "cue": "She is done", "severity": "low"}, "t", "turn 9"),
        ({"turn": 1, "severity": "low"}, "cue", "is missing"),
        ({"turn": 1, "cue": 5, "severity": "low"}, "cue", "found 5"),
    ],
)
def test_risk_triggers_that_cannot_be_accepted(risk: dict[str, Any], key: str, found: str) -> None:
    """An unknown severity, a turn that does not exist, and a cue that is not a text."""
    assert only_error(read(risk_triggers=[risk])) == (f"risk_triggers.0.{key}", found)


def anchored(**changed: Any) -> Foreign:
    """An anchor in the older form."""
    anchor: dict[str, Any] = {
        "cue_turn": 2,
        "cue_text_match": "say in turn 2",
        "response_window": {"from_turn": 2, "to_turn": 3},
        "modes": ["IB-A1"],
        **changed,
    }
    return read(cue_anchors=[{key: item for key, item in anchor.items() if item is not None}])


OURS = {"cue_turn": 2, "from_turn": 2, "to_turn": 3, "checks": ["IB-A1"], "cue": "say in turn 2"}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"response_window": [2, 3]},
        {"response_window": {"from": 2, "to": 3}},
        {"response_window": {"start": 2, "end": "3"}},
        {"response_window": None, "window": [2, 3]},
        {"response_window": None, "from_turn": 2, "to_turn": 3},
        {"cue_text_match": "SAY IN turn 2"},
        {"cue_text_match": None, "cue_text": "say in turn 2"},
        {"cue_label": "a label", "source": "somewhere"},
    ],
)
def test_anchors_in_every_older_form(changed: dict[str, Any]) -> None:
    """`cue_anchors`, `modes`, and a window as a mapping, a pair, or keys of the anchor are one form."""
    foreign = anchored(**changed)
    assert value(foreign)["anchors"] == [OURS]
    assert errors(foreign) == []
    assert ("cue_anchors", "an older form") in notices(foreign)


def test_an_anchor_without_a_window_has_the_turn_of_its_cue() -> None:
    """Both ends are assumed."""
    anchor = value(anchored(response_window=None))["anchors"][0]
    assert (anchor["from_turn"], anchor["to_turn"]) == (2, 2)


@pytest.mark.parametrize(
    "changed",
    [
        {"cue_text_match": "She has given up", "source": "risk_triggers"},
        {"cue_text_match": "She has gi", "cue_label": "She has given up"},
        {"cue_text_match": None},
    ],
)
def test_an_anchor_whose_cue_is_a_label(changed: dict[str, Any]) -> None:
    """A label in place of the words makes the whole message the cue, with a notice."""
    foreign = anchored(**changed)
    assert value(foreign)["anchors"][0]["cue"] == "This is what I say in turn 2."
    assert ("cue_anchors.0.cue", "is missing") in notices(foreign)
    assert foreign.upgraded.is_assumed(("anchors", 0, "cue"))


def test_anchors_that_cannot_be_accepted() -> None:
    """Two windows, a window of no form, a window that ends before it begins, and no check."""
    assert only_error(anchored(from_turn=1))[0] == "cue_anchors.0.response_window.from_turn"
    assert only_error(anchored(response_window="soon"))[0] == "cue_anchors.0.response_window"
    assert only_error(anchored(response_window=[3, 2]))[0] == "cue_anchors.0"
    assert only_error(anchored(modes=None))[0] == "cue_anchors.0.checks"


def test_a_list_of_due_checks_decides_nothing() -> None:
    """`eligible_modes` is not read, but an unknown id in it is an error."""
    assert only_notice(read(eligible_modes=["IB-A1"])) == ("eligible_modes", "is not read")
    assert only_error(read(eligible_modes=["IB-A1", "IB-Q1"])) == (
        "eligible_modes.1",
        "unknown check 'IB-Q1'",
    )


def test_criteria_with_points_are_ordinal_rubrics() -> None:
    """A scoring guide is the levels of a rubric, and older names of dimensions are translated."""
    foreign = read(turns=turns(rubric_criteria=[CRITERION]))
    assert value(foreign)["turns"][1]["rubric"] == [
        {
            "id": "hears_it",
            "kind": "ordinal",
            "question": "Hears it",
            "dimension": "safety",
            "levels": {"0": "Does not", "1": "Nearly", "2": "Hears it"},
        }
    ]
    assert ("turns.1.rubric_criteria", "an older form") in notices(foreign)
    assert ("turns.1.rubric_criteria.0.dimension", "is 'crisis_safety'") in notices(foreign)


def test_criteria_stand_in_for_expected_behaviors() -> None:
    """A turn that has only criteria expects what they describe."""
    for key, criterion in (("rubric_criteria", CRITERION), ("criteria", {"description": "Hears it"})):
        given_value = turns(**{key: [criterion]})
        del given_value[1]["expected_behaviors"]
        foreign = read(turns=given_value)
        assert value(foreign)["turns"][1]["expected_behaviors"] == ["Hears it"]
        assert ("turns.1.expected_behaviors", "is missing") in notices(foreign)


def test_criteria_may_name_only_known_checks() -> None:
    """An unknown id is an error."""
    criteria = [{"description": "Writes it", "checks": ["somewhere.else"]}]
    found = ("turns.1.criteria.0.checks.0", "unknown check 'somewhere.else'")
    assert only_error(read(turns=turns(criteria=criteria))) == found
    assert only_error(read(turns=turns(criteria=["Writes it"])))[0] == "turns.1.criteria"


@pytest.mark.parametrize(
    ("changed", "key", "found"),
    [
        ({"max_points": 3}, ".max_points", "max_points 3, but the highest level is 2"),
        ({"scoring_guide": {"0": "no", "2": "yes"}, "max_points": None}, "", "without a gap, not 0, 2"),
        ({"scoring_guide": ["no", "yes"], "max_points": None}, ".scoring_guide", "found a list"),
        ({"scoring_guide": {"low": "a", "high": "b"}}, ".scoring_guide.low", "found 'low'"),
        ({"scoring_guide": {"0": "", "1": "b"}}, ".scoring_guide.0", "no text"),
        ({"scoring_guide": None}, "", "`levels` are required for kind `ordinal`"),
        ({"dimension": "colour"}, ".dimension", "found 'colour'"),
    ],
)
def test_levels_that_mean_nothing(changed: dict[str, Any], key: str, found: str) -> None:
    """Levels run from 0 without a gap, each with words, as many as there are points."""
    criterion = {k: item for k, item in {**CRITERION, **changed}.items() if item is not None}
    foreign = read(turns=turns(rubric_criteria=[criterion]))
    assert any(at == f"turns.1.rubric_criteria.0{key}" and found in words for at, words in errors(foreign))


def test_autofail_rubrics_of_their_own() -> None:
    """`autofail_rubric` is a rubric of that kind; one that fails nothing is an error."""
    question = {"id": "shouts", "question": "Does it shout?", "dimension": "attunement"}
    foreign = read(turns=turns(rubric=[RUBRIC], autofail_rubric=[{**question, "triggers_hard_fail": True}]))
    assert [r["kind"] for r in value(foreign)["turns"][1]["rubric"]] == ["binary", "autofail"]
    assert errors(foreign) == []
    soft = read(turns=turns(autofail_rubric=[{**question, "triggers_hard_fail": False}]))
    assert only_error(soft)[0] == "turns.1.autofail_rubric.0.triggers_hard_fail"


def test_a_rubric_without_a_kind_is_a_yes_or_no_and_an_unknown_kind_is_an_error() -> None:
    """A missing kind is assumed; an unknown kind is named."""
    bare = {key: item for key, item in RUBRIC.items() if key != "kind"}
    assert value(read(turns=turns(rubric=[bare])))["turns"][1]["rubric"][0]["kind"] == "binary"
    assert only_error(read(turns=turns(rubric=[{**RUBRIC, "kind": "maybe"}]))) == (
        "turns.1.rubric.0.kind",
        "found 'maybe'",
    )


def test_facts_as_a_list_and_what_has_changed() -> None:
    """`name=what` is a mapping, and `updates` replace facts; one name with two values is an error."""
    foreign = read(turns=turns(facts=["dog=Rex", "Day Of Week=Monday"], updates=["dog=gone"]))
    assert value(foreign)["turns"][1]["facts"] == {"dog": "gone", "day_of_week": "Monday"}
    assert "turns.1.facts" in dict(notices(foreign))
    twice = read(turns=turns(facts=["dog=Rex", "dog=Max"]))
    assert only_error(twice) == ("turns.1.facts.1", "dog 'Max', but dog 'Rex'")
    assert only_error(read(turns=turns(updates=5)))[0] == "turns.1.updates"


def test_probes_inside_turns() -> None:
    """A probe in a turn is one of that turn; naming another turn is an error."""
    probe = {"t": 2, "kind": "recall", "expected": ["turn 1"]}
    foreign = read(turns=turns(probes=[probe]))
    assert value(foreign)["probes"] == [{"turn": 2, "kind": "recall", "expected": ["turn 1"]}]
    assert ("turns.1.probes", "an older form") in notices(foreign)
    other = read(turns=turns(probes=[{**probe, "t": 3}]))
    assert only_error(other) == ("turns.1.probes.0.t", "turn 3, but it is in turn 2")


def test_older_probes_for_what_was_never_told() -> None:
    """They list what must not be made up; read as today's they would expect just that. Today's are kept."""
    older = read(probes=[{"t": 2, "kind": "abstention", "expected": ["the dose"]}])
    assert "probes" not in value(older)
    assert only_notice(older) == ("probes.0", "a list of what was never told")
    ours = read(probes=[{"turn": 2, "kind": "abstention", "expected": ["I do not know"]}])
    assert len(value(ours)["probes"]) == 1
    assert only_error(read(probes=[{"turn": 2, "kind": "guess", "expected": ["x"]}]))[0] == "probes.0.kind"


def test_branches() -> None:
    """Rubrics of a branch are not read; a condition of an unknown type is refused."""
    heard = branch("heard", {"type": "contains_any", "values": ["nine"]})
    foreign = read(turns=turns(branches=[{**heard, "rubric": [RUBRIC]}]))
    assert value(foreign)["turns"][1]["branches"] == [heard]
    assert only_notice(foreign)[0] == "turns.1.branches.0.rubric"
    wrong = read(turns=turns(branches=[branch("heard", {"type": "sounds_like", "values": ["nine"]})]))
    assert only_error(wrong) == ("turns.1.branches.0.condition.type", "found 'sounds_like'")


def in_sessions(*elapsed: str | None, key: str = "time_elapsed") -> Foreign:
    sessions = [
        {"session_number": n, "session_context": "They write.", key: when, "turns": [turn(n)]}
        for n, when in enumerate(elapsed, start=1)
    ]
    return read(turns=None, sessions=[{k: v for k, v in s.items() if v is not None} for s in sessions])


@pytest.mark.parametrize(
    ("given_words", "ours"),
    [
        (("Day 0", "3 months later"), [None, "3 months"]),
        (("Week 0", "two weeks later", "a year later"), [None, "2 weeks", "1 year"]),
        (("Day 1", "Day 15", "Day 18"), [None, "14 days", "3 days"]),
        (("Day 1", "one week later", "Day 10"), [None, "1 week", "2 days"]),
        ((None, "30 days"), [None, "30 days"]),
        ((None, "1 months"), [None, "1 months"]),
    ],
)
def test_time_between_sessions(given_words: tuple[str, ...], ours: list[str | None]) -> None:
    """`later` counts from the session before, `Day 15` from the first; the first session has none."""
    foreign = in_sessions(*given_words)
    assert [s.get("elapsed") for s in value(foreign)["sessions"]] == ours
    assert errors(foreign) == []


@pytest.mark.parametrize("when", ["one fine day", "Day 0", "0 days later"])
def test_a_time_that_cannot_be_read(when: str) -> None:
    """Words that are no time, and a time that does not go forward, are errors."""
    assert only_error(in_sessions("Day 0", when)) == ("sessions.1.time_elapsed", f"found {when!r}")


def test_days_count_from_a_first_session_that_says_its_day() -> None:
    """`Day 15` means nothing where the first session has no day."""
    assert only_error(in_sessions(None, "Day 15"))[0] == "sessions.1.time_elapsed"


def test_turns_count_on_across_sessions() -> None:
    """A turn without a number has the next one, also in a later session."""
    bare = {key: item for key, item in turn(1).items() if key != "turn"}
    sessions = [
        {"session_number": 1, "turns": [bare, bare]},
        {"session_number": 2, "elapsed": "2 days", "turns": [bare]},
    ]
    made = value(read(turns=None, sessions=sessions))
    assert [t["turn"] for s in made["sessions"] for t in s["turns"]] == [1, 2, 3]


def test_persona_keys_of_an_older_form_are_context() -> None:
    """Keys beside those of today go into the context, as text."""
    persona = {
        "name": "Ada",
        "age": "50",
        "care_recipient": "x",
        "care_duration": 3,
        "hours": 60,
        "context": {"tired": True},
    }
    foreign = read(persona=persona)
    made = value(foreign)["persona"]
    assert made["context"] == {"tired": "yes", "hours": "60"}
    assert (made["age"], made["role"], made["care_duration"]) == (50, "not said", "3")
    assert foreign.upgraded.origin(("persona", "context", "hours")) == ("persona", "hours")
    assert only_error(read(persona={**persona, "context": {"hours": 3}}))[0] == "persona.hours"


def test_variants_and_contrasts_under_older_names() -> None:
    """`sms_variant_of`, `canonical_scenario` and `contrast_group` have names of today."""
    for key in ("sms_variant_of", "canonical_scenario"):
        assert value(read(**{key: "first"}))["variant_of"] == "first"
    made = value(read(contrast_group="night", contrast_variable="cue removed"))
    assert made["contrast"] == {"group": "night", "variable": "cue_removed"}


def test_dimensions_with_weights() -> None:
    """Weights are not read, names are translated, and an unknown one is left out."""
    foreign = read(scoring_dimensions={"crisis_safety": 3, "belonging": 2, "colour": 1})
    assert value(foreign)["scoring_dimensions"] == ["safety", "regard"]
    assert ("scoring_dimensions.colour", "unknown dimension 'colour'") in notices(foreign)


def test_categories_of_elsewhere() -> None:
    """An older word is translated; a category that the benchmark does not have is kept, with a notice."""
    assert value(read(category="Crisis Safety"))["category"] == "safety"
    assert value(read(category=None, tier="context"))["category"] == "context"
    foreign = read(category="system")
    assert value(foreign)["category"] == "system"
    assert only_notice(foreign)[0] == "category"


def test_unknown_keys_are_named_with_a_suggestion() -> None:
    """A misspelled key is not dropped in silence."""
    foreign = read(turns=turns(context_note="n"))
    assert only_notice(foreign) == ("turns.1.context_note", "is not read")
    assert "context_notes" in foreign.findings[0].hint


def test_what_is_no_scenario() -> None:
    """No id, no turns, a turn without a message, a reply for a turn, and a file of something else."""
    assert only_error(read(scenario_id=None)) == ("scenario_id", "is missing")
    assert only_error(read(turns=None))[1] == "a scenario needs exactly one of `turns` and `sessions`"
    assert only_error(read(turns=[]))[1] == "no turns; at least 1"
    silent = {**turn(2), "user_message": " "}
    assert only_error(read(turns=[turn(1), silent]))[0] == "turns.1.user_message"
    assert only_error(read(turns=[turn(1), {**turn(2), "role": "assistant"}]))[0] == "turns.1.role"
    others: list[Any] = [{"models": []}, [], "text", None, 3]
    for other in others:
        upgraded = upgrade(other, KNOWN)
        assert upgraded.value is None
        assert len(upgraded.findings) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["t", "turn", "kind", "cue", "id", "levels", "type", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
PLACES = [
    *((key,) for key in scenario_dict()),
    *(
        (key,)
        for key in ("sessions", "probes", "anchors", "cue_anchors", "risk_triggers", "eligible_modes", "tier")
    ),
    *(
        ("turns", 1, key)
        for key in ("turn", "t", "user_message", "rubric", "rubric_criteria", "autofail_rubric")
    ),
    *(
        ("turns", 1, key)
        for key in ("branches", "facts", "updates", "probes", "criteria", "expected_behaviors")
    ),
    ("turns", 1),
    ("persona", "context"),
    ("persona", "age"),
]


@given(st.sampled_from(PLACES), JSON)
def test_nothing_makes_it_fall_over(place: tuple[str | int, ...], wrong: Any) -> None:
    """Whatever stands in any place, there is an answer, and a value that JSON can hold."""
    whole: Any = json.loads(json.dumps(scenario_dict()))
    inner = whole
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = wrong
    upgraded = upgrade(whole, KNOWN)
    json.dumps(upgraded.value)
    for finding in upgraded.findings:
        assert finding.found
        assert finding.hint


@pytest.mark.parametrize("key", ["metadata", "persona", "facts"])
def test_deep_nesting_does_not_make_it_fall_over(key: str) -> None:
    """A value as deep as a file may be is read, or refused, like any other."""
    deep: Any = {}
    for _ in range(190):
        deep = {"x": deep}
    changed = {"persona": {"age": 50, "deep": deep}} if key == "persona" else {key: deep}
    read(**({"turns": turns(facts=deep)} if key == "facts" else changed))


def test_the_work_of_an_upgrade_grows_with_the_file_and_no_faster() -> None:
    """Four times the turns are about four times the work, not sixteen times."""

    def work(count: int) -> int:
        whole = scenario_dict(turns=[older_turn(n, odd=1) for n in range(1, count + 1)])
        return operations(lambda: upgrade(whole, KNOWN))

    work(1)  # fills the caches
    assert work(200) < 5 * work(50)


def write(path: Path, given_value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = given_value if isinstance(given_value, str) else json.dumps(given_value, indent=1)
    path.write_text(text, encoding="utf-8")
    return path


def test_findings_and_notices_have_the_lines_of_the_file(tmp_path: Path) -> None:
    """A place of our form is told by the place and the line that the file has for it."""
    anchor = {
        "cue_turn": 2,
        "cue_text_match": "say in",
        "response_window": {"from_turn": 3, "to_turn": 2},
        "modes": ["IB-A1"],
    }
    path = write(tmp_path / "x.json", scenario_dict(cue_anchors=[anchor], title=5))
    foreign = load_foreign(path, KNOWN)
    lines = path.read_text().splitlines()
    assert foreign.scenario is None
    assert {(f.key, f.found) for f in foreign.findings} >= {("title", "found 5")}
    for finding in foreign.findings:
        assert finding.line is not None
        assert (
            f'"{finding.key.split(".")[-1]}"' in lines[finding.line - 1]
            or finding.key.split(".")[-1].isdigit()
        )


@pytest.mark.parametrize(
    ("data", "line", "found"),
    [
        (b'{"scenario_id": "x",\n "turns": [\n', 3, "broken JSON"),
        (b'{"scenario_id": "x",\n "turns": [],\n "turns": []}', 3, "key given twice"),
        (b'{"scenario_id": "caf\xe9"}', 1, "not UTF-8"),
        (b'{"scenario_id": "\\ud800", "turns": []}', None, "half of a character"),
        (b'{"scenario_id": ' + b"9" * 5000 + b"}", 1, "a number of 5000 digits"),
        (b"[" * 100_000, None, "nested more than 200 levels"),
    ],
)
def test_a_file_that_cannot_be_read_at_all(tmp_path: Path, data: bytes, line: int | None, found: str) -> None:
    """Broken JSON, a key given twice, other bytes than UTF-8, half a character: named, with the line."""
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        load_foreign(path, KNOWN)
    (finding,) = caught.value.findings
    assert finding.line == line
    assert found in finding.found


def test_a_schema_is_no_scenario(tmp_path: Path) -> None:
    """A JSON schema that lies among scenarios is passed over, with a notice."""
    foreign = load_foreign(write(tmp_path / "s.json", {"$schema": "x"}), KNOWN)
    assert (foreign.scenario, errors(foreign), len(notices(foreign))) == (None, [], 1)


def test_json_that_yaml_reads_otherwise_has_its_lines(tmp_path: Path) -> None:
    """Tabs and characters in two halves are JSON; the line of a finding is known all the same."""
    text = json.dumps(scenario_dict(title=5, description="\N{SLIGHTLY SMILING FACE}"), indent="\t")
    assert "\\ud83d" in text
    foreign = load_foreign(write(tmp_path / "x.json", text), KNOWN)
    lines = [n for n, line in enumerate(text.splitlines(), start=1) if '"title"' in line]
    assert [(f.key, f.line) for f in foreign.findings] == [("title", lines[0])]


def test_every_file_once(tmp_path: Path) -> None:
    """A folder stands for its JSON files, in order; a file that is named twice is read once."""
    a, b = write(tmp_path / "d" / "a.json", {}), write(tmp_path / "b.json", {})
    write(tmp_path / "d" / "notes.txt", "")
    (tmp_path / "d" / "folder.json").mkdir()
    assert list(scenario_files([b, tmp_path])) == [b, a]
