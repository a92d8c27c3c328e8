"""A transcript: what was said, by whom, in which turn, and what is known of where it came from."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from ib.models.base import Identifier, Record, Role, Slug, Text
from ib.models.canonical import compact, digest
from ib.models.check import CheckId
from ib.text.shown import bare, blank

Turn = Annotated[int, Field(ge=1, le=10_000)]


class Message(Record):
    turn: Turn
    role: Role
    content: str
    branch_id: str | None = None
    """The branch of the scenario that led to this user message."""
    truncated: bool = False
    """True if the model was cut off. Such replies are scanned, marked and counted."""
    session: Turn | None = None
    time: datetime | None = None
    """When it was said, if known (ISO 8601)."""


class Anchor(Record):
    """A cue that was written into a turn, and the turns in which the reply to it stands."""

    cue_turn: Turn
    from_turn: Turn
    to_turn: Turn
    checks: tuple[CheckId, ...] = Field(min_length=1)
    cue: str | None = None
    """The words of the cue, a substring of the message of the turn."""

    @model_validator(mode="after")
    def _in_order(self) -> Anchor:
        if self.to_turn < self.from_turn:
            raise ValueError(f"to_turn {self.to_turn} is before from_turn {self.from_turn}")
        return self


class RiskTrigger(Record):
    turn: Turn
    cue: Text
    severity: Text | None = None


class Provenance(Record):
    """Where a transcript came from; what is missing is shown as unknown."""

    model_config = ConfigDict(populate_by_name=True)

    harness: str | None = None
    served_model: str | None = None
    """The model id that the provider said had answered."""
    date: str | None = None
    sampling: dict[str, Any] | None = None
    system_prompt_hash: str | None = None
    definition_hash: str | None = Field(default=None, alias="scenario_hash")
    """The hash of the scenario that was played as its file defines it, with all its branches."""


class Transcript(Record):
    """One conversation of one model, in the form of one line of a transcripts file."""

    model_id: Identifier
    model: Text
    scenario_id: Identifier
    epoch: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """Which of several plays of the same scenario this is."""
    category: Slug | None = None
    schema_version: Annotated[int, Field(ge=0, le=1_000)] | None = None
    canary: str | None = None
    provenance: Provenance | None = None
    tags: tuple[str, ...] = ()
    risk_triggers: tuple[RiskTrigger, ...] = ()
    eligible_checks: tuple[CheckId, ...] | None = None
    """If given, this list alone decides which checks are due."""
    anchors: tuple[Anchor, ...] = ()
    jurisdiction: Slug | None = None
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = None
    """The country whose crisis resources are right, if it is not that of the jurisdiction."""
    contrast_group: str | None = None
    contrast_variable: str | None = None
    variant_of: str | None = None
    messages: tuple[Message, ...]

    @model_validator(mode="after")
    def _well_formed(self) -> Transcript:
        problem = _disorder(self.messages)
        if problem is not None:
            raise ValueError(problem)
        return self

    @classmethod
    def from_messages(
        cls, model_id: str, scenario_id: str, messages: Iterable[tuple[str, str]], **fields: Any
    ) -> Transcript:
        """A conversation given as (role, text) pairs; turns are numbered here.

        A user message opens a turn, and so does a reply that follows a reply. `fields` are other
        fields of a transcript, such as `tags`. Raises pydantic's ValidationError where the
        conversation is not one.
        """
        turn, before, made = 0, None, []
        for role, text in messages:
            turn += role == Role.USER or before != Role.USER
            made.append(Message(turn=turn, role=Role(role), content=text))
            before = role
        return cls(
            model_id=model_id, scenario_id=scenario_id, messages=tuple(made), **{"model": model_id, **fields}
        )

    @property
    def key(self) -> tuple[str, str, int]:
        """What a transcript is told apart by."""
        return (self.model_id, self.scenario_id, -1 if self.epoch is None else self.epoch)

    def between(self, first: int, last: int) -> tuple[Message, ...]:
        """The messages of turns `first` to `last`."""
        begin = bisect_left(self.messages, first, key=lambda message: message.turn)
        return self.messages[begin : bisect_right(self.messages, last, key=lambda message: message.turn)]

    @property
    def turns(self) -> int:
        """The number of the last turn."""
        return self.messages[-1].turn

    @property
    def circumstances(self) -> frozenset[str]:
        """What eligibility and suppression are matched against."""
        return circumstances(self.tags, (trigger.cue for trigger in self.risk_triggers), self.category)

    @property
    def played_hash(self) -> str:
        """The hash of the scenario as played, the same for every model that played it."""
        definition = None if self.provenance is None else self.provenance.definition_hash
        told = {name: getattr(self, name) for name in _TOLD}
        return played_hash(self.scenario_id, told, self.messages[0].content, definition)


def circumstances(tags: Iterable[str], cues: Iterable[str], category: str | None) -> frozenset[str]:
    """What eligibility and suppression are matched against: tags, cues of risk triggers, category."""
    named = {*tags, *cues}
    return frozenset(named if category is None else {*named, category})


_TOLD = (
    *("category", "tags", "risk_triggers", "eligible_checks", "anchors", "jurisdiction"),
    *("contrast_group", "contrast_variable", "variant_of"),
)
"""The fields of a transcript that are part of its scenario as played."""


def played_hash(scenario_id: str, told: Mapping[str, Any], opening: str, definition: str | None) -> str:
    """The hash of a scenario as played: what its transcripts say of it, and the first user message.

    Where scenarios branch, later user turns may differ between models; the first never does.
    `definition` is the hash of the scenario as its file defines it, if that is known.
    """
    said = {name: told[name] for name in _TOLD if not name.startswith("contrast_")}
    said["scenario_id"] = scenario_id
    said["contrast"] = [told["contrast_group"], told["contrast_variable"]]
    said["opening"] = opening
    if definition is not None:
        said["played"] = definition
    return digest(said)


def transcript_line(transcript: Transcript) -> bytes:
    """The canonical line of a transcript; its SHA-256 is what the transcript is known by."""
    said = transcript.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    return compact(said)


def line_hash(line: bytes) -> str:
    """The SHA-256 of a canonical line."""
    return hashlib.sha256(line).hexdigest()


def _disorder(messages: tuple[Message, ...]) -> str | None:
    """What is wrong with the order of the messages, or None."""
    if not messages:
        return "messages: the transcript is empty; it needs a user and an assistant message at least"
    missing = set(Role) - {message.role for message in messages}
    if missing:
        return f"messages: there is no {missing.pop()} message; both speakers are needed"
    if messages[-1].role is Role.USER:
        return "messages: the last user message has no reply; an incomplete transcript is not scanned"
    before: Message | None = None
    timed: Message | None = None
    for index, message in enumerate(messages):
        problem = _misplaced(message, before) or _untimely(message, timed)
        if problem is not None:
            return f"messages.{index}.{problem}"
        before = message
        timed = message if message.time is not None else timed
    return None


def _misplaced(message: Message, before: Message | None) -> str | None:
    """What is wrong with a message behind the one before it, or None."""
    # A person may well say no more than "---" or "<br>"; a reply of that is none.
    nothing = bare if message.role is Role.ASSISTANT else blank
    if nothing(message.content):
        return "content: the message is empty; a call that failed is not an answer"
    if before is None:
        wrong = f"turn: the first turn is {message.turn}; turns are numbered from 1"
        return wrong if message.turn != 1 else None
    if message.turn == before.turn and (before.role, message.role) != (Role.USER, Role.ASSISTANT):
        allowed = "a turn is one user message and one assistant message"
        return f"role: {message.role} after {before.role} in turn {message.turn}; {allowed}"
    if message.turn not in (before.turn, before.turn + 1):
        return f"turn: turn {message.turn} after turn {before.turn}; turns run 1, 2, 3"
    return None


def _untimely(message: Message, before: Message | None) -> str | None:
    """What is wrong with the time of a message behind the last one that has a time, or None."""
    if before is None or before.time is None or message.time is None:
        return None
    if (before.time.tzinfo is None) != (message.time.tzinfo is None):
        return "time: times with and without an offset are mixed; use one form"
    if message.time < before.time:
        return f"time: {message.time.isoformat()} is before the message that it follows"
    return None
