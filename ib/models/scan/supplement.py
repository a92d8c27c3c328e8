"""The supplementary measures. They are shown beside the checks and are not part of any score."""

from __future__ import annotations

import operator
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ib.models.common.base import Country, Played, Record, Sha256, Slug, Text, Verdict
from ib.models.common.phrase import Regex
from ib.models.common.templates import placeholders
from ib.models.conversation.scenario import ProbeKind, RubricKind, ScoringDimension

Dialled = Annotated[str, StringConstraints(pattern=r"^\d{2,15}$")]
"""A telephone number as dialed, only digits."""


class Quote(Record):
    """Words of the assistant, as written."""

    turn: int
    quote: str


class ProbeResult(Record):
    """The result of one probe on the reply of its turn."""

    turn: int
    kind: ProbeKind
    """`recall`, `abstention` or `time`."""
    passed: bool
    """True if the reply says what the probe asks for."""
    missing: tuple[str, ...] = ()
    """Expected texts that were not found."""
    made_up: tuple[str, ...] = ()
    """Forbidden texts that were found."""
    how: Literal["exact", "fuzzy"] | None = None
    """`fuzzy` if a text was found only nearly, else `exact`."""
    quotes: tuple[Quote, ...] = ()
    """The words that decided the result."""


class CoordinationItem(Record):
    """One of the three questions of coordination."""

    id: Literal["handoff", "resources", "scope"]
    """`handoff`, `resources` or `scope`."""
    verdict: Verdict
    quotes: tuple[Quote, ...] = ()
    detail: str = ""


class Graded(Record):
    """A judge's answer to one rubric or one side of regard."""

    id: str
    """The id of the rubric or of the side of regard."""
    turn: int | None = None
    """The turn of the reply; null for the whole conversation."""
    kind: RubricKind
    """`binary`, `ordinal` or `autofail`."""
    dimension: ScoringDimension
    weight: float = 1.0
    level: int | None = None
    """0 or 1 for yes/no questions; null if no majority agrees or nobody answered."""
    top: int = 1
    """The highest level."""
    asked: int
    """How many votes were asked."""
    reason: Literal["not_run", "no_majority", "fault"] | None = None
    """Why there is no level; `fault` if a vote was lost to a fault."""
    quotes: tuple[Quote, ...] = ()

    @property
    def share(self) -> float | None:
        """The level as a share of the highest level; 0 for an autofail that occurred."""
        if self.level is None:
            return None
        share = self.level / self.top
        return 1.0 - share if self.kind is RubricKind.AUTOFAIL else share


class Measured(Record):
    """One answer of a measure that has no field of its own in `Supplement`."""

    measure: Slug
    """The name of the measure."""
    id: Slug
    """What was asked, such as one of several questions of the measure."""
    verdict: Verdict
    quotes: tuple[Quote, ...] = ()
    detail: str = ""


class Supplement(Played):
    """Supplementary measures for one transcript."""

    transcript_hash: Sha256
    memory: tuple[ProbeResult, ...] = ()
    """The result of each probe."""
    coordination: tuple[CoordinationItem, ...] = ()
    """The three questions of coordination."""
    regard: tuple[Graded, ...] = ()
    """The levels of regard; empty if not asked for."""
    rubrics: tuple[Graded, ...] = ()
    """The levels of the rubrics; empty if not asked for."""
    others: tuple[Measured, ...] = Field(default=(), exclude_if=operator.not_)
    """The answers of measures that have no field here; left out if there are none."""


class NamedPattern(Record):
    id: Slug
    """A name."""
    regex: Regex


class HeardRisk(Record):
    """A serious risk that the person's words may tell, where a conversation does not list its risks."""

    lexicon: Slug
    """A lexicon of the user's words."""
    group: Slug | None = None
    """One of its groups; null for any."""
    cue: Slug
    """The tag of a risk trigger whose help fits."""


class CoordinationRules(Record):
    """What the coordination scorer looks for."""

    handoff: tuple[NamedPattern, ...] = Field(min_length=1)
    """Patterns by which a reply names a person or a service to turn to."""
    needs: dict[Slug, tuple[Slug, ...]]
    """For a tag of a risk trigger, the purposes of the resources that fit it."""
    scope: tuple[Slug, ...]
    """Lexicons of the assistant's words with which it exceeds its role."""
    heard: tuple[HeardRisk, ...] = ()
    """Which words of the person may tell a serious risk, if the conversation lists none."""
    asks: tuple[NamedPattern, ...] = ()
    """Words with which the person asks for somebody to turn to."""
    helps: tuple[NamedPattern, ...] = ()
    """Words that name help for a person who asks, in addition to `handoff`."""

    @property
    def lexicons(self) -> tuple[str, ...]:
        """The lexicons that the scorer needs, of either speaker."""
        return (*self.scope, *dict.fromkeys(risk.lexicon for risk in self.heard))

    also_works: dict[Country, tuple[Dialled, ...]] = Field(default_factory=dict)
    """Further emergency numbers by country, in addition to its crisis resources."""


class RegardPart(Record):
    """One side of regard, with its scale."""

    id: Slug
    """A name."""
    question: Text
    levels: tuple[Text, ...] = Field(min_length=2)
    """What each level looks like, from 0 up."""


class Grading(Record):
    """The prompts for rubrics and regard, and how often each question is asked."""

    system: Text
    """The system message: what the judge is."""
    transcript: Annotated[Text, placeholders("nonce", "messages", needed="messages", quoted="messages")]
    """How the conversation is shown."""
    item: Annotated[Text, placeholders("question", "where", needed="question")]
    """How the question is put; holds `$where` and `$question`."""
    yes_no: Text
    """The form of the answer to a yes/no question."""
    scale: Annotated[Text, placeholders("levels", needed="levels")]
    """The form of the answer on a scale; holds `$levels`."""
    reask: Text
    repetitions: Annotated[int, Field(ge=1, le=9)]
    """How often each question is asked."""


class Supplementary(Record):
    """The data of the supplementary measures."""

    canary: Text
    version: Text
    fuzzy_edits: int = Field(ge=0, le=3)
    """How many letters of an expected word may be wrong, missing, extra, or swapped with the next."""
    fuzzy_chars: int = Field(ge=1)
    """Words with fewer letters must be found exactly."""
    admissions: tuple[NamedPattern, ...] = ()
    """Words with which a reply admits that it was not told or cannot know. They pass an abstention probe."""
    coordination: CoordinationRules
    """What the coordination scorer looks for."""
    regard: tuple[RegardPart, ...]
    """The four sides of regard."""
    grading: Grading
    """The words around every rubric and every side of regard."""
