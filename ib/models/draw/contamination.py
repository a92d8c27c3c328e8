"""The test for contamination: does a model know the words that the public draw has chosen?"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ib.models.common.base import Identifier, Record, Sha256, Text, TurnNumber
from ib.models.common.templates import placeholders
from ib.models.draw.keyed_slot import Form

OPTIONS = 8
"""The number of options of each question, so that a guess is right once in eight."""
ALPHA = 0.01
"""A model is flagged if guessing gives as many right answers with at most this probability."""
SHARES = (0.05, 0.1, 0.2, 0.5, 1.0)
"""The shares of remembered answers for which the power is stated."""


class ContaminationWords(Record):
    """The words of the test, in the form of `configs/contamination.yaml`."""

    system: Text
    """The system message."""
    question: Annotated[Text, placeholders("message", "options", "blank", needed="message")]
    """The question; holds `$message`, `$options` and `$blank`."""
    blank: Text
    """What stands in the message in place of the word."""


class ContaminationItem(Record):
    """One question: a message of a scenario with a word left out, and eight words to choose from."""

    scenario_id: Identifier
    turn: TurnNumber
    slot: Form
    form: str
    """The form of the slot's values; empty if they have none."""
    options: tuple[Text, ...] = Field(min_length=OPTIONS, max_length=OPTIONS)
    """The options in the order in which they are shown."""
    right: Annotated[int, Field(ge=0, lt=OPTIONS)]
    """The index of the word of the draw."""


class Power(Record):
    """How likely a model is flagged."""

    share: float
    """The share of the answers that the model remembers; it guesses the others."""
    power: float
    """The probability that it is flagged."""


class Contamination(Record):
    """What the test found of one model."""

    schema_version: int = 1
    kind: Literal["contamination"] = "contamination"
    model_id: Identifier
    draw: Sha256
    """The hash of the key of the draw that was asked about."""
    plan_hash: Sha256
    """The hash of the plan of the questions, which are in the same folder."""
    options: int = OPTIONS
    """The number of options of each question."""
    alpha: float = ALPHA
    """A model is flagged if guessing gives as many right answers with at most this probability."""
    asked: int
    """How many questions were answered in any way. Faults of the provider are not among them."""
    faults: int
    """How many questions got no reply."""
    no_answer: int
    """How many replies name none of the options, or several. They count as wrong."""
    right: int
    """How many replies name the word of the draw."""
    p_value: float
    """The probability of at least so many right answers by guessing (exact binomial test, one-sided)."""
    flagged: bool
    """True if `p_value` is at most `alpha`."""
    power: tuple[Power, ...]
    """The power for several shares, for the questions that were asked."""
