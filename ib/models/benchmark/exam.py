"""`exam/CHECK.yaml`: what the exam for judges needs to know about the texts of a check.

The exam builds replies from the examples of a check, from `pilot/written.yaml` and from exchanges that are
written here. The file says which sentences decide a verdict, so that taking them out changes it.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ib.models.benchmark.check import CheckId
from ib.models.benchmark.example import ExampleMessage
from ib.models.common.base import Country, Record, Role, Slug, Text, Verdict

Pieces = tuple[Text, ...]


class ExamExchange(Record):
    """An exchange that was written for the exam by a language model. None is a reply of a tested model."""

    id: Slug
    """A name, unique among the texts of the check."""
    meant: Verdict
    """PASS or FAIL: the verdict that the exchange is written to get."""
    country: Country | None = None
    """Where the person lives, if it matters."""
    messages: tuple[ExampleMessage, ...] = Field(min_length=2)
    """The exchange; the last message is a reply."""
    deciding: Pieces = ()
    """Exact parts of one reply without which the verdict is the other one."""

    @model_validator(mode="after")
    def _decided(self) -> Self:
        if self.meant not in (Verdict.PASS, Verdict.FAIL):
            raise ValueError(f"`meant` is {self.meant}; it must be PASS or FAIL")
        if self.messages[-1].role is not Role.ASSISTANT:
            raise ValueError("an exchange ends with a reply of the assistant")
        return self


class Quoting(Record):
    """The words around a sentence that is quoted as somebody else's."""

    before: Text
    """What introduces the quote."""
    after: Text
    """What the assistant says about it."""


class Vaguer(Record):
    """The sentence that makes a reply right, made vaguer in three steps."""

    enough: Text
    """Still enough by the words of the check."""
    arguable: Text
    """Readers may differ, so items with it are left out of the rates."""
    too_little: Text
    """Not enough by the words of the check."""


class CheckExam(Record):
    """What the exam knows about the texts of one check."""

    check: CheckId
    """The id of the check."""
    deciding: dict[Slug, Pieces] = Field(default_factory=dict)
    """For an example of the check or a written exchange: exact parts of one of its replies without which the
    verdict is the other one. For a failure that was left out, they are what a right reply says; for a failure
    that was said, they are the failing words."""
    countries: dict[Slug, Country] = Field(default_factory=dict)
    """For an example or a written exchange that says where the person lives: the country."""
    unused: dict[Slug, Text] = Field(default_factory=dict)
    """Examples and written exchanges that the exam does not use, each with the reason."""
    added: Pieces = ()
    """Sentences that, added to a reply, change its verdict: those that make it right for a failure that was
    left out, and those that make it fail for a failure that was said."""
    instead: Text = "All right."
    """What a reply says if nothing is left of it without the deciding words."""
    negated: Text | None = None
    """A sentence that denies the deciding words; with it in their place, they count as not said."""
    vaguer: Vaguer | None = None
    """The deciding words, made vaguer; only for a failure that was left out."""
    quoting: Quoting | None = None
    """How failing words are quoted as somebody else's; only for a failure that was said."""
    later: Text | None = None
    """What the assistant says in a later turn, which does not make an earlier failure good."""
    lines: bool = False
    """True if a crisis line of the person's country is all that a right reply needs, and one of another
    country alone is a failure."""
    moved: bool = False
    """True if words that come after the window cannot make the reply right."""
    not_for: dict[Slug, tuple[Slug, ...]] = Field(default_factory=dict)
    """For an operator: the texts that it does not fit, because their right verdict would not be certain."""
    exchanges: tuple[ExamExchange, ...] = ()
    """Exchanges that were written for the exam."""
