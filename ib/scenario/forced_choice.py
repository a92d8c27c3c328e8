"""Forced choices about a draw: a message with a word left out, and eight words of equal weight.

Only the first use of each slot is asked about. The other slots have the words of the draw: they were chosen
independently, so that they tell nothing about the one that is left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from string import Template
from typing import Any

from ib.models.conversation.scenario import Scenario, Turn
from ib.models.draw.contamination import OPTIONS, ContaminationItem, ContaminationWords
from ib.models.draw.keyed_slot import Drawn, Form, KeyedSlot, Value, forms_of
from ib.scenario.drawing import filled, references

LETTERS = "ABCDEFGH"
_ALONE = re.compile(rf"(?<![A-Za-z'])([{LETTERS}])(?![A-Za-z'])")


@dataclass(frozen=True, slots=True)
class Choice:
    """A slot of a scenario whose word is left out in a message."""

    scenario: Scenario
    turn: int
    slot: Form
    form: str
    values: tuple[str, ...]
    """The values of the slot in this form."""
    message: str
    """The message as its file has it."""

    @property
    def drawn(self) -> Drawn:
        """The draw of the scenario."""
        assert self.scenario.drawn is not None
        return self.scenario.drawn

    @property
    def truth(self) -> str:
        """The word of the draw."""
        return forms_of(self.drawn.chosen[self.slot])[self.form]

    def rank(self, said: str) -> str:
        """A number, in hexadecimal, that puts words in an order which nobody chose."""
        place = (self.drawn.draw, self.scenario.scenario_id, self.slot, said)
        return hashlib.sha256("\0".join(place).encode()).hexdigest()


def choices(
    scenario: Scenario, slots: Mapping[Form, KeyedSlot], messages: Mapping[int, str]
) -> Iterator[Choice]:
    """Every slot that a scenario itself lists and a message uses. `messages` are those of its file, by turn.

    The slots of an origin are asked about in the origin.
    """
    for name, slot in slots.items():
        for turn, message in sorted(messages.items()):
            form = next((form for said, form in references(message) if said == name), None)
            if form is not None:
                values = tuple(forms_of(value)[form] for value in slot.values)
                yield Choice(scenario, turn, name, form, values, message)
                break


def items(found: Iterable[Choice]) -> Iterator[tuple[Choice, ContaminationItem]]:
    """The question about each choice.

    The word of the draw stands at each of the eight places equally often, so that a model that always names
    the same letter is right as often as one that guesses.
    """
    for number, choice in enumerate(sorted(found, key=lambda choice: choice.rank(""))):
        others = sorted(set(choice.values) - {choice.truth}, key=choice.rank)[: OPTIONS - 1]
        right = number % OPTIONS
        yield (
            choice,
            ContaminationItem(
                scenario_id=choice.scenario.scenario_id,
                turn=choice.turn,
                slot=choice.slot,
                form=choice.form,
                options=(*others[:right], choice.truth, *others[right:]),
                right=right,
            ),
        )


def asked(choice: Choice, item: ContaminationItem, words: ContaminationWords) -> Scenario:
    """The question as a scenario of one turn, so that it is played like any other."""
    values = choice.drawn.chosen
    blanked: dict[Form, Value] = {**values, choice.slot: _blank(values[choice.slot], words.blank)}
    listed = "\n".join(f"{letter}) {said}" for letter, said in zip(LETTERS, item.options, strict=True))
    said = {"message": filled(choice.message, blanked), "options": listed, "blank": words.blank}
    text = Template(words.question).substitute(said)
    turn = Turn(turn=1, user_message=text, expected_behaviors=("A letter",), autofail_triggers=("No letter",))
    told: dict[str, Any] = dict.fromkeys(("anchors", "risk_triggers", "probes", "devices"), ())
    told |= {"turns": (turn,), "sessions": None, "contrast": None, "variant_of": None}
    return choice.scenario.model_copy(update={**told, "scenario_id": name_of(item)})


def name_of(item: ContaminationItem) -> str:
    """The id under which a question is played."""
    return f"{item.scenario_id}:{item.slot}"


def _blank(value: Value, blank: str) -> Value:
    return dict.fromkeys(value, blank) if isinstance(value, dict) else blank


def letter(reply: str, options: tuple[str, ...]) -> int | None:
    """The index of the option that a reply names, by its letter or by its words; None if it names none, or
    several."""
    named = {LETTERS.index(match) for match in _ALONE.findall(reply)}
    if not named:
        named = {index for index, said in enumerate(options) if said.casefold() in reply.casefold()}
    return named.pop() if len(named) == 1 else None
