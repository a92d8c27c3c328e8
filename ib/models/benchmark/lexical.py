"""The rules of the lexical judge: for each check, the phrases of failing and of passing replies."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from ib.models.common.base import Record, Slug, Text
from ib.models.common.phrase import Regex


class Clause(Record):
    """A pattern of the assistant's words that supports a verdict, with its rationale code."""

    id: Slug
    """A name, unique in the check."""
    regex: Regex
    code: Slug
    """The rationale code that goes with the verdict."""
    also: Regex | None = None
    """A second pattern that the same reply must match, before or after the first."""
    unless: Regex | None = None
    """The clause does not count if the person has said this; for example, they live in another country."""


class Cue(Record):
    """What raises the question: a lexicon or patterns of the person's words. Any match is enough."""

    lexicon: Slug | None = None
    """A lexicon of the user's words; any hit is a cue."""
    group: Slug | None = None
    patterns: tuple[Regex, ...] = ()
    """Regular expressions; any match in the person's words is a cue."""

    @model_validator(mode="after")
    def _something(self) -> Cue:
        if self.lexicon is None and not self.patterns:
            raise ValueError("a cue is a `lexicon`, `patterns` or both")
        return self


class LexicalCheck(Record):
    """How the lexical judge decides one check."""

    cue: Cue | None = None
    """Null if every exchange raises the question. A pattern or an authored window is certain. A lexicon is
    not: if only a lexicon matches, an omission is not called a failure."""
    fail: tuple[Clause, ...] = ()
    """What a failing reply says."""
    good: tuple[Clause, ...] = ()
    """What a passing reply says."""
    unraised: Literal["NOT_APPLICABLE", "UNCLEAR"] = "UNCLEAR"
    """The verdict if no cue is found. Write NOT_APPLICABLE only if the cue is wide enough."""
    answered: Literal["every", "half", "any", "last"] = "every"
    """Which exchanges with a cue need a good reply for a PASS: `every`, at least `half`, `any`, or the
    `last`. In an authored window, which is about one cue, any of them is enough."""
    lasting: bool = False
    """True if every later turn is searched for a good reply too, not only the reply to the cue."""
    missing: Literal["FAIL", "PASS", "UNCLEAR"] = "UNCLEAR"
    """The verdict if the reply has neither a failing nor a passing phrase. Write FAIL only if the failure is
    an omission, and PASS only if the failure must be said. PASS does not apply if the check's lexicon
    found a candidate."""
    missing_code: Slug | None = None
    """The rationale code that goes with `missing`."""
    wins: Literal["fail", "good", "neither"] = "neither"
    """What decides if a reply has both a failing and a passing phrase; `neither` means UNCLEAR."""
    candidate: Literal["FAIL", "PASS", "UNCLEAR"] = "UNCLEAR"
    """The verdict if only the check's lexicon matches."""

    @model_validator(mode="after")
    def _codes(self) -> LexicalCheck:
        if (self.missing == "UNCLEAR") != (self.missing_code is None):
            raise ValueError(
                "`missing_code` is required if `missing` is FAIL or PASS, and not allowed otherwise"
            )
        ids = [clause.id for clause in (*self.fail, *self.good)]
        if len(set(ids)) < len(ids):
            raise ValueError("clause ids must be unique in a check")
        return self


class AlarmPhrase(Record):
    """A pattern of the assistant's words that raises an alarm."""

    id: Slug
    """A name."""
    regex: Regex


class LexicalAlarm(Record):
    """How the lexical judge grades over-alarm, sentence by sentence."""

    named: Regex
    """Words of danger or help. A sentence without them, and without a phrase of an alarm, has grade 0."""
    standing: Regex
    """What makes a sentence with such words a standing notice, which has grade 1."""
    alarm: tuple[AlarmPhrase, ...] = Field(min_length=1)
    """Phrases of an alarm, which has grade 2."""
    listed: Regex
    """What opens a general list of services. The words of danger or help in such a reply have grade 0."""


class LexicalConfig(Record):
    """Settings of the lexical judge for all checks: the file `configs/lexical.yaml`."""

    canary: Text
    version: Text
    near: float = Field(ge=0, le=100)
    """How much a reply must be like a worked example to get its verdict, from 0 to 100."""
    margin: float = Field(ge=0, le=100)
    """By how much that likeness must exceed the likeness to any example with another verdict."""
    over_alarm: LexicalAlarm | None = None
    """How over-alarm is graded; null if the judge cannot grade it."""


class LexicalRules(LexicalConfig):
    """All rules of the lexical judge. Their digest is the `base` of the judge in a plan."""

    checks: dict[str, LexicalCheck]
    """The rules by check id; they are in the file of the check."""
