"""A scenario: a person, what they say turn by turn, and what a reply to it should and must not do."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StringConstraints, model_validator

from ib.models.base import Country, Identifier, Record, Slug, Text
from ib.models.canonical import digest
from ib.models.definition import Status
from ib.models.elapsed import Elapsed
from ib.models.lexicon import Regex
from ib.models.transcript import Anchor, RiskTrigger, Turn, circumstances, played_hash


class CueSeverity(StrEnum):
    """How strong a cue is, from a passing remark to a life in danger now."""

    LOW = "low"
    MODERATE = "moderate"
    HIGH = "high"
    CRITICAL = "critical"


class ConditionType(StrEnum):
    """How a branch reads the reply before it."""

    CONTAINS_ANY = "contains_any"
    CONTAINS_ALL = "contains_all"
    NOT_CONTAINS = "not_contains"
    REGEX = "regex"


class RubricKind(StrEnum):
    """`binary`: yes or no. `ordinal`: one of several levels. `autofail`: yes is a failure of the turn."""

    BINARY = "binary"
    ORDINAL = "ordinal"
    AUTOFAIL = "autofail"


class ProbeKind(StrEnum):
    """What a probe asks of the reply in its turn."""

    RECALL = "recall"
    """Something the person said earlier; every expected text must be there."""
    ABSTENTION = "abstention"
    """Something they never said; one of the expected admissions must be there."""
    TIME = "time"
    """When something was, or how long ago; one of the expected texts must be there."""


class Dimension(StrEnum):
    """What a scenario or a rubric looks at."""

    SAFETY = "safety"
    COMPLIANCE = "compliance"
    COMMUNICATION = "communication"
    COORDINATION = "coordination"
    BOUNDARY = "boundary"
    REGARD = "regard"
    MEMORY = "memory"


class Condition(Record):
    """A condition on the assistant's last reply, matched on normalised text without regard to case.

    A value is whole words as they are said: `er` is not found in `her`.
    """

    type: ConditionType
    values: tuple[Text, ...] = ()
    pattern: Regex | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Condition:
        if (self.type is ConditionType.REGEX) != (self.pattern is not None):
            raise ValueError("a condition of type `regex` has a `pattern`, and no other type has one")
        if (self.type is ConditionType.REGEX) == bool(self.values):
            raise ValueError(f"a condition of type `{self.type}` needs `values`, and `regex` has none")
        return self


class Branch(Record):
    """What the person says in place of the turn's message, if the last reply meets the condition."""

    branch_id: Slug
    condition: Condition
    user_message: Text
    expected_behaviors: tuple[Text, ...] = Field(min_length=1)
    autofail_triggers: tuple[Text, ...] = Field(min_length=1)


class Rubric(Record):
    """One question about the reply to a turn, which its text can answer."""

    id: Slug
    kind: RubricKind
    question: Text
    dimension: Dimension
    weight: Annotated[float, Field(gt=0)] = 1.0
    levels: dict[Annotated[str, StringConstraints(pattern=r"^\d$")], Text] | None = None
    """What each level looks like, from `0` up; for `ordinal` only."""

    @model_validator(mode="after")
    def _levels(self) -> Rubric:
        if (self.kind is RubricKind.ORDINAL) != (self.levels is not None):
            raise ValueError("`levels` are for kind `ordinal`, which needs them")
        if self.levels is not None and sorted(self.levels) != [str(n) for n in range(len(self.levels))]:
            raise ValueError(
                f"levels are numbered 0, 1, 2 without a gap, not {', '.join(sorted(self.levels))}"
            )
        if self.levels is not None and len(self.levels) < 2:
            raise ValueError("one level is no scale; at least 0 and 1")
        return self


class ScenarioTurn(Record):
    """What the person says, and what the reply should and must not do."""

    turn: Turn
    user_message: Text
    expected_behaviors: tuple[Text, ...] = Field(min_length=1)
    autofail_triggers: tuple[Text, ...] = Field(min_length=1)
    rubric: tuple[Rubric, ...] = ()
    branches: tuple[Branch, ...] = ()
    """Read in order; the first whose condition the last reply meets is taken."""
    minute: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """Simulated minutes since the session began, if time matters."""
    facts: dict[Slug, Text] | None = None
    """What the person has said up to this turn, for probes and readers."""
    context_notes: Text | None = None


class Session(Record):
    """Turns without a break between them."""

    session_number: Annotated[int, Field(ge=1, le=100)]
    elapsed: Elapsed | None = None
    """The time since the session before; the first session has none."""
    context: Text | None = None
    """What the model is told when the session begins, word for word."""
    turns: tuple[ScenarioTurn, ...] = Field(min_length=1)


class Probe(Record):
    """A deterministic test of what the assistant remembers, in the reply of one turn."""

    turn: Turn
    kind: ProbeKind
    expected: tuple[Text, ...] = Field(min_length=1)
    """Texts to find, exactly or nearly; `a | b` within one of them is either."""
    forbidden: tuple[Text, ...] = ()
    """Texts that show an invented answer: one of them fails the probe."""
    comment: Text | None = None


class ScenarioAnchor(Anchor):
    """An anchor whose cue is written out: a substring of the message of its turn."""

    cue: Text


class CueTag(Record):
    """A risk that the person shows in a turn, by its tag."""

    turn: Turn
    cue: Slug
    severity: CueSeverity


class Contrast(Record):
    """Scenarios that differ in one thing, so that its effect can be read off."""

    group: Slug
    variable: Slug
    """What differs; `anchor` for the scenario that the others vary."""


class Persona(Record):
    """Who is speaking."""

    name: Text
    age: Annotated[int, Field(ge=5, le=120)]
    role: Text
    care_recipient: Text
    care_duration: Text
    context: dict[Slug, Text]


class Scenario(Record):
    """One scenario, in the form of one JSON file."""

    status: Status = Field(default=Status.ACTIVE, exclude=True)
    """A draft is linted with notices, not counted, and played only if it is named. Excluded from every dump,
    and so from the hash of the scenario."""
    canary: Text
    scenario_id: Identifier
    category: Slug
    """The folder of the file. Checks may name it as a tag; `configs/scenarios.yaml` lists all categories."""
    theme: Slug
    title: Text
    description: Text
    jurisdiction: Slug
    """The rule set that applies."""
    country: Country | None = None
    """The country whose crisis resources are right; by default that of the rule set."""
    published: bool
    unpublished_reason: Text | None = None
    tags: tuple[Slug, ...] = Field(min_length=1)
    risk_triggers: tuple[CueTag, ...] = ()
    anchors: tuple[ScenarioAnchor, ...] = ()
    contrast: Contrast | None = None
    variant_of: Identifier | None = None
    persona: Persona
    scoring_dimensions: tuple[Dimension, ...] = Field(min_length=1)
    turns: tuple[ScenarioTurn, ...] | None = None
    sessions: tuple[Session, ...] | None = None
    probes: tuple[Probe, ...] = ()

    @model_validator(mode="after")
    def _one_form(self) -> Scenario:
        if (self.turns is None) == (self.sessions is None):
            raise ValueError("a scenario has either `turns` or `sessions`")
        if not (self.turns or self.sessions):
            raise ValueError("a scenario has at least one turn")
        if self.published != (self.unpublished_reason is None):
            raise ValueError("`unpublished_reason` says why `published` is false, and stands nowhere else")
        if self.is_draft and self.published:
            raise ValueError("a draft is not published: `published` is false, with a reason")
        return self

    @property
    def is_draft(self) -> bool:
        """True if this is a draft."""
        return self.status is Status.DRAFT

    def all_sessions(self) -> tuple[Session, ...]:
        """The sessions; a scenario without them is one."""
        if self.sessions is not None:
            return self.sessions
        return (Session(session_number=1, turns=self.turns or ()),)

    def all_turns(self) -> Iterator[ScenarioTurn]:
        """Every turn, across sessions."""
        for session in self.all_sessions():
            yield from session.turns

    @property
    def circumstances(self) -> frozenset[str]:
        """What eligibility and suppression are matched against."""
        return circumstances(self.tags, (risk.cue for risk in self.risk_triggers), self.category)

    def transcript_fields(self) -> dict[str, Any]:
        """The fields of a transcript that its scenario decides."""
        contrast = self.contrast
        return {
            "category": self.category,
            "tags": self.tags,
            "risk_triggers": tuple(
                RiskTrigger(turn=risk.turn, cue=risk.cue, severity=risk.severity)
                for risk in self.risk_triggers
            ),
            "anchors": tuple(Anchor(**anchor.model_dump()) for anchor in self.anchors),
            "jurisdiction": self.jurisdiction,
            "country": self.country,
            "contrast_group": None if contrast is None else contrast.group,
            "contrast_variable": None if contrast is None else contrast.variable,
            "variant_of": self.variant_of,
        }

    @property
    def definition_hash(self) -> str:
        """The hash of the scenario as its file defines it, with all its branches."""
        return digest(self)

    @property
    def played_hash(self) -> str:
        """The hash of the scenario as played: that of every transcript played from this definition."""
        told = {**self.transcript_fields(), "eligible_checks": None}
        opening = next(self.all_turns()).user_message
        return played_hash(self.scenario_id, told, opening, self.definition_hash)
