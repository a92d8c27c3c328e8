"""Lint of slots: each rule has a file that breaks it, and the small scenario that keeps them all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ib.models.draw.keyed_slot import KeyedSlot
from ib.pipeline.lint.benchmark import slot_findings
from ib.scenario.lint_slots import slot_problems
from tests.scenario import branch, scenario_dict, turn, write_scenario
from tests.scenario.slots import SLOTS, slotted, write_draw


def faults(template: dict[str, Any], inherited: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    """The key and the words of each fault of a file."""
    slots = {
        name: KeyedSlot.model_validate_json(json.dumps(slot)) for name, slot in template["slots"].items()
    }
    return [(".".join(map(str, at)), found) for at, found, _ in slot_problems(template, slots, inherited)]


def first_says(message: str) -> dict[str, Any]:
    """The small scenario with another message in turn 3."""
    turns = [*slotted()["turns"]]
    turns[2] = turn(3, message)
    return slotted(turns=turns)


def test_the_small_scenario_is_sound() -> None:
    """What the other tests break."""
    assert faults(slotted()) == []


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("It was at 1:40 again.", "has '1:40' written by hand, a value of slot 'hour'"),
        ("The RED one.", "has 'RED' written by hand, a value of slot 'color'"),
        ("{colour} it is", "unknown slot 'colour'"),
        ("at {hour}", "`hour` has no form ''"),
        ("at {hour.minutes}", "`hour` has no form 'minutes'"),
        ("{ what }", "has a brace that belongs to no slot"),
        ("an {color} one", "'an' before the value 'red'"),
    ],
)
def test_a_message_depends_on_a_choice_only_through_its_slot(message: str, found: str) -> None:
    """Hand-written values, unknown slots and forms, stray braces, and articles that do not agree."""
    assert ("turns.2.user_message", found) in faults(first_says(message))


@pytest.mark.parametrize(("branch_id", "named"), [("asked-over-red", True), ("asked-tired", False)])
def test_the_id_of_a_branch_names_no_value(branch_id: str, named: bool) -> None:
    """Another draw has another color. A part of a word is no value here either."""
    turns = [*slotted()["turns"]]
    turns[2] = turn(3, "The {color} one.", branches=[branch(branch_id, {"type": "regex", "pattern": "x"})])
    found = f"{branch_id!r} names 'red', a value of slot 'color'"
    place = "turns.2.branches.0.branch_id"
    assert ((place, found) in faults(slotted(turns=turns))) is named


def test_a_part_of_a_word_is_no_value() -> None:
    """`tired` has the letters of `red`."""
    assert faults(first_says("I am tired, and 11:40 is late.")) == []


def test_a_slot_is_used_and_stands_apart() -> None:
    """Each form stands in a text, four slots are the least, and no value stands in another slot."""
    more = {**SLOTS, "town": {"kind": "town", "values": [f"Port {n}ford" for n in "abcdefgh"]}}
    assert faults(slotted(slots=more)) == [("slots.town", "no text has `{town}`")]
    few = {name: SLOTS[name] for name in ("hour", "color")}
    assert ("slots", "2 slots") in faults(slotted(slots=few))
    houses = {"kind": "fact", "values": [f"a {c} house" for c in SLOTS["color"]["values"]]}
    doubled = faults({**first_says("We saw {house}."), "slots": {**SLOTS, "house": houses}})
    assert any(place == "slots.color" and "stands in a value of 'house'" in found for place, found in doubled)


def test_inherited_slots_need_not_be_used() -> None:
    """A twin uses what it needs of its parent's slots."""
    plain = slotted(persona={**slotted()["persona"], "name": "Doe"}, probes=[])
    assert faults(plain, frozenset(SLOTS)) == []


def test_a_form_that_only_a_twin_uses_is_used(tmp_path: Path) -> None:
    """The origin lists the slots of its family. Without the variant, the form is unused."""
    hours = [{**value, "said": f"{value['digits']} sharp"} for value in SLOTS["hour"]["values"]]
    slots = {**SLOTS, "hour": {"kind": "hour", "values": hours}}
    write_draw(tmp_path)
    write_scenario(tmp_path, slotted(slots=slots))
    assert [one.found for one in slot_findings(tmp_path)] == ["no text has `{hour.said}`"]
    more = {"variant_of": "safety-crisis-small", "turns": [turn(1, "Up since {hour.said}.")]}
    write_scenario(tmp_path, scenario_dict("safety-crisis-other", **more))
    assert list(slot_findings(tmp_path)) == []
