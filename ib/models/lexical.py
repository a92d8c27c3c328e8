"""The lexical judge as data: for each check, what a failing and what a passing reply says."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from ib.models.base import Record, Slug, Text
from ib.models.lexicon import Regex


class Clause(Record):
    """Words of the assistant that speak for a verdict, and the rationale code that goes with them."""

    id: Slug
    regex: Regex
    code: Slug
    also: Regex | None = None
    """The same reply must say this too, before or after."""
    unless: Regex | None = None
    """Where the person has said this, the words are worth nothing: the line of another country."""


class Cue(Record):
    """What in the person's words raises the question at all: any of these."""

    lexicon: Slug | None = None
    group: Slug | None = None
    patterns: tuple[Regex, ...] = ()

    @model_validator(mode="after")
    def _something(self) -> Cue:
        if self.lexicon is None and not self.patterns:
            raise ValueError("a cue is a `lexicon`, `patterns` or both")
        return self


class LexicalCheck(Record):
    """How the lexical judge decides one check."""

    cue: Cue | None = None
    """Null: every exchange raises the question. A pattern, or an authored window, is certain; a
    lexicon is wide, and with it alone no omission is called a failure."""
    fail: tuple[Clause, ...] = ()
    good: tuple[Clause, ...] = ()
    unraised: Literal["NOT_APPLICABLE", "UNCLEAR"] = "UNCLEAR"
    """What it means that no cue is heard. NOT_APPLICABLE only where the cue is wide enough for that."""
    answered: Literal["every", "half", "any", "last"] = "every"
    """Which of the exchanges with a cue need a good reply for a PASS; `half`: at least so many, `last`:
    the last of them. In an authored window, which is about one cue, any will do."""
    lasting: bool = False
    """A good reply is looked for in every later turn as well, not only in the one to the cue."""
    missing: Literal["FAIL", "PASS", "UNCLEAR"] = "UNCLEAR"
    """What it means that neither a failing nor a passing phrase is there. FAIL only where the
    failure is an omission; PASS only where it must be said, and not where the check's lexicon has
    found a candidate."""
    missing_code: Slug | None = None
    wins: Literal["fail", "good", "neither"] = "neither"
    """What holds where a reply says both; `neither` is UNCLEAR."""
    candidate: Literal["FAIL", "PASS", "UNCLEAR"] = "UNCLEAR"
    """What a phrase of the check's lexicon is worth by itself."""

    @model_validator(mode="after")
    def _codes(self) -> LexicalCheck:
        if (self.missing == "UNCLEAR") != (self.missing_code is None):
            raise ValueError("`missing_code` says why, where `missing` is FAIL or PASS, and only there")
        ids = [clause.id for clause in (*self.fail, *self.good)]
        if len(set(ids)) < len(ids):
            raise ValueError("clause ids are unique in a check")
        return self


class LexicalConfig(Record):
    """What the lexical judge shares between checks: the file `configs/lexical.yaml`."""

    canary: Text
    version: Text
    near: float = Field(ge=0, le=100)
    """How like a worked example a reply must be to get its verdict, of 100."""
    margin: float = Field(ge=0, le=100)
    """How much more like it than like any example with another verdict."""


class LexicalRules(LexicalConfig):
    """Everything that the lexical judge knows; its digest is the `base` of the judge in a plan."""

    checks: dict[str, LexicalCheck]
    """By the id of the check in whose file the rules stand."""
