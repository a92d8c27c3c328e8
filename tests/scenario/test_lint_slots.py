"""Lint of slots: each rule has a file that breaks it, and the small scenario that keeps them all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ib.models.draw.keyed_slot import KeyedSlot
from ib.scenario.lint_slots import slot_problems
from tests.scenario import turn
from tests.scenario.slots import SLOTS, slotted


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
