"""A scenario: a person, their messages, and what the replies should and must not do."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field, PrivateAttr, StringConstraints, model_validator

from ib.models.benchmark.definition import Status
from ib.models.common.base import ENGLISH, Country, Identifier, Language, Record, Slug, Text, TurnNumber
from ib.models.common.canonical import digest
from ib.models.conversation.condition import Condition
from ib.models.conversation.listening import Listening
from ib.models.conversation.transcript import Anchor, RiskTrigger, circumstances, played_hash
from ib.models.draw.keyed_slot import Drawn, Form, KeyedSlot

Elapsed = Annotated[
    str, StringConstraints(pattern=r"^[1-9]\d{0,3} (?:minutes?|hours?|days?|weeks?|months?|years?)$")
]
"""A number and a unit, from minutes to years: `2 months`."""

_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 10_080, "month": 43_200, "year": 525_600}


def elapsed_minutes(elapsed: str) -> int:
    """Convert an `Elapsed` to minutes. A month counts as 30 days, a year as 365. Raises ValueError."""
    match = re.fullmatch(r"(\d+) ([a-z]+?)s?", elapsed)
    if match is None:
        raise ValueError(f"{elapsed!r} is not an elapsed time such as `2 months`")
    return int(match[1]) * _MINUTES[match[2]]


class CueSeverity(StrEnum):
    """How strong a cue is, from a passing remark to a life in danger now."""

    LOW = "low"
    MODERATE = "moderate"
    HIGH = "high"
    CRITICAL = "critical"


class RubricKind(StrEnum):
    """`binary`: yes or no. `ordinal`: one of several levels. `autofail`: yes is a failure of the turn."""

    BINARY = "binary"
    ORDINAL = "ordinal"
    AUTOFAIL = "autofail"


class ProbeKind(StrEnum):
    """What a probe asks of the reply in its turn."""

    RECALL = "recall"
    """Something that the person said earlier. The reply must hold every expected text."""
    ABSTENTION = "abstention"
    """Something that the person never said. The reply must hold one of the expected admissions."""
    TIME = "time"
    """When something happened, or how long ago. The reply must hold one of the expected texts."""


class ScenarioCategory(StrEnum):
    """The categories of the 64 public scenarios. Other benchmarks list theirs in `configs/scenarios.yaml`."""

    SAFETY = "safety"
    EMPATHY = "empathy"
    CONTEXT = "context"
    CONTINUITY = "continuity"


class ScoringDimension(StrEnum):
    """The subject of a scenario or a rubric."""

    SAFETY = "safety"
    COMPLIANCE = "compliance"
    COMMUNICATION = "communication"
    COORDINATION = "coordination"
    BOUNDARY = "boundary"
    REGARD = "regard"
    MEMORY = "memory"


class Branch(Record):
    """A message that replaces the turn's message if the last reply meets the condition."""

    branch_id: Slug
    """A name, unique in the scenario."""
    condition: Condition
    """When the branch is taken."""
    user_message: Text
    expected_behaviors: tuple[Text, ...] = Field(min_length=1)
    autofail_triggers: tuple[Text, ...] = Field(min_length=1)

    def hearing(self, listenings: Mapping[str, Listening]) -> Self:
        """The branch with the listening that its condition names. Raises KeyError for an unknown name."""
        return self.model_copy(update={"condition": self.condition.hearing(listenings)})


class Rubric(Record):
    """One question about the reply to a turn. The text of the reply must be enough to answer it."""

    id: Slug
    """A name, unique in the benchmark."""
    kind: RubricKind
    """`binary`, `ordinal` or `autofail`."""
    question: Text
    dimension: ScoringDimension
    weight: Annotated[float, Field(gt=0)] = 1.0
    levels: dict[Annotated[str, StringConstraints(pattern=r"^\d$")], Text] | None = None
    """What each level looks like, from `0` up; for `ordinal` only."""

    @model_validator(mode="after")
    def _levels(self) -> Rubric:
        if (self.kind is RubricKind.ORDINAL) != (self.levels is not None):
            raise ValueError("`levels` are required for kind `ordinal` and not allowed for others")
        if self.levels is not None and sorted(self.levels) != [str(n) for n in range(len(self.levels))]:
            raise ValueError(
                f"levels are numbered 0, 1, 2 without a gap, not {', '.join(sorted(self.levels))}"
            )
        if self.levels is not None and len(self.levels) < 2:
            raise ValueError("fewer than 2 levels; at least 0 and 1")
        return self


class Turn(Record):
    """What the person says, and what the reply should and must not do."""

    turn: TurnNumber
    user_message: Text
    expected_behaviors: tuple[Text, ...] = Field(min_length=1)
    autofail_triggers: tuple[Text, ...] = Field(min_length=1)
    rubric: tuple[Rubric, ...] = ()
    """Questions about the reply."""
    branches: tuple[Branch, ...] = ()
    """Read in order; the first whose condition the last reply meets is taken."""
    minute: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """Simulated minutes since the session began, if time matters."""
    facts: dict[Slug, Text] | None = None
    """What the person has said up to this turn, for probes and readers."""
    context_notes: Text | None = None
    """Notes for readers."""


class Session(Record):
    """Turns without a break between them."""

    session_number: Annotated[int, Field(ge=1, le=100)]
    """1, 2, 3."""
    elapsed: Elapsed | None = None
    """The time since the session before; the first session has none."""
    context: Text | None = None
    """What the model is told when the session begins, word for word."""
    turns: tuple[Turn, ...] = Field(min_length=1)
    """What is said in the session."""


class Probe(Record):
    """A deterministic test of what the assistant remembers, in the reply of one turn."""

    turn: TurnNumber
    kind: ProbeKind
    """`recall`, `abstention` or `time`."""
    expected: tuple[Text, ...] = Field(min_length=1)
    """Texts to find, exactly or with small misspellings. `a | b` means a or b."""
    forbidden: tuple[Text, ...] = ()
    """Texts that show an invented answer: one of them fails the probe."""
    comment: Text | None = None
    """A remark for readers."""


class ScenarioAnchor(Anchor):
    """An anchor with its cue, which is a part of the message of its turn."""

    cue: Text


class CueTag(Record):
    """The tag of a risk that the person shows in a turn."""

    turn: TurnNumber
    cue: Slug
    """The tag of the risk."""
    severity: CueSeverity
    """`low`, `moderate`, `high` or `critical`."""


class Contrast(Record):
    """A group of scenarios that differ in one thing, to measure its effect."""

    group: Slug
    """The name of the group."""
    variable: Slug
    """What differs; `anchor` for the scenario that the others vary."""


class Persona(Record):
    """Who is speaking."""

    name: Text
    """The name of the person."""
    age: Annotated[int, Field(ge=5, le=120)]
    """The age in years."""
    role: Text
    """What the person is to the one they care for."""
    care_recipient: Text
    """Whom they care for."""
    care_duration: Text
    """For how long."""
    context: dict[Slug, Text]
    """Facts about the person by name; `configs/scenarios.yaml` says which are required."""


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
    """The folder below that of the category."""
    title: Text
    """The title, for people."""
    description: Text
    """What the scenario is about, for people."""
    jurisdiction: Slug
    """The rule set that applies."""
    country: Country | None = None
    """The country whose crisis resources are right; by default that of the rule set."""
    language: Language = ENGLISH
    """The language of the person. If it is not English, a check that needs English phrases is not run."""
    set: Slug | None = Field(default=None, exclude_if=operator.not_)
    """The set that the scenario belongs to, one of `sets` in `configs/scenarios.yaml`; null for the core,
    which is played by default. The hash of a scenario of the core has no such key."""
    published: bool
    """True if the scenario may be shown."""
    unpublished_reason: Text | None = None
    """Why it may not be shown; only with `published: false`."""
    tags: tuple[Slug, ...] = Field(min_length=1)
    risk_triggers: tuple[CueTag, ...] = ()
    anchors: tuple[ScenarioAnchor, ...] = ()
    contrast: Contrast | None = None
    """The contrast group that the scenario belongs to."""
    variant_of: Identifier | None = None
    devices: tuple[Slug, ...] = ()
    """The turns of plot that the scenario uses, from the list in `configs/scenarios.yaml`."""
    persona: Persona
    """Who is speaking."""
    scoring_dimensions: tuple[ScoringDimension, ...] = Field(min_length=1)
    """The dimensions of its rubrics, and `memory` if it has probes; without rubrics, what the scenario is
    about."""
    turns: tuple[Turn, ...] | None = None
    """What is said; a scenario has either `turns` or `sessions`."""
    sessions: tuple[Session, ...] | None = None
    """Conversations with time between them."""
    probes: tuple[Probe, ...] = ()
    """Deterministic tests of what the assistant remembers."""
    slots: dict[Form, KeyedSlot] = Field(default_factory=dict, exclude=True)
    """The words that a key chooses, by the name that texts use in braces: `{weekday}`. A variant or a twin
    has the slots of its origin, and lists only its own. Excluded from every dump, and so from the hash of the
    scenario, which is that of its words as drawn."""
    _drawn: Drawn | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _one_form(self) -> Scenario:
        if (self.turns is None) == (self.sessions is None):
            raise ValueError("a scenario needs exactly one of `turns` and `sessions`")
        if not (self.turns or self.sessions):
            raise ValueError("no turns; at least 1")
        if self.published != (self.unpublished_reason is None):
            raise ValueError("`unpublished_reason` is required if `published` is false, and only then")
        if self.is_draft and self.published:
            raise ValueError("a draft needs `published: false` and an `unpublished_reason`")
        return self

    @property
    def drawn(self) -> Drawn | None:
        """How its words were chosen; None for a scenario without slots, which is the same in every draw."""
        return self._drawn

    def as_drawn(self, drawn: Drawn) -> Self:
        """The same scenario, with a record of how its words were chosen."""
        copy = self.model_copy()
        copy._drawn = drawn
        return copy

    @property
    def is_draft(self) -> bool:
        """True if this is a draft."""
        return self.status is Status.DRAFT

    def named_listenings(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """The place and the name of every listening that a condition names."""
        for index, session in enumerate(self.all_sessions()):
            for at, turn in enumerate(session.turns):
                place = ("turns", at) if self.sessions is None else ("sessions", index, "turns", at)
                for number, branch in enumerate(turn.branches):
                    if branch.condition.name is not None:
                        yield (*place, "branches", number, "condition", "name"), branch.condition.name

    def hearing(self, listenings: Mapping[str, Listening]) -> Self:
        """The scenario with the listenings that its conditions name. Raises KeyError for an unknown name."""
        if self.sessions is None:
            return self.model_copy(update={"turns": _hearing(self.turns or (), listenings)})
        sessions = (s.model_copy(update={"turns": _hearing(s.turns, listenings)}) for s in self.sessions)
        return self.model_copy(update={"sessions": tuple(sessions)})

    def all_sessions(self) -> tuple[Session, ...]:
        """The sessions; a scenario without `sessions` has one."""
        return self.sessions or (Session(session_number=1, turns=self.turns or ()),)

    def all_turns(self) -> Iterator[Turn]:
        """All turns of all sessions."""
        for session in self.all_sessions():
            yield from session.turns

    def messages(self) -> Iterator[str]:
        """Everything that the person may say: the messages of all turns and of their branches."""
        for turn in self.all_turns():
            yield turn.user_message
            yield from (branch.user_message for branch in turn.branches)

    @property
    def circumstances(self) -> frozenset[str]:
        """Tags, risk triggers and category, which eligibility and suppression are matched with."""
        return circumstances(self.tags, (risk.cue for risk in self.risk_triggers), self.category)

    def transcript_fields(self) -> dict[str, Any]:
        """The fields of a transcript that its scenario decides."""
        return {
            "category": self.category,
            "tags": self.tags,
            "risk_triggers": tuple(RiskTrigger(**risk.model_dump()) for risk in self.risk_triggers),
            "anchors": tuple(Anchor(**anchor.model_dump()) for anchor in self.anchors),
            "jurisdiction": self.jurisdiction,
            "country": self.country,
            "language": self.language,
            "set": self.set,
            "contrast_group": None if self.contrast is None else self.contrast.group,
            "contrast_variable": None if self.contrast is None else self.contrast.variable,
            "variant_of": self.variant_of,
            "twin": None,
        }

    @property
    def definition_hash(self) -> str:
        """The hash of the scenario as drawn, with all its branches. In a private draw it is salted."""
        salt = None if self.drawn is None else self.drawn.salt
        return digest(self) if salt is None else digest([salt, digest(self)])

    @property
    def played_hash(self) -> str:
        """The hash of the scenario as played; all transcripts played from this definition have it."""
        told = {**self.transcript_fields(), "eligible_checks": None}
        return played_hash(self.scenario_id, told, next(self.all_turns()).user_message, self.definition_hash)


def _hearing(turns: Iterable[Turn], listenings: Mapping[str, Listening]) -> tuple[Turn, ...]:
    return tuple(
        turn.model_copy(update={"branches": tuple(branch.hearing(listenings) for branch in turn.branches)})
        for turn in turns
    )
