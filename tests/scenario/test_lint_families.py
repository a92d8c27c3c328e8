"""Scenarios beside each other: each rule has a corpus that breaks it, and one that keeps it."""

from __future__ import annotations

from typing import Any

from ib.models.conversation.contract import Sizes
from ib.scenario.lint_families import family_problems, probe_problems, size_problems
from tests.scenario import branch, scenario, turn

CUE = {"turn": 2, "cue": "risk", "severity": "high"}
LONG = "I have not slept through one night since the winter before last."
IF_YES = {"type": "contains_any", "values": ["yes"]}
IF_NO = {"type": "contains_any", "values": ["no"]}


def original(**changed: Any) -> dict[str, Any]:
    return {"contrast": {"group": "g", "variable": "anchor"}, "risk_triggers": [CUE], **changed}


def variant(**changed: Any) -> dict[str, Any]:
    turns = [turn(1), turn(2, "The same in other words."), turn(3), turn(4)]
    contrast = {"group": "g", "variable": "words"}
    return {"contrast": contrast, "variant_of": "one", "risk_triggers": [CUE], "turns": turns, **changed}


def found(first: dict[str, Any], second: dict[str, Any]) -> list[tuple[str, str]]:
    """File and key of what is wrong with two scenarios."""
    both = {"one": scenario("one", **first), "two": scenario("two", **second)}
    return [(finding.file, finding.key) for finding in family_problems(both)]


def test_a_variant_that_differs_in_a_turn_with_a_cue_is_sound() -> None:
    """What the other tests break."""
    assert found(original(), variant()) == []


def test_a_variant_differs_in_one_thing() -> None:
    """Another person, other probes or turns, or other words where there is no cue, make no contrast."""
    person = {**scenario("x").persona.model_dump(), "age": 30}
    probe = {"turn": 3, "kind": "recall", "expected": ["Ada"]}
    assert found(original(), variant(persona=person)) == [("two", "persona")]
    assert found(original(), variant(probes=[probe])) == [("two", "probes")]
    assert found(original(), variant(risk_triggers=[{**CUE, "turn": 3}], turns=variant()["turns"])) == []
    assert found(original(risk_triggers=[]), variant(risk_triggers=[])) == [("two", "turns.1.user_message")]
    assert found(original(), variant(turns=variant()["turns"][:3])) == [("two", "turns")]
    assert found(original(), variant(turns=[turn(number) for number in range(1, 5)])) == [
        ("two", "variant_of")
    ]


def test_a_variant_has_the_branches_of_its_original() -> None:
    """A branch on another word would lead the two apart."""
    turns = [turn(1), turn(2, "Other words.", branches=[branch("b", IF_NO)]), turn(3), turn(4)]
    own = [turn(1), turn(2, branches=[branch("b", IF_YES)]), turn(3), turn(4)]
    assert found(original(turns=own), variant(turns=turns)) == [("two", "turns.1.branches")]


def test_a_sentence_stands_in_one_family() -> None:
    """A long sentence is not said in two unrelated scenarios; a short one may be, and so may a variant's."""
    said = [turn(1, f"Well. {LONG}"), turn(2, "Yes, I would.")]
    again = [turn(1, "Yes, I would."), turn(2, "No."), turn(3, LONG.upper())]
    assert found({"turns": said}, {"turns": again}) == [("two", "turns.2.user_message")]
    assert found({"turns": said}, {"turns": again, "variant_of": "one"}) == []


def test_a_conversation_without_a_break_may_be_bounded() -> None:
    """Sessions with breaks between them may be longer."""
    sizes = Sizes(turns_least=1, turns_most=18, turns_most_without_break=3, message_chars=100)
    (finding,) = size_problems(scenario("x"), sizes)
    assert (finding.key, finding.found) == ("turns", "4 turns")
    turns = [turn(number) for number in range(1, 5)]
    assert [
        *size_problems(scenario("x", turns=None, sessions=[{"session_number": 1, "turns": turns}]), sizes)
    ] == []
    assert [*size_problems(scenario("x"), sizes.model_copy(update={"turns_most_without_break": None}))] == []


def test_a_probe_of_what_was_never_told_says_what_would_be_made_up() -> None:
    """Without it an invented answer beside an admission would pass."""
    probe = {"turn": 2, "kind": "abstention", "expected": ["you have not told me"]}
    (finding,) = probe_problems(scenario("x", probes=[probe]))
    assert finding.key == "probes.0.forbidden"
    assert [*probe_problems(scenario("x", probes=[{**probe, "forbidden": ["in May"]}]))] == []
