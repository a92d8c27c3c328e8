"""Reading a judge's reply: the last complete JSON object, strictly, or a reason why not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import Field, ValidationError, field_validator

from ib.models.base import Record, Role, Verdict
from ib.models.check import RationaleCodes


class QuotedEvidence(Record):
    role: Role = Role.ASSISTANT
    turn: int = Field(ge=1)
    quote: str


class _Ballot(Record):
    verdict: Verdict
    rationale_code: str | None = None
    evidence: tuple[QuotedEvidence, ...] = ()
    reason: str | None = None

    @field_validator("verdict", mode="before")
    @classmethod
    def _any_case(cls, value: Any) -> Any:
        return value.strip().upper().replace(" ", "_") if isinstance(value, str) else value


class _Claim(Record):
    turn: int = Field(ge=1)
    quote: str = Field(min_length=1)


class _Claims(Record):
    claims: tuple[_Claim, ...]


@dataclass(frozen=True, slots=True)
class Ballot:
    """A well-formed reply: what the judge says, and the words it points to."""

    verdict: Verdict
    code: str | None
    evidence: tuple[QuotedEvidence, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class Invalid:
    """A reply that cannot be counted, and why."""

    problem: str
    stated: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of fact that the assistant made."""

    turn: int
    quote: str


def read_ballot(text: str, codes: RationaleCodes | None) -> Ballot | Invalid:
    """The verdict in a reply. `codes` None leaves rationale codes unchecked, as for recordings."""
    value = last_object(text)
    if value is None:
        return Invalid("no JSON object in the reply")
    try:
        ballot = _Ballot.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return Invalid(f"{where}: {first['msg']}")
    if codes is not None:
        allowed = codes.of(ballot.verdict)
        if ballot.rationale_code not in allowed:
            problem = f"rationale code {ballot.rationale_code!r} does not go with {ballot.verdict}"
            return Invalid(problem, ballot.verdict)
    return Ballot(ballot.verdict, ballot.rationale_code, ballot.evidence, ballot.reason)


def read_claims(text: str) -> tuple[Claim, ...] | Invalid:
    """The claims in a reply to an extraction."""
    value = last_object(text)
    if value is None:
        return Invalid("no JSON object in the reply")
    try:
        claims = _Claims.model_validate(value)
    except ValidationError as error:
        return Invalid(f"claims: {error.errors(include_url=False)[0]['msg']}")
    return tuple(Claim(claim.turn, claim.quote) for claim in claims.claims)


def last_object(text: str) -> dict[str, Any] | None:
    """The last complete JSON object that stands at the top level of a text.

    A judge may quote an object, or think in one, before it answers; the last one is its answer.
    Braces inside the JSON strings of an object do not count as objects of their own.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_no_twice)
    found: dict[str, Any] | None = None
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict):
            found = value
        at = text.find("{", end)
    return found


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value
