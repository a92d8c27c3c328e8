"""From the messages of a log to the messages and the context of a transcript."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from ib.logs.reading.form import Talk
from ib.logs.reading.message import JOINT, Entry, Speaker
from ib.logs.reading.notes import Change, Notes
from ib.models.common.base import Role, is_identifier
from ib.models.common.canonical import digest
from ib.models.conversation.context import Context, ContextKind, Source
from ib.models.conversation.transcript import Message, Provenance, Transcript

MOST_OF_ID = 120
"""How many characters of a log's own id are in the id of its conversation."""
WHOLE = ("metadata", "invisiblebench")
"""Where a sample of an exported log has the transcript that it was made from."""
UNKNOWN = "unknown/unknown"
"""The model of a conversation whose log does not name one."""
_KEPT_APART = {
    ContextKind.SYSTEM: Change.SYSTEM,
    ContextKind.TOOL_CALL: Change.CALLS,
    ContextKind.TOOL_RESULT: Change.RESULTS,
    ContextKind.REASONING: Change.REASONING,
}
_BEYOND = {
    "less_than_equal": "more than {le:,} turns",
    "string_too_long": "a {text} of more than {max_length:,} characters",
}
"""The limits of transcripts in words, by the type of pydantic's error."""


def transcript_of(
    entries: Sequence[Entry], model: str | None, provenance: Provenance, notes: Notes, **fields: Any
) -> Transcript | None:
    """A transcript of the messages of a log, as an open log: without tags and without a list of checks.

    `model` is the name of the model as the log or the caller says it. `fields` may have `scenario_id`,
    `epoch` and `meta`; without a `scenario_id`, one is made from the log's own id and the words. Returns None
    if there is no assistant message, or another error; `notes` then has it.
    """
    try:
        return _transcript(entries, model, provenance, notes, fields)
    except ValidationError as error:  # too many turns, or too long a text
        for item in error.errors(include_url=False):
            is_name = item["loc"][:1] == ("model",)
            words = {"msg": item["msg"], "text": "name of a model" if is_name else "text"}
            found = _BEYOND.get(item["type"], "{msg}").format(**words, **item.get("ctx", {}))
            own = item["loc"] if item["loc"][:1] and item["loc"][0] in fields else ()
            hint = "a shorter name" if is_name else "shorter conversations"
            notes.error(own, found, "what docs/transcripts.md allows" if own else hint)
        return None


def transcript_of_talk(
    talk: Talk, source: Source, harness: str, model: str | None, meta: Mapping[str, str], **fields: Any
) -> Transcript | None:
    """A conversation of a log as a transcript. `model` goes before the name that the log gives. `fields` are
    other fields of the transcript."""
    known = {  # validated with the whole transcript, when its line is read again
        "harness": harness,
        "served_model": talk.served,
        "date": talk.date,
        "sampling": dict(talk.sampling) if talk.sampling else None,
        "source": source,
    }
    provenance = Provenance().model_copy(update=known)
    fields["meta"] = dict(meta)
    if talk.task is not None:
        fields["scenario_id"] = talk.task
    if talk.epoch is not None:
        fields["epoch"] = talk.epoch
    if talk.whole is not None:
        return _carried(talk, fields["meta"])
    return transcript_of(talk.entries, model or talk.model, provenance, talk.notes, **fields)


def _carried(talk: Talk, meta: Mapping[str, str]) -> Transcript | None:
    """The transcript that a log carries, if it says what the messages of the log say, else None."""
    said = [(str(entry.speaker.value), entry.text) for entry in talk.entries if entry.text]
    try:
        whole = Transcript.model_validate({**(talk.whole or {}), **({"meta": meta} if meta else {})})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        talk.notes.error((*WHOLE, *first["loc"]), first["msg"], "the transcript as the export wrote it")
        return None
    if [(str(message.role), message.content) for message in whole.messages] != said:
        talk.notes.error(
            WHOLE, "says other words than the messages", "remove it, or leave the messages alone"
        )
        return None
    return whole


def _transcript(
    entries: Sequence[Entry],
    model: str | None,
    provenance: Provenance,
    notes: Notes,
    fields: Mapping[str, Any],
) -> Transcript | None:
    """The transcript. Raises ValidationError if a value is beyond its limit."""
    messages, context = assembled(entries, notes)
    said = {entry.speaker.value for entry in entries if entry.text}
    missing = set(Role) - said or set(Role) - {message.role for message in messages}
    if missing:
        which = " and no ".join(sorted(missing))
        notes.error((), f"has no {which} message", "at least one user message and its reply")
        return None
    if model is None:
        notes.changes[Change.UNKNOWN_MODEL] += 1
    system = JOINT.join(item.content for item in context if item.kind is ContextKind.SYSTEM)
    hashed = hashlib.sha256(system.encode()).hexdigest() if system else None
    own = None if provenance.source is None else provenance.source.id
    if provenance.system_prompt_hash != hashed:
        provenance = provenance.model_copy(update={"system_prompt_hash": hashed})
    values: dict[str, Any] = {"scenario_id": conversation_id(messages, own), **fields}
    return Transcript(
        model_id=identifier(model or UNKNOWN),
        model=model or UNKNOWN,
        provenance=provenance,
        context=tuple(context),
        messages=tuple(messages),
        **values,
    )


def assembled(entries: Sequence[Entry], notes: Notes) -> tuple[list[Message], list[Context]]:
    """The messages in turns, and what stands beside them.

    Neighboring messages of one role in one session become one. A first message of the assistant is a
    turn of its own. User messages after the last reply are cut.
    """
    timed = _timed(entries, notes)
    messages: list[Message] = []
    beside: list[tuple[int, ContextKind, str | None, str]] = []
    for entry in entries:
        if entry.text:
            _add(messages, entry, notes, timed=timed)
        turn = messages[-1].turn if messages else 1
        beside += [(turn, *item) for item in entry.beside]
    while messages and messages[-1].role is Role.USER:
        messages.pop()
        notes.changes[Change.TRAILING] += 1
    if messages and messages[0].role is Role.ASSISTANT:
        notes.changes[Change.LEADING] += 1
    last = messages[-1].turn if messages else 1
    for _, kind, _, _ in beside:
        notes.changes[_KEPT_APART[kind]] += 1
    return messages, [
        Context(turn=min(turn, last), kind=kind, name=name, content=content)
        for turn, kind, name, content in beside
    ]


def _add(messages: list[Message], entry: Entry, notes: Notes, *, timed: bool) -> None:
    """Add what one speaker said: as a new message, or to the message before."""
    role = Role.USER if entry.speaker is Speaker.USER else Role.ASSISTANT
    before = messages[-1] if messages else None
    if before is not None and (before.role, before.session) == (role, entry.session):
        notes.changes[Change.MERGED] += 1
        text = f"{before.content}{JOINT}{entry.text}"
        messages[-1] = before.model_copy(update={"content": text, "truncated": entry.truncated})
        return
    follows = before is not None and before.role is Role.USER and role is Role.ASSISTANT
    messages.append(
        Message(
            turn=(0 if before is None else before.turn) + (not follows),
            role=role,
            content=entry.text,
            truncated=entry.truncated and role is Role.ASSISTANT,
            session=entry.session,
            time=entry.time if timed else None,
        )
    )


def _timed(entries: Iterable[Entry], notes: Notes) -> bool:
    """True if every message has a time, all with or all without an offset, in order."""
    times = [entry.time for entry in entries if entry.text]
    known = [time for time in times if time is not None]
    if not known:
        return False
    usable = len(known) == len(times) and len({time.tzinfo is None for time in known}) == 1
    usable = usable and all(one <= other for one, other in pairwise(known))
    notes.changes[Change.TIMES] += not usable
    return usable


def identifier(name: str) -> str:
    """A name as an identifier: itself if it is one, else its allowed characters and part of its hash."""
    if is_identifier(name):
        return name
    kept = re.sub(r"[^A-Za-z0-9_.:/@+-]+", "-", name).strip("-_.:/@+")[:120]
    return "-".join(filter(None, (kept, digest(name)[:8])))


def conversation_id(messages: Iterable[Message], own: str | None) -> str:
    """The id of a conversation: the log's own id and a part of the hash of the words.

    The same words under two ids are two conversations, and so are other words under one id. Without an id,
    the same words have the same id in every log.
    """
    words = digest([[message.role, message.content] for message in messages])
    if own is None:
        return f"chat-{words[:16]}"
    short = own if len(own) <= MOST_OF_ID else f"{own[: MOST_OF_ID - 9]}-{digest(own)[:8]}"
    return f"{identifier(short)}-{words[:8]}"
