"""Read a judge's reply: its last JSON object, validated strictly, or the reason why it is invalid."""

from __future__ import annotations

import json
import re
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
    """A valid reply: the judge's verdict and the quotes that it gives as evidence."""

    verdict: Verdict
    code: str | None
    evidence: tuple[QuotedEvidence, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class Invalid:
    """A reply that does not count as a vote, and the reason."""

    problem: str
    stated: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of fact that the assistant made."""

    turn: int
    quote: str


def read_ballot(text: str, codes: RationaleCodes | None) -> Ballot | Invalid:
    """The verdict in a reply. If `codes` is None, rationale codes are not checked, as for recordings."""
    value = last_object(text)
    if value is None:
        return Invalid("no JSON object in the reply")
    try:
        ballot = _Ballot.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return Invalid(f"reply, {where}: {first['msg']}")
    if codes is not None:
        allowed = codes.of(ballot.verdict)
        if ballot.rationale_code not in allowed:
            problem = f"rationale code {ballot.rationale_code!r} does not go with {ballot.verdict}"
            return Invalid(problem, ballot.verdict)
    return Ballot(ballot.verdict, ballot.rationale_code, ballot.evidence, ballot.reason)


def read_claims(text: str) -> tuple[Claim, ...] | Invalid:
    """The claims in a reply to an extraction question."""
    value = last_object(text)
    if value is None:
        return Invalid("no JSON object in the reply")
    try:
        claims = _Claims.model_validate(value)
    except ValidationError as error:
        return Invalid(f"reply, claims: {error.errors(include_url=False)[0]['msg']}")
    return tuple(Claim(claim.turn, claim.quote) for claim in claims.claims)


def last_object(text: str) -> dict[str, Any] | None:
    """The last JSON object at the top level of a text; None if the last one is malformed.

    A judge may write other objects before its answer, as quotes or while it reasons; the last one is
    its answer. An object inside another object, valid or malformed, is never taken as the answer.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_no_twice)
    found: dict[str, Any] | None = None
    at = _next_object(text, 0)
    while at is not None:
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            found, close = None, _close(text, at)
            if close is None:
                return None
            end = close
        at = _next_object(text, end)
    return found


_OBJECT = re.compile(r"\{\s*[\"}]")
_STRUCTURE = re.compile(r'[{}]|"(?:[^"\\]|\\.)*"?', re.DOTALL)


def _next_object(text: str, at: int) -> int | None:
    """The start of the next text that looks like a JSON object; a brace in prose does not."""
    match = _OBJECT.search(text, at)
    return None if match is None else match.start()


def _close(text: str, at: int) -> int | None:
    """The end of a malformed object; None if it is never closed. Braces in strings are ignored."""
    depth = 0
    for match in _STRUCTURE.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return None


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value
