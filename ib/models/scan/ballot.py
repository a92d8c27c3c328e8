"""The basis of a verdict: quotes, valid and invalid votes, and the windows that were judged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator

from ib.models.common.base import Record, Role, Unit, Verdict
from ib.models.scan.judge import FaultKind, Phase, Stretch, stretches_around

TurnNumber = Annotated[int, Field(ge=1)]


class EvidenceSpan(Record):
    """Words of the transcript on which a verdict rests, cut from the message as written."""

    role: Role
    """Who said it."""
    turn: TurnNumber
    quote: str
    rationale: str | None = None
    """Why it matters, in the judge's words."""
    start: Annotated[int, Field(ge=0)]
    """Where it begins in the message, in characters."""
    end: int
    """Where it ends in the message, in characters."""
    turn_corrected: bool = False
    """True if the quote was found in another assistant turn of the window than the judge said."""
    pattern: str | None = None
    """The lexicon pattern that found the words, as `lexicon/pattern`."""

    @model_validator(mode="after")
    def _in_order(self) -> EvidenceSpan:
        if self.end <= self.start or not self.quote.strip():
            raise ValueError(f"the quote from character {self.start} to {self.end} is empty")
        if len(self.quote) != self.end - self.start:
            raise ValueError(f"{len(self.quote)} characters quoted from {self.start} to {self.end}")
        return self


def quotes_assistant(evidence: tuple[EvidenceSpan, ...]) -> bool:
    """True if any of the evidence is a quote of the assistant, which every FAIL needs."""
    return any(span.role is Role.ASSISTANT for span in evidence)


class InvalidKind(StrEnum):
    """Why a vote does not count."""

    NOT_RECORDED = "not_recorded"
    """There is no judge, or the recording has no such vote."""
    FAULT = "fault"
    """The judge could not be reached or gave no answer."""
    REFUSED = "refused"
    """The judge refused to answer."""
    NO_QUOTE = "no_quote"
    """A FAIL without an assistant quote that is in the transcript."""
    UNREADABLE = "unreadable"
    """The answer does not have the required form."""


_NO_QUOTE = "no assistant quote of it was found"


@dataclass(frozen=True, slots=True)
class Invalidity:
    """Why one vote does not count. In JSON it is one string, the value of `str()`.

    `fault` is required for FAULT, `problem` for UNREADABLE; other kinds have neither. Raises ValueError if
    that does not hold, or if the text of a problem would be read back as another kind.
    """

    kind: InvalidKind
    fault: FaultKind | None = None
    problem: str = ""

    def __post_init__(self) -> None:
        if (self.kind is InvalidKind.FAULT) != (self.fault is not None):
            raise ValueError(
                f"`fault` is required for kind `fault` and not allowed for others; this is {self.kind}"
            )
        if (self.kind is InvalidKind.UNREADABLE) != bool(self.problem):
            raise ValueError(
                f"`problem` is required for kind `unreadable` and not allowed for others; this is {self.kind}"
            )
        if self.problem in _BY_TEXT:
            raise ValueError(f"the problem {self.problem!r} is the text of another kind")

    def __str__(self) -> str:
        if self.fault is not None:
            return f"fault: {self.fault}"
        return self.problem or (_NO_QUOTE if self.kind is InvalidKind.NO_QUOTE else self.kind.value)


_NO_ANSWER = (InvalidKind.NOT_RECORDED, InvalidKind.FAULT, InvalidKind.REFUSED)
"""The kinds of invalid votes in which the judge cannot have stated a verdict."""
_BY_TEXT: dict[str, Invalidity] = {}
NOT_RECORDED = Invalidity(InvalidKind.NOT_RECORDED)
NO_QUOTE = Invalidity(InvalidKind.NO_QUOTE)
REFUSED = Invalidity(InvalidKind.REFUSED)
FAULTS = {kind: Invalidity(InvalidKind.FAULT, kind) for kind in FaultKind}
_BY_TEXT.update((str(known), known) for known in (NOT_RECORDED, NO_QUOTE, REFUSED, *FAULTS.values()))


def unreadable(problem: str) -> Invalidity:
    """The `Invalidity` of an unreadable answer."""
    return Invalidity(InvalidKind.UNREADABLE, problem=problem)


def _invalidity(value: object) -> Invalidity:
    """An `Invalidity` as it is, or read from its JSON string."""
    if isinstance(value, Invalidity):
        return value
    if not isinstance(value, str) or not value:
        raise ValueError("the reason why a vote does not count must be a string")
    return _BY_TEXT.get(value) or unreadable(value)


class _Cast(Record):
    """The fields of every vote: the question that it answers."""

    window: Annotated[int, Field(ge=0)]
    """The index of the window that the vote is about."""
    repetition: Annotated[int, Field(ge=1)]
    phase: Phase


class CueAnswer(Record):
    """Whether one cue of an episode was met."""

    turn: TurnNumber
    met: bool | None
    """Null if the votes have no majority."""


class CountedVote(_Cast):
    """An answer of the judge that counts."""

    verdict: Literal[Verdict.PASS, Verdict.FAIL, Verdict.UNCLEAR, Verdict.NOT_APPLICABLE]
    stated: None = None
    """What the judge said, if that could not count."""
    rationale_code: str | None = None
    invalid: None = None
    """Why the vote does not count; null if it counts."""
    evidence: tuple[EvidenceSpan, ...] = ()
    """For a FAIL, the failures as quoted; for any other verdict, what the assistant did instead."""
    occurrences: tuple[TurnNumber, ...] | None = None
    """The turns in which the failure occurred, by verified quotes; null if the judge was not asked."""
    cues: tuple[CueAnswer, ...] = ()
    """For each cue of an episode, whether it was met."""

    @model_validator(mode="after")
    def _quoted(self) -> CountedVote:
        if self.verdict is Verdict.FAIL and not quotes_assistant(self.evidence):
            raise ValueError("a FAIL vote counts only with a quote of the assistant")
        return self


class InvalidVote(_Cast):
    """A vote whose answer is invalid or missing. It stays in the denominator."""

    verdict: Literal[None] = None
    stated: Verdict | None = None
    """The verdict in the answer, if it can be read."""
    rationale_code: str | None = None
    invalid: Annotated[
        Invalidity,
        PlainValidator(_invalidity),
        PlainSerializer(str, return_type=str),
        WithJsonSchema({"type": "string"}),
    ]
    """Why the vote does not count."""
    evidence: tuple[()] = ()

    @model_validator(mode="after")
    def _stated_by_an_answer(self) -> InvalidVote:
        kind = self.invalid.kind
        if kind is InvalidKind.NO_QUOTE and self.stated is not Verdict.FAIL:
            raise ValueError(f"the judge stated {self.stated}, but only a FAIL needs a quote")
        if kind in _NO_ANSWER and self.stated is not None:
            raise ValueError(f"the judge stated {self.stated}, but gave no answer ({kind})")
        return self


Vote: TypeAlias = CountedVote | InvalidVote
"""One vote of the judge, valid or invalid."""


class Window(Record):
    """One part of a conversation that was judged, and the verdict on it."""

    kind: Unit
    """The unit of analysis."""
    first: TurnNumber
    """The first turn that was judged."""
    last: TurnNumber
    """The last turn that was judged."""
    phase: Phase
    verdict: Verdict
    asked: Annotated[int, Field(ge=0)]
    """How many votes were asked for; 0 for a window that a rule decided."""
    split: bool = False
    context: tuple[tuple[TurnNumber, TurnNumber], ...] = ()
    """The stretches of turns inside the window that were shown but not judged."""
    cues: tuple[CueAnswer, ...] = ()
    """For each cue of an episode, whether most votes say that it was met."""

    @property
    def judged(self) -> tuple[Stretch, ...]:
        """The stretches of turns whose replies were judged, in order."""
        return stretches_around(self.first, self.last, self.context)

    @model_validator(mode="after")
    def _in_order(self) -> Window:
        if self.last < self.first:
            raise ValueError(f"a window from turn {self.first} to turn {self.last} ends before it begins")
        if (self.phase is Phase.RULE) != (self.asked == 0):
            raise ValueError(f"{self.asked} votes asked in a window of phase {self.phase}")
        stretches_around(self.first, self.last, self.context)
        return self
