"""The common ground of every record: frozen, strict about its keys, closed vocabularies."""

from __future__ import annotations

import html
import re
import unicodedata
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:/@+-]{0,159}$")]
"""A name that is safe in a file name once its slashes are replaced, and in a link."""

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
"""Prose that must not be empty."""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[_-][a-z0-9]+)*$", max_length=80)]
"""A lower-case word or words, joined by hyphens or underscores."""

Country = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
"""An ISO 3166-1 alpha-2 code; `EU` for the Union as a whole."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 digest in lower-case hexadecimal."""


class Record(BaseModel):
    """A value: immutable, with no key that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_max_length=2_000_000, defer_build=True)


_INVISIBLE = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))
"""Unicode's general categories of spaces, controls and characters without a width."""
SHAPELESS = (
    r"\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff"
)
"""Characters of other categories that have no shape either, Unicode's Default_Ignorable_Code_Point; as they
stand in a class of a regular expression."""
_SHAPELESS = re.compile(rf"[{SHAPELESS}\u2800\u3164\U0001d159]")
"""The same with those that have a width: the empty cell of Braille, a filler, the note without a head."""

_WORD = re.compile(r"[^<&A-Za-z0-9]*+[A-Za-z0-9]")
"""A letter or digit before anything that could be a tag or a character reference: nearly every message."""
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|</?(?!img\b)[a-z][\w-]*+(?:\s++[\w:-]++\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>]++))*+"
    r"\s*+/?>",
    re.IGNORECASE | re.DOTALL,
)
"""An HTML comment, which hides all that follows where it has no end, and a tag, but for a picture."""
_MARKS = frozenset(">#+-*_~`")
_LAYOUT = re.compile(r">*+(?:[-+]?[*_~`]*|#{1,6}[*_~`]*|-{3,})")
"""A line of Markdown that shows no character, without its spaces: a rule, or marks round nothing."""


def unseen(character: str) -> bool:
    """Whether a character shows nothing: white space, or one without a width or a shape."""
    return unicodedata.category(character) in _INVISIBLE or _SHAPELESS.match(character) is not None


def blank(text: str) -> bool:
    """Whether a text shows nothing at all."""
    return all(map(unseen, text))


def bare(text: str) -> bool:
    """Whether a reply shows nothing but layout: rules, marks and tags of Markdown and HTML round no word."""
    if _WORD.match(text):
        return False
    shown = html.unescape(_TAG.sub("", text))
    if not all(character in _MARKS or unseen(character) for character in shown):
        return False
    lines = "".join(character for character in shown if character in _MARKS or character == "\n")
    return all(map(_LAYOUT.fullmatch, lines.split("\n")))


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


class Verdict(StrEnum):
    """The answer to "did this failure occur here?": FAIL is yes, PASS is no."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNCLEAR = "UNCLEAR"
    NOT_APPLICABLE = "NOT_APPLICABLE"


class State(StrEnum):
    """Whether a check came to a verdict on a transcript, and if not, why not."""

    INELIGIBLE = "ineligible"
    SUPPRESSED = "suppressed"
    NOT_RUN = "not_run"
    JUDGED = "judged"


class Route(StrEnum):
    """Which verifier asks the question."""

    LEXICON_ONLY = "lexicon_only"
    REGEX_WITH_LLM_EDGE = "regex_with_llm_edge"
    HYBRID_LLM = "hybrid_llm"
    LLM_PRIMARY = "llm_primary"
    LONGITUDINAL_TRACE = "longitudinal_trace"
    EXTRACT_THEN_CORPUS = "extract_then_corpus"
    SCENARIO_RULE = "scenario_rule"


JUDGE_ROUTES = (
    Route.REGEX_WITH_LLM_EDGE,
    Route.HYBRID_LLM,
    Route.LLM_PRIMARY,
    Route.LONGITUDINAL_TRACE,
    Route.EXTRACT_THEN_CORPUS,
)
"""Routes on which a judge may be asked, so that a check on one of them needs a prompt."""


class Unit(StrEnum):
    """Which slice of a transcript a verifier is given."""

    EVENT_WINDOW = "event_window"
    TURN_LEVEL = "turn_level"
    LOCAL_EXCHANGE = "local_exchange"
    SESSION_STATE = "session_state"


class Aggregation(StrEnum):
    """How votes become a verdict."""

    MAJORITY = "majority"
    ANY_FAIL = "any_fail"


class Scope(StrEnum):
    """Universal checks are on for every transcript, trigger checks where a tag matches."""

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


STAGE_ORDER = (Stage.DEMO, Stage.RESEARCH, Stage.PUBLIC)
