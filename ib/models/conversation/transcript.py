"""A transcript: the messages of a conversation, and its origin as far as it is known."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from datetime import date as Day
from datetime import datetime
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from ib.errors import DataError
from ib.models.benchmark.check import Check, CheckId, Due
from ib.models.common.base import (
    ENGLISH,
    Language,
    Name,
    Played,
    Record,
    Role,
    Slug,
    Text,
    TurnNumber,
)
from ib.models.common.canonical import compact, digest
from ib.models.conversation.context import Context, Meta, Source
from ib.models.conversation.twin import Twin
from ib.text.shown import bare, blank


class Message(Record):
    turn: TurnNumber
    role: Role
    """Who speaks: `user` or `assistant`."""
    content: str
    """The words."""
    branch_id: str | None = None
    """The branch of the scenario that led to this user message."""
    truncated: bool = False
    """True if the model was cut off. Such replies are scanned, marked and counted."""
    session: TurnNumber | None = None
    """The number of the session."""
    time: datetime | None = None
    """When it was said, if known (ISO 8601)."""


class Anchor(Record):
    """A cue that was written into a turn, and the turns in which the reply to it stands."""

    cue_turn: TurnNumber
    """The turn of the cue."""
    from_turn: TurnNumber
    """The first turn in which a reply to the cue is judged."""
    to_turn: TurnNumber
    """The last turn in which a reply to the cue is judged."""
    checks: tuple[CheckId, ...] = Field(min_length=1)
    """The checks that look there."""
    cue: str | None = None
    """The words of the cue, a substring of the message of the turn."""
    episode: dict[CheckId, Slug] = Field(default_factory=dict)
    """For a check: the danger that the cue is about. The cues of a check about the same danger are judged in
    one question."""
    raises: bool = False
    """True if the reply to this cue decides its episode, as the reply to the first cue always does."""

    @model_validator(mode="after")
    def _consistent(self) -> Anchor:
        if self.to_turn < self.from_turn:
            raise ValueError(f"to_turn {self.to_turn} is before from_turn {self.from_turn}")
        if self.to_turn < self.cue_turn:
            raise ValueError(f"to_turn {self.to_turn} is before cue_turn {self.cue_turn}")
        strangers = sorted(set(self.episode) - set(self.checks))
        if strangers:
            raise ValueError(f"episode of {', '.join(strangers)}, which is not in checks")
        return self


class RiskTrigger(Record):
    turn: TurnNumber
    cue: Text
    """The tag of the risk."""
    severity: Text | None = None
    """How strong the cue is."""


class Provenance(Record):
    """Where a transcript came from; what is missing is shown as unknown."""

    model_config = ConfigDict(populate_by_name=True)

    harness: str | None = None
    served_model: str | None = None
    """The model id that the provider said had answered."""
    date: str | None = None
    """When it was made."""
    sampling: dict[str, Any] | None = None
    system_prompt_hash: str | None = None
    definition_hash: str | None = Field(default=None, alias="scenario_hash")
    """The hash of the scenario that was played as its file defines it, with all its branches; of one with
    slots, as drawn."""
    draw: str | None = None
    """The hash of the key that chose the words of its slots; null if the scenario has no slots."""
    source: Source | None = None
    """Where it was imported from."""

    @property
    def day(self) -> Day | None:
        """The day on which it was made. Returns None if `date` is missing or does not begin with a day."""
        try:
            return None if self.date is None else Day.fromisoformat(self.date[:10])
        except ValueError:
            return None


class Transcript(Played):
    """One conversation of one model, in the form of one line of a transcripts file."""

    model: Name
    epoch: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """Which of several plays of the same scenario this is."""
    category: Slug | None = None
    schema_version: Annotated[int, Field(ge=0, le=1_000)] | None = None
    canary: str | None = None
    provenance: Provenance | None = None
    """Where the conversation came from; what is missing is unknown."""
    meta: Meta = Field(default_factory=dict)
    """Metadata that the owner of the log chose, such as `{"version": "2.1"}`. It groups results; no check
    and no judge reads it."""
    redacted: Text | None = None
    """The rules by which stand-ins were put in place of personal data, such as `own/1`. Quotes and hashes
    are those of the redacted text."""
    tags: tuple[str, ...] = ()
    risk_triggers: tuple[RiskTrigger, ...] = ()
    eligible_checks: tuple[CheckId, ...] | None = None
    """If given, this list alone decides which checks are due. An empty list counts as absent."""
    anchors: tuple[Anchor, ...] = ()
    jurisdiction: Slug | None = None
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = None
    """The country whose crisis resources are right, if it is not that of the jurisdiction."""
    language: Language = ENGLISH
    """The language in which the person writes."""
    set: Slug | None = None
    """The set that the scenario belongs to; null for the core."""
    contrast_group: str | None = None
    contrast_variable: str | None = None
    variant_of: str | None = None
    twin: Twin | None = None
    """For a play of a safe twin: what it lacks. No check is due on it, and only over-alarm is measured."""
    context: tuple[Context, ...] = ()
    """What the model read or wrote beside the conversation. Judges see only what is marked `shown`."""
    messages: tuple[Message, ...]
    """The conversation, in order."""

    @field_validator("eligible_checks")
    @classmethod
    def _not_empty(cls, value: tuple[CheckId, ...] | None) -> tuple[CheckId, ...] | None:
        # An exporter may write an empty list for "not given". As a list, it would make no check due.
        return value or None

    @model_validator(mode="after")
    def _well_formed(self) -> Transcript:
        problem = _disorder(self.messages) or _beyond(self.context, self.messages[-1].turn)
        if problem is not None:
            raise ValueError(problem)
        return self

    @classmethod
    def from_messages(
        cls,
        model_id: str,
        scenario_id: str,
        messages: Iterable[tuple[str, str] | Mapping[str, Any]],
        *,
        log_id: str | None = None,
        **fields: Any,
    ) -> Transcript:
        """Make a transcript from (role, text) pairs or {"role", "content"} mappings; this numbers the turns.

        A user message begins a turn, and so does a reply after a reply. `log_id` is the id of the
        conversation in your log, in any form. `fields` are other fields of the transcript, such as `tags`
        and `meta`. Raises DataError if the transcript is invalid.
        """
        turn, before, made = 0, None, []
        for place, message in enumerate(messages, start=1):
            role, text = _pair(message, scenario_id, f"message {place}")
            if role not in tuple(Role):
                found = f"role {role!r}"
                raise DataError.one(
                    scenario_id, None, f"message {place}", found, "it must be user or assistant"
                )
            turn += role == Role.USER or before != Role.USER
            made.append(Message(turn=turn, role=Role(role), content=text))
            before = role
        values = {"model": model_id, **fields, "messages": tuple(made)}
        if log_id is not None:
            known = fields.get("provenance") or Provenance()
            source = Source(form="python", file="", id=log_id)
            values["provenance"] = {**dict(known), "source": source}
        try:
            return cls(model_id=model_id, scenario_id=scenario_id, **values)
        except ValidationError as error:
            said = "; ".join(str(one["msg"]).removeprefix("Value error, ") for one in error.errors())
            raise DataError.one(
                scenario_id, None, "", said, "a transcript as docs/transcripts.md describes"
            ) from error

    @property
    def key(self) -> tuple[str, str, int]:
        """Model, scenario and epoch (-1 if there is none), which identify a transcript."""
        return self.played

    @property
    def log_id(self) -> str | None:
        """The id that the log of another tool gives the conversation; None if there is none."""
        source = None if self.provenance is None else self.provenance.source
        return None if source is None else source.id

    def between(self, first: int, last: int) -> tuple[Message, ...]:
        """The messages of turns `first` to `last`, both included."""
        begin = bisect_left(self.messages, first, key=lambda message: message.turn)
        return self.messages[begin : bisect_right(self.messages, last, key=lambda message: message.turn)]

    @property
    def turns(self) -> int:
        """The number of the last turn."""
        return self.messages[-1].turn

    @property
    def circumstances(self) -> frozenset[str]:
        """Tags, risk triggers and category, which eligibility and suppression are matched with."""
        return circumstances(self.tags, (trigger.cue for trigger in self.risk_triggers), self.category)

    @property
    def is_open(self) -> bool:
        """True for an open log: nothing in it says which checks are due, so every check is.

        A transcript whose scenario is in the benchmark has the tags of the scenario.
        """
        return not self.tags and self.eligible_checks is None

    def due(self, check: Check) -> Due:
        """Whether a check is due here: none on a safe twin, and every check on an open log, where no tag
        suppresses any."""
        if self.twin is not None:
            return Due.NO
        if self.is_open:
            return Due.YES
        return check.due(self.circumstances, self.eligible_checks)

    @property
    def played_hash(self) -> str:
        """The hash of the scenario as played, the same for every model that played it."""
        definition = None if self.provenance is None else self.provenance.definition_hash
        told = {name: getattr(self, name) for name in _TOLD}
        return played_hash(self.scenario_id, told, self.messages[0].content, definition)


def circumstances(tags: Iterable[str], cues: Iterable[str], category: str | None) -> frozenset[str]:
    """Tags, cues of risk triggers and category, which eligibility and suppression are matched with."""
    named = {*tags, *cues}
    return frozenset(named if category is None else {*named, category})


_TOLD = (
    *("category", "tags", "risk_triggers", "eligible_checks", "anchors", "jurisdiction"),
    *("contrast_group", "contrast_variable", "variant_of", "language", "set"),
)
"""The fields of a transcript that come from its scenario and are part of `played_hash`."""


def played_hash(scenario_id: str, told: Mapping[str, Any], opening: str, definition: str | None) -> str:
    """The hash of a scenario as played: the scenario's fields in its transcripts, and the first message.

    If a scenario branches, later user messages may differ between models, but the first is always the
    same. `definition` is the hash of the scenario's file, if known.
    """
    said = {name: told[name] for name in _TOLD if not name.startswith("contrast_")}
    said["scenario_id"] = scenario_id
    said["contrast"] = [told["contrast_group"], told["contrast_variable"]]
    said["opening"] = opening
    if told["language"] == ENGLISH:  # as in transcripts from before there was a second language
        del said["language"]
    if told["set"] is None:  # as in transcripts from before there were sets
        del said["set"]
    if definition is not None:
        said["played"] = definition
    return digest(said)


def transcript_line(transcript: Transcript) -> bytes:
    """The canonical JSON line of a transcript. Its SHA-256 is the hash of the transcript."""
    said = transcript.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    return compact(said)


def line_hash(line: bytes) -> str:
    """The SHA-256 of a canonical line."""
    return hashlib.sha256(line).hexdigest()


def _pair(message: object, scenario_id: str, place: str) -> tuple[str, str]:
    """The role and the text of a message. Raises DataError if it has another form."""
    pair = (message.get("role"), message.get("content")) if isinstance(message, Mapping) else message
    if isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(item, str) for item in pair):
        return pair[0], pair[1]
    found = f"found {str(message)[:80]!r}"
    allowed = 'a role and a text, as a pair or as {"role": ..., "content": ...}'
    raise DataError.one(scenario_id, None, place, found, allowed)


def _disorder(messages: tuple[Message, ...]) -> str | None:
    """The error in the order of the messages; None if there is none."""
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


def _beyond(context: tuple[Context, ...], last: int) -> str | None:
    """The error of the first context after the last turn; None if there is none."""
    late = next((index for index, item in enumerate(context) if item.turn > last), None)
    return None if late is None else f"context.{late}.turn: turn {context[late].turn} of {last} turns"


def _misplaced(message: Message, before: Message | None) -> str | None:
    """The error of a message after the one before it; None if there is none."""
    # A person may say only "---" or "<br>"; as a reply, that is empty.
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
    """The error in the time of a message after the last one with a time; None if there is none."""
    if before is None or before.time is None or message.time is None:
        return None
    if (before.time.tzinfo is None) != (message.time.tzinfo is None):
        return "time: times with and without an offset are mixed; use one form"
    if message.time < before.time:
        return f"time: {message.time.isoformat()} is before the message that it follows"
    return None
