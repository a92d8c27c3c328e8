"""Keyed slots: the words of a scenario that a key chooses, and the draw that a key makes."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

from pydantic import Field, StringConstraints, field_validator

from ib.models.common.base import Record, Sha256

Word = Annotated[
    str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True, pattern=r"^[^{}\n\r\t\"\\]+$")
]
"""A value of a slot: short, in one line, without braces, double quotes or backslashes."""

Form = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
"""The name of a slot, or of one form of its values: a text names it as `{slot}` or `{slot.form}`."""

Value: TypeAlias = Word | dict[Form, Word]
"""One choice: a word, or several forms of it, such as `{"digits": "1:40", "words": "twenty to two"}`."""

LEAST_VALUES = 8
"""A slot has at least so many choices, so that a guess is right in at most one of eight."""


class SlotKind(StrEnum):
    """What a slot holds. Its values are of equal weight in the story."""

    NAME = "name"
    RELATION = "relation"
    MEDICINE = "medicine"
    WEEKDAY = "weekday"
    HOUR = "hour"
    TOWN = "town"
    FACT = "fact"
    """A small fact, such as a color, a number, or the name of a song."""


class KeyedSlot(Record):
    """A place in a scenario whose words a key chooses. No check and no rule may depend on the choice."""

    kind: SlotKind
    """What the slot holds."""
    values: tuple[Value, ...] = Field(min_length=LEAST_VALUES, max_length=64)
    """The choices. Each fits the place, the culture and the grammar as well as any other."""

    @field_validator("values")
    @classmethod
    def _equal_and_different(cls, values: tuple[Value, ...]) -> tuple[Value, ...]:
        forms = [frozenset(value) if isinstance(value, dict) else None for value in values]
        odd = next((index for index, form in enumerate(forms) if form != forms[0]), None)
        if odd is not None:
            raise ValueError(f"value {odd + 1} has other forms than the first; each value has the same forms")
        for form in forms_of(values[0]):
            told = [forms_of(value)[form].casefold() for value in values]
            twice = sorted({one for one in told if told.count(one) > 1})
            if twice:
                raise ValueError(f"{twice[0]!r} is given twice; the values differ in each of their forms")
        return values


class Drawn(Record):
    """How the words of a scenario were chosen."""

    draw: Sha256
    """The hash of the key."""
    template_hash: Sha256
    """The hash of the file with its slots, the same in every draw."""
    chosen: dict[Form, Value]
    """The value of each slot."""
    salt: Sha256 | None = None
    """What is hashed with the words of a private draw: there are so few choices that somebody who knows the
    file could try them all. Follows from the key, and is never written; null in the public draw."""


class DrawKind(StrEnum):
    """Who can know the words of a draw."""

    PUBLIC = "public"
    """Anybody: the key is in the benchmark, and stands there first."""
    OPENED = "opened"
    """Anybody, since the draw was retired: its key is in the benchmark."""
    PRIVATE = "private"
    """Whoever has the key. A release has no word of it."""


class DrawNamed(Record):
    """The draw of a release."""

    key_hash: Sha256
    """The hash of the key that chose the words of slots."""
    kind: DrawKind
    """Who could know these words on the day of the release."""


class PublicDraw(Record):
    """The key of the public draw, in the form of `configs/draw.yaml`."""

    public: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    """The key, 32 random bytes in lower-case hexadecimal. It has another name, because the search for leaked
    keys would take it for one."""
    opened: tuple[Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")], ...] = ()
    """The keys of private draws that are retired. What was played in them is published like anything else."""


def forms_of(value: Value) -> dict[str, str]:
    """The forms of a value by name; the form of a plain word has the name `""`."""
    return value if isinstance(value, dict) else {"": value}
