"""Shared by all models: the frozen base class, constrained strings and enums."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

_IDENTIFIER = r"^[A-Za-z0-9][A-Za-z0-9_.:/@+-]{0,159}$"
Identifier = Annotated[str, StringConstraints(pattern=_IDENTIFIER)]
"""A name that is safe in a link, and in a file name after its slashes are replaced."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=160, strip_whitespace=True)]
"""The name of a model as pages, tables and pictures show it. It may be as long as an identifier."""

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
"""Text that is not empty."""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[_-][a-z0-9]+)*$", max_length=80)]
"""Lower-case words, joined by hyphens or underscores."""

TurnNumber = Annotated[int, Field(ge=1, le=10_000)]
"""The number of an exchange in a conversation."""

Country = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
"""An ISO 3166-1 alpha-2 code; `EU` for the Union as a whole."""

Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
"""An ISO 639 code of a language."""

ENGLISH: Language = "en"
"""The language of all phrases, rules and listenings of the benchmark."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 digest in lower-case hexadecimal."""


def is_identifier(text: str) -> bool:
    """True if a text has the form of an `Identifier`."""
    return re.fullmatch(_IDENTIFIER, text) is not None


class Record(BaseModel):
    """Base of all models: immutable; unknown keys are errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", str_max_length=2_000_000, allow_inf_nan=False, defer_build=True
    )


class Play(Record):
    """Base of what belongs to one conversation where the model is known: a scenario, and which play of it."""

    scenario_id: Identifier
    epoch: int | None


class Played(Play):
    """Base of what belongs to one conversation: a model, a scenario, and which play of it."""

    model_id: Identifier

    @property
    def played(self) -> tuple[str, str, int]:
        """Model, scenario and epoch (-1 if there is none), which identify the conversation and sort it."""
        return (self.model_id, self.scenario_id, -1 if self.epoch is None else self.epoch)


class Bucket(StrEnum):
    """The five dimensions: A safety, B compliance, C communication, D coordination, F boundaries."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    F = "F"


GATE_BUCKETS = (Bucket.A, Bucket.B)
QUALITY_BUCKETS = (Bucket.C, Bucket.D, Bucket.F)
BUCKET_NAMES = {
    Bucket.A: "Safety",
    Bucket.B: "Compliance",
    Bucket.C: "Communication",
    Bucket.D: "Coordination",
    Bucket.F: "Boundary integrity",
}


class Severity(StrEnum):
    """How much harm one occurrence can do; S5 and S4_GATE close a gate."""

    S1 = "S1"
    S2 = "S2"
    S3 = "S3"
    S4 = "S4"
    S4_GATE = "S4_GATE"
    S5 = "S5"


GATE_SEVERITIES = (Severity.S4_GATE, Severity.S5)
GRAVEST_FIRST = tuple(reversed(Severity))


class Verdict(StrEnum):
    """The answer to "did this failure occur here?": FAIL is yes, PASS is no."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNCLEAR = "UNCLEAR"
    NOT_APPLICABLE = "NOT_APPLICABLE"


class State(StrEnum):
    """Whether a check has a verdict on a transcript, and if not, why not."""

    INELIGIBLE = "ineligible"
    SUPPRESSED = "suppressed"
    NOT_RUN = "not_run"
    FOUND = "found"
    """A lexicon found its phrase, and no judge read it: nothing is decided."""
    JUDGED = "judged"


class Route(StrEnum):
    """Which verifier decides the check."""

    LEXICON_ONLY = "lexicon_only"
    REGEX_WITH_LLM_EDGE = "regex_with_llm_edge"
    HYBRID_LLM = "hybrid_llm"
    LLM_PRIMARY = "llm_primary"
    LONGITUDINAL_TRACE = "longitudinal_trace"
    EXTRACT_THEN_CORPUS = "extract_then_corpus"
    SCENARIO_RULE = "scenario_rule"


SCREENED_ROUTES = (Route.LEXICON_ONLY, Route.REGEX_WITH_LLM_EDGE)
"""Routes whose failures phrases can show. A judge that reads screens each conversation for what they miss."""
JUDGE_ROUTES = (
    *SCREENED_ROUTES,
    Route.HYBRID_LLM,
    Route.LLM_PRIMARY,
    Route.LONGITUDINAL_TRACE,
    Route.EXTRACT_THEN_CORPUS,
)
"""Routes on which a judge may be asked. A check on one of them needs a prompt."""


class Unit(StrEnum):
    """Which part of a transcript is judged at a time."""

    EVENT_WINDOW = "event_window"
    TURN_LEVEL = "turn_level"
    LOCAL_EXCHANGE = "local_exchange"
    SESSION_STATE = "session_state"


class Aggregation(StrEnum):
    """How votes become a verdict."""

    MAJORITY = "majority"
    ANY_FAIL = "any_fail"


class Scope(StrEnum):
    """Universal checks are due on every transcript; trigger checks only if a tag matches."""

    UNIVERSAL = "universal"
    TRIGGER = "trigger"


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"


class Stage(StrEnum):
    """How far a release may be trusted."""

    DEMO = "demo"
    RESEARCH = "research"
    PUBLIC = "public"


class Carrying(StrEnum):
    """Which transcripts a release carries. A scenario that is not published is never carried."""

    PLAYS = "plays"
    """Plays of scenarios and of safe twins."""
    ALL = "all"
    """Open logs and imported conversations too, which real people may have written."""
    NONE = "none"


STAGE_ORDER = (Stage.DEMO, Stage.RESEARCH, Stage.PUBLIC)
