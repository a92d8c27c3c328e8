"""A check: one failure, defined so that two careful readers would agree whether it happened."""

from __future__ import annotations

from collections.abc import Collection, Set
from datetime import date
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from ib.models.benchmark.calibration import Calibration
from ib.models.benchmark.definition import Definition
from ib.models.benchmark.example import Examples
from ib.models.benchmark.lexical import LexicalCheck
from ib.models.common.base import (
    GATE_BUCKETS,
    GATE_SEVERITIES,
    JUDGE_ROUTES,
    SCREENED_ROUTES,
    Aggregation,
    Bucket,
    Record,
    Route,
    Scope,
    Severity,
    Slug,
    Text,
    Unit,
    Verdict,
)

CheckId = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2,8}-[A-F](?:[0-9][a-z]?)?(?:-[a-z]+)*$")]
"""The benchmark's prefix, the letter of the dimension, and a name; for example `IB-F1-claims`."""
Code = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{2,63}$")]
Meaning = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=80)]
"""What a rationale code means, in a few words that the judge reads."""
Screen = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
RULES = ("fail_rule", "pass_rule", "unclear_rule", "not_applicable_rule")
"""The keys of the rules for the four verdicts."""
ANY = "any"
"""The tag with which a check is due on every transcript."""


class Due(StrEnum):
    """Whether a check is asked of a transcript."""

    YES = "yes"
    NO = "no"
    SUPPRESSED = "suppressed"


class Source(Record):
    """A work that a definition rests on."""

    citation: Text
    """Author, year, title and publisher or journal, as a reader would look it up."""
    url: Annotated[str, StringConstraints(pattern=r"^https://\S+$")] | None = None
    supports: Text
    """What in this check rests on the work."""
    checked: date | None = None
    """The day on which somebody read the text for this project; null if nobody has."""


class Eligibility(Record):
    scenario_tags_any: tuple[Slug, ...] = Field(min_length=1)
    """The check is due if a conversation has one of these tags. `any` stands for all conversations."""


class FailureKind(StrEnum):
    """What kind of failure a check looks for."""

    SAID = "said"
    """The assistant said something wrong."""
    LEFT_OUT = "left_out"
    """The assistant did not do something that was needed. Judges are weakest here, so before the verdict the
    judge quotes what the assistant did that comes nearest to it."""


class Recovery(StrEnum):
    """Whether a later reply can make good an earlier failure in the same window."""

    COUNTS = "counts"
    DOES_NOT_COUNT = "does_not_count"


class RationaleCodes(Record):
    """The closed list of reasons that a judge may give, for each verdict, each with its meaning."""

    PASS: dict[Code, Meaning] = Field(min_length=1)
    """Reasons for a PASS, each with its meaning."""
    FAIL: dict[Code, Meaning] = Field(min_length=1)
    """Reasons for a FAIL, each with its meaning."""
    UNCLEAR: dict[Code, Meaning] = Field(min_length=1)
    """Reasons for UNCLEAR, each with its meaning."""
    NOT_APPLICABLE: dict[Code, Meaning] = Field(min_length=1)
    """Reasons for NOT_APPLICABLE, each with its meaning."""

    @model_validator(mode="after")
    def _one_verdict_a_code(self) -> RationaleCodes:
        every = [*self.PASS, *self.FAIL, *self.UNCLEAR, *self.NOT_APPLICABLE]
        twice = sorted({code for code in every if every.count(code) > 1})
        if twice:
            raise ValueError(f"a code belongs to one verdict; listed twice: {', '.join(twice)}")
        return self

    def of(self, verdict: Verdict) -> tuple[str, ...]:
        """The codes that are allowed for a verdict."""
        return tuple(self.meanings(verdict))

    def meanings(self, verdict: Verdict) -> dict[str, str]:
        """The codes that are allowed for a verdict, each with its meaning."""
        codes: dict[str, str] = getattr(self, verdict.value)
        return codes


class Routing(Record):
    route: Route
    """Who decides; the page explains each route."""
    unit_of_analysis: Unit
    """Which part of a conversation is judged."""
    lexicon: Slug | None = None
    """The lexicon that proposes candidates or finds the cue."""
    lexicon_group: Slug | None = None
    """The group of the lexicon that serves this check; null for the whole lexicon."""
    repetitions: Literal[1, 3, 5] = 3
    """K: how many votes are asked in the publish profile."""
    aggregation: Aggregation = Aggregation.MAJORITY
    """How votes become a verdict: `majority`, or `any_fail`."""
    rule: Literal["disclosure_on_asking", "disclosure_cadence"] | None = None
    """Which rule of the jurisdiction decides, on the route scenario_rule."""
    recovery: Recovery = Recovery.DOES_NOT_COUNT
    """Whether a later reply in the window can make good an earlier failure."""
    suppressed_by_tags: tuple[Slug, ...] = ()
    """The check is suppressed if a conversation has one of these tags."""


class Prompt(Record):
    """What the judge is told about this failure beside the check's rules for the four verdicts.

    The frame around both is the same for all checks.
    """

    question: Text
    """A yes-or-no question; yes means FAIL."""
    cues: Text
    """What in the conversation raises the question."""
    not_judged: Text
    """What looks like this failure but is a different one, or is not a failure."""
    screen: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)] | None = (
        None
    )
    """For checks on the screened routes: what a judge who reads a whole conversation once lists for this
    check."""


class Check(Definition):
    """One failure mode: its definition, where it is due, and how it is decided."""

    LEAST: ClassVar = {
        ("sources",): 1,
        ("examples", "pass"): 3,
        ("examples", "fail"): 3,
        ("examples", "edge"): 2,
    }

    id: CheckId
    """The benchmark's prefix, the letter of the dimension, and a name: `IB-C2-minimizing`."""
    name: Text
    """What the failure is called, in a few words."""
    summary: Text
    """One sentence that a member of the public understands."""
    bucket: Bucket
    """The dimension: A safety, B compliance, C communication, D coordination, F boundaries."""
    severity: Severity
    """How much harm one occurrence can do. S5 and S4_GATE close a gate in A and B."""
    escalates_to: Bucket | None = None
    """The gate, A or B, that a FAIL of this quality check closes too."""
    failure: FailureKind
    """Whether the assistant says something wrong, or leaves out what is needed."""
    scope: Scope
    """`universal`: due on every conversation. `trigger`: due if a tag matches."""
    eligibility: Eligibility
    """The tags that make a trigger check due."""
    secondary_tags: tuple[Slug, ...] = ()
    """Other subjects of the check, for readers; they make nothing due."""
    pass_rule: Text
    """When the verdict is PASS. The judge and the public read the same four rules."""
    fail_rule: Text
    """What must be so for a FAIL."""
    unclear_rule: Text
    """When a careful reader cannot tell."""
    not_applicable_rule: Text
    """When the question does not arise."""
    good_response: Text
    """What a good reply does here."""
    caregiver_benefit: Text
    """Why getting it right matters to the person who is writing."""
    sources: tuple[Source, ...] = ()
    """The works that the definition rests on; an active check has at least one."""
    rationale_codes: RationaleCodes
    """The closed list of reasons that a judge may give."""
    routing: Routing
    """Who decides, on which part of a conversation, by how many votes."""
    prompt: Prompt | None = None
    """What the judge is told beside the four rules; required if a judge may be asked."""
    examples: Examples = Examples()
    """Golden cases, which `ib lint` plays."""
    calibration: Calibration = Field(exclude=True)
    """How far it was compared with labels. Excluded from every dump, and so from the digest: no judge reads
    it, and a comparison must not make the compared answers those of another check."""
    enough: Text | None = Field(default=None, exclude=True)
    """The least that would have passed, in one plain sentence. Pages show it in the place of what the
    assistant left out; without it, the first sentence of `pass_rule`. Only with `failure: left_out`. Excluded
    from every dump, and so from the digest: no judge reads it, and nothing is decided by it."""
    lexical: LexicalCheck | None = Field(default=None, exclude=True)
    """How the lexical judge decides this check. Excluded from every dump of the check, and so from its
    digest and from `benchmark_hash`: answers of other judges stay valid if these rules change. The digest
    of the lexical judge covers them."""

    @field_validator("escalates_to")
    @classmethod
    def _into_a_gate(cls, value: Bucket | None) -> Bucket | None:
        if value is not None and value not in GATE_BUCKETS:
            raise ValueError("`escalates_to` must be gate A or gate B")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Check:
        route = self.routing.route
        if route in JUDGE_ROUTES and self.prompt is None:
            raise ValueError(f"route {route} may ask a judge, so the check needs a prompt")
        if route in SCREENED_ROUTES and (self.prompt is None or self.prompt.screen is None):
            raise ValueError(f"route {route} may be found by a screening question, so it needs prompt.screen")
        lexical = (Route.LEXICON_ONLY, Route.REGEX_WITH_LLM_EDGE, Route.HYBRID_LLM)
        if route in lexical and self.routing.lexicon is None:
            raise ValueError(f"route {route} needs routing.lexicon")
        if (route is Route.SCENARIO_RULE) != (self.routing.rule is not None):
            raise ValueError(
                "routing.rule is required on route scenario_rule and not allowed on other routes"
            )
        if self.routing.lexicon_group and not self.routing.lexicon:
            raise ValueError("routing.lexicon_group needs routing.lexicon")
        if route is Route.LEXICON_ONLY and self.gate is not None:
            raise ValueError(
                "a check that gates cannot use route lexicon_only: on a gate, a hit is only a candidate"
            )
        if self.enough is not None and self.failure is not FailureKind.LEFT_OUT:
            raise ValueError("`enough` is only for a check with `failure: left_out`")
        if self.escalates_to is not None and self.bucket in GATE_BUCKETS:
            raise ValueError("a check in a gate bucket cannot have `escalates_to`")
        if self.escalates_to is not None and self.severity not in GATE_SEVERITIES:
            raise ValueError("a check with `escalates_to` must have severity S5 or S4_GATE")
        return self

    def due(self, named: Set[str], listed: Collection[str] | None = None) -> Due:
        """Whether the check is due or suppressed under these circumstances.

        If the transcript lists its eligible checks, `listed` decides instead of tags and scope.
        """
        if not (self._matches(named) if listed is None else self.id in listed):
            return Due.NO
        return Due.YES if named.isdisjoint(self.routing.suppressed_by_tags) else Due.SUPPRESSED

    def _matches(self, named: Set[str]) -> bool:
        wanted = self.eligibility.scenario_tags_any
        return self.scope is Scope.UNIVERSAL or ANY in wanted or not named.isdisjoint(wanted)

    @property
    def asked(self) -> dict[str, str]:
        """The texts of this check that a judge reads, by key; empty if no judge may be asked."""
        if self.prompt is None:
            return {}
        rules = {key: getattr(self, key) for key in RULES}
        return {**self.prompt.model_dump(exclude_none=True), **rules}

    @property
    def gate(self) -> Bucket | None:
        """The gate that a FAIL of this check closes; None for a check that closes no gate."""
        if self.escalates_to is not None:
            return self.escalates_to
        if self.bucket in GATE_BUCKETS and self.severity in GATE_SEVERITIES:
            return self.bucket
        return None
