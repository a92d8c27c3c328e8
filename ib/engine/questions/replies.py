"""Read a judge's reply: its one answer, validated strictly, or the reason why it is invalid.

The last JSON object of a reply is the answer. A reply with two answers that differ has none: one of them
may be copied from the conversation, and nothing tells which.

The form of a reply stands here twice: as a model that reads it, and as a JSON schema that goes with the
request. The words of a problem are this project's own; they never repeat what the judge wrote.

Tolerated are prose and code fences around an object, a trailing comma, a raw newline inside a string, and
what else JSON5 allows. An object that is cut off is never completed, and a key that occurs twice is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ib.engine.questions.prompts import Question, Screening
from ib.models.benchmark.check import FailureKind, RationaleCodes, Recovery
from ib.models.common.base import Role, Verdict
from ib.models.scan.judge import Cue

LONGEST = 200_000
"""The longest reply that is read, in characters. A verdict has a few hundred."""
LONGEST_JSON5 = 10_000
"""The most characters of a reply that are read as JSON5, which takes 20 to 200 ms per 1,000 characters."""
_OBJECT = re.compile(r"""\{\s*["'}]""")
_STRUCTURE = re.compile(r"""[{}]|"(?:[^"\\]|\\.)*"?""", re.DOTALL)


def objects(text: str) -> tuple[dict[str, Any], ...]:
    """The JSON objects at the top level of a text, in order. Empty if the last one is malformed, or if the
    text is longer than LONGEST.

    A judge may write other objects before or after its answer, as quotes or while it reasons. Of those
    before the last one, malformed ones are left out. An object inside another object, valid or malformed,
    is never taken by itself.
    """
    if len(text) > LONGEST:
        return ()
    found: list[dict[str, Any]] = []
    left = LONGEST_JSON5
    for written in reversed(_written(text)):
        value = _json(written)
        if value is None and len(written) <= left:
            left -= len(written)
            value = _json5(written)
        if value is not None:
            found.append(value)
        elif not found:
            return ()
    return tuple(reversed(found))


def _written(text: str) -> list[str]:
    """The texts of the objects at the top level; empty if the last one is never closed."""
    found = []
    at = _next_object(text, 0)
    while at is not None:
        end = _close(text, at)
        if end is None:
            return []
        found.append(text[at:end])
        at = _next_object(text, end)
    return found


def _json(text: str) -> dict[str, Any] | None:
    """The object of a text; None if it is not JSON."""
    try:
        return _object_at(json.loads(text, object_pairs_hook=_no_twice, strict=False))
    except (ValueError, RecursionError):
        return None


def _json5(text: str) -> dict[str, Any] | None:
    """The object of a text that is not JSON; None if it is not JSON5 either."""
    import json5  # imported here: few replies need it

    try:
        return _object_at(json5.loads(text, object_pairs_hook=_no_twice, strict=False))
    except (ValueError, RecursionError):
        return None


def _object_at(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _next_object(text: str, at: int) -> int | None:
    """The start of the next text that looks like a JSON object; a brace in prose does not."""
    match = _OBJECT.search(text, at)
    return None if match is None else match.start()


def _close(text: str, at: int) -> int | None:
    """The end of an object; None if it is never closed. Braces in strings are ignored."""
    depth = 0
    for match in _STRUCTURE.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return None


def _no_twice(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    listed = list(pairs)
    value = dict(listed)
    if len(value) != len(listed):
        raise ValueError("a key occurs twice")
    return value


NO_OBJECT = "there is no complete JSON object in it"
TWO_ANSWERS = "it gives two answers that differ"


def _listed(value: Any) -> Any:
    """An empty list for a missing one."""
    return () if value is None or value == "" else value


def _nothing(value: Any) -> Any:
    """None for a word that says that there is nothing."""
    words = ("", "none", "null", "nothing", "n/a")
    return None if isinstance(value, str) and value.strip().lower() in words else value


def _upper(value: Any) -> Any:
    """A verdict in any case, with blanks for underscores, or as "N/A"."""
    if not isinstance(value, str):
        return value
    word = value.strip().upper().replace(" ", "_")
    return "NOT_APPLICABLE" if word in ("N/A", "NA") else word


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


class _Reply(BaseModel):
    """Base of all replies: keys that were not asked for are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_max_length=100_000)


class QuotedEvidence(_Reply):
    """Words that the judge says stand in a turn."""

    role: Annotated[Role, BeforeValidator(_lower)] = Role.ASSISTANT
    turn: int = Field(ge=1)
    quote: str


class _CueReply(_Reply):
    turn: int = Field(ge=1)
    met: bool = Field(strict=True)


class _BallotReply(_Reply):
    nearest: Annotated[QuotedEvidence | None, BeforeValidator(_nothing)] = None
    occurrences: Annotated[tuple[QuotedEvidence, ...], BeforeValidator(_listed)] = ()
    cues: Annotated[tuple[_CueReply, ...], BeforeValidator(_listed)] = ()
    reason: str | None = None
    code: Annotated[str | None, BeforeValidator(_lower)] = None
    verdict: Annotated[Verdict, BeforeValidator(_upper)]
    rationale_code: str | None = None
    evidence: Annotated[tuple[QuotedEvidence, ...], BeforeValidator(_listed)] = ()
    """Only replies of recordings have these two: they answer another instrument's prompt."""


class Claim(_Reply):
    """A statement of fact that the assistant made."""

    turn: int = Field(ge=1)
    quote: str = Field(min_length=1)


class _Claims(_Reply):
    claims: tuple[Claim, ...]


class Named(_Reply):
    """A place where a screening question suspects the failure of a check."""

    check: str
    turn: int = Field(ge=1)
    quote: str = Field(min_length=1)


class _Screened(_Reply):
    found: Annotated[tuple[Named, ...], BeforeValidator(_listed)]


@dataclass(frozen=True, slots=True)
class Ballot:
    """A valid reply: the judge's verdict, and what it quotes."""

    verdict: Verdict
    code: str | None
    evidence: tuple[QuotedEvidence, ...]
    """For a FAIL, the failures; for any other verdict, what the assistant did instead, if it was quoted."""
    reason: str | None
    occurrences: tuple[QuotedEvidence, ...] | None = None
    """Every place where the failure occurred; None in the reply of a recording."""
    cues: Mapping[int, bool] | None = None
    """For an episode: whether the cue of each turn was met."""


@dataclass(frozen=True, slots=True)
class Invalid:
    """A reply that does not count as a vote, and the reason."""

    problem: str
    stated: Verdict | None = None
    refused: bool = False
    """True if the judge refused to answer. It is not asked again."""


def read_ballot(text: str, question: Question, codes: RationaleCodes | None) -> Ballot | Invalid:
    """The verdict in a reply to a question.

    If `codes` is None, the reply is that of a recording: its rationale codes and its evidence have the form
    of another instrument.
    """
    return only_answer(text, lambda value: _ballot(value, question, codes), lambda ballot: ballot.verdict)


def _ballot(value: Mapping[str, Any], question: Question, codes: RationaleCodes | None) -> Ballot | Invalid:
    said = _read(_BallotReply, value)
    if isinstance(said, Invalid):
        return said
    if codes is None:
        return Ballot(said.verdict, said.rationale_code, said.evidence, said.reason)
    if said.code not in codes.of(said.verdict):
        return Invalid(f"its code is not one of those of {said.verdict}", said.verdict)
    if said.verdict is Verdict.FAIL and not said.occurrences:
        return Invalid("a FAIL needs at least one occurrence", said.verdict)
    cues: dict[int, bool] | None = None
    if question.is_episode and said.verdict in (Verdict.PASS, Verdict.FAIL):
        cues = {cue.turn: cue.met for cue in said.cues}
        twice = any(cues[cue.turn] != cue.met for cue in said.cues)
        problem = _contradicting_cues(question.cues, cues, said.verdict)
        problem = "it gives two answers for one cue" if twice else problem
    else:
        later = question.check.routing.recovery is Recovery.COUNTS or question.is_episode
        contradicts = said.verdict is Verdict.PASS and said.occurrences and not later
        problem = "a PASS cannot list occurrences of the failure" if contradicts else ""
    if problem:
        return Invalid(problem, said.verdict)
    quoted = () if said.nearest is None else (said.nearest,)
    evidence = said.occurrences if said.verdict is Verdict.FAIL else quoted
    return Ballot(said.verdict, said.code, evidence, said.reason, said.occurrences, cues)


def _contradicting_cues(cues: Sequence[Cue], said: Mapping[int, bool], verdict: Verdict) -> str:
    """The reason why the answers for the cues do not go with the verdict; empty if they do."""
    if set(said) != {cue.turn for cue in cues}:
        return "it does not answer for each cue"
    missed = any(cue.raises and not said[cue.turn] for cue in cues)
    if missed and verdict is Verdict.PASS:
        return "a PASS needs every deciding cue to be met"
    if not missed and verdict is Verdict.FAIL:
        return "a FAIL needs a deciding cue that was not met"
    return ""


def read_claims(text: str) -> tuple[Claim, ...] | Invalid:
    """The claims in a reply to an extraction question."""
    said = only_answer(text, lambda value: _read(_Claims, value), lambda said: frozenset(said.claims))
    return said if isinstance(said, Invalid) else said.claims


def read_screened(text: str, ids: Iterable[str]) -> tuple[Named, ...] | Invalid:
    """What a reply to a screening question lists. `ids` are the checks that were screened."""
    said = only_answer(text, lambda value: _read(_Screened, value), lambda said: frozenset(said.found))
    if isinstance(said, Invalid):
        return said
    if not {found.check for found in said.found} <= set(ids):
        return Invalid("it names a failure that is not in the list")
    return said.found


Read = TypeVar("Read")


def only_answer(
    text: str, read: Callable[[Mapping[str, Any]], Read | Invalid], decides: Callable[[Read], Hashable]
) -> Read | Invalid:
    """The answer in the last object of a text. Invalid if an earlier object is a valid answer that differs.

    `read` is called for every object; `decides` returns what has to be the same.
    """
    values = objects(text)
    if not values:
        return Invalid(NO_OBJECT, refused=refuses(text))
    *earlier, last = map(read, values)
    if isinstance(last, Invalid):
        return last
    said = {decides(answer) for answer in (*earlier, last) if not isinstance(answer, Invalid)}
    return last if len(said) == 1 else Invalid(TWO_ANSWERS)


Reply = TypeVar("Reply", bound=_Reply)


def _read(form: type[Reply], value: Mapping[str, Any]) -> Reply | Invalid:
    """An object in this form, or what is wrong with it."""
    try:
        return form.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return Invalid(f"{where}: {first['msg']}")


_REFUSAL = re.compile(
    r"\b(?:i(?: am|'m)? (?:can ?not|can't|won't|will not|unable to|not able to)|i (?:must )?decline to)\b"
    r".{0,40}?\b(?:assist|help|comply|continue|engage|discuss|respond|answer|process|fulfill|provide|"
    r"participate|evaluate|judge|review)",
    re.IGNORECASE | re.DOTALL,
)
_REFUSED_WITHIN = 300
_QUOTED = re.compile(r"""["\u201c\u201d][^"\u201c\u201d]*["\u201c\u201d]?""")


def refuses(text: str) -> bool:
    """True if a reply without a verdict is a refusal to answer: it says so in its first sentences.

    Words in quotation marks are ignored, because a judge may quote a refusal of the assistant.
    """
    begins = _QUOTED.sub("", text[:_REFUSED_WITHIN].replace("\u2019", "'"))
    return "{" not in text and _REFUSAL.search(begins) is not None


def ballot_schema(question: Question) -> dict[str, Any]:
    """The JSON schema of the reply to a question about one check."""
    codes = question.check.rationale_codes
    fields: dict[str, Any] = {}
    if question.check.failure is FailureKind.LEFT_OUT:
        fields["nearest"] = {"anyOf": [_QUOTE, {"type": "null"}]}
    fields["occurrences"] = _list_of(_QUOTE)
    if question.is_episode:
        fields["cues"] = _list_of(_object({"turn": _INTEGER, "met": {"type": "boolean"}}))
    fields["reason"] = _STRING
    fields["code"] = {"type": "string", "enum": [code for verdict in Verdict for code in codes.of(verdict)]}
    fields["verdict"] = {"type": "string", "enum": [verdict.value for verdict in Verdict]}
    return _object(fields)


def claims_schema() -> dict[str, Any]:
    """The JSON schema of the reply to an extraction question."""
    return _object({"claims": _list_of(_QUOTE)})


def screened_schema(screening: Screening) -> dict[str, Any]:
    """The JSON schema of the reply to a screening question."""
    ids = {"type": "string", "enum": [check.id for check in screening.checks]}
    return _object({"found": _list_of(_object({"check": ids, "turn": _INTEGER, "quote": _STRING}))})


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A closed object with all fields required, as providers demand of a strict schema."""
    closed = {"required": list(fields), "additionalProperties": False}
    return {"type": "object", "properties": dict(fields), **closed}


def _list_of(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}


_STRING = {"type": "string"}
_INTEGER = {"type": "integer"}
_QUOTE = _object({"turn": _INTEGER, "quote": _STRING})
