"""A transcript with stand-ins in place of personal data, in every text that it carries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ib.logs.reading.conversation import conversation_id, identifier
from ib.logs.reading.form import values_in
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Provenance, Transcript
from ib.text.personal import Finder, StandIns

NAME_KEYS = (
    *("user", "user_name", "username", "userName", "user_id", "userId", "user_email", "customer"),
    *("customer_name", "display_name", "full_name", "first_name", "last_name", "metadata.user"),
    *("metadata.user_name", "metadata.user_id", "metadata.userId", "metadata.username", "metadata.name"),
)
"""The keys of a log that may hold the name of the person, unasked."""
_OF_PERSON = ("name", "full_name", "first_name", "last_name", "display_name", "username", "email", "id")
_SPEAKERS = {"user", "assistant", "human", "bot", "system", "anonymous", "unknown", "none", "null"}
Replace = Callable[[str], str]
_FREE = ("tags", "category", "contrast_group", "contrast_variable", "variant_of", "canary")
"""Fields of a transcript that are words of a person who tagged it."""


def names_in(records: Iterable[Mapping[str, Any]], keys: Sequence[str] = NAME_KEYS) -> list[str]:
    """The names that the records of a conversation give the person."""
    found: list[str] = []
    for record in records:
        for key in keys:
            found += [name for value in values_in(record, key) for name in _names_of(value)]
        if record.get("role") in ("user", "human"):
            found += _names_of(record.get("name"))
        said = record.get("messages")
        for message in said if isinstance(said, list) else ():
            if isinstance(message, Mapping) and message.get("role") == "user":
                found += _names_of(message.get("name"))
    return list(dict.fromkeys(found))


def _names_of(value: Any) -> list[str]:
    """The names in the value of a field of the person."""
    if isinstance(value, Mapping):
        whole = " ".join(str(value[key]).strip() for key in ("first_name", "last_name") if value.get(key))
        return [*_names_of(whole), *(name for key in _OF_PERSON for name in _names_of(value.get(key)))]
    if not isinstance(value, str) or value.strip().casefold() in _SPEAKERS:
        return []
    return [" ".join(value.split())] if value.strip() else []


def redacted(
    transcript: Transcript, finders: Sequence[Finder], names: Sequence[str], rules: str
) -> tuple[Transcript, int]:
    """The transcript with stand-ins in all its texts, and their number; its `redacted` names the rules.

    The same person has the same stand-in in the whole conversation. The id of the conversation is made
    again if it held personal data, or was made from the words. Raises ValueError if a finder is wrong.
    """
    stand_ins = StandIns(finders, names, _texts(transcript))
    replaced = stand_ins.replaced
    messages = tuple(m.model_copy(update={"content": replaced(m.content)}) for m in transcript.messages)
    context = tuple(
        item.model_copy(update={"content": replaced(item.content), "name": _optional(replaced, item.name)})
        for item in transcript.context
    )
    anchors = tuple(
        anchor.model_copy(update={"cue": _optional(replaced, anchor.cue)}) for anchor in transcript.anchors
    )
    changed: dict[str, Any] = {
        "messages": messages,
        "context": context,
        "anchors": anchors,
        "meta": {name: replaced(text) for name, text in transcript.meta.items()},
        "provenance": _of_provenance(transcript.provenance, replaced),
        "redacted": rules,
    }
    for name in _FREE:
        value = getattr(transcript, name)
        changed[name] = (
            tuple(map(replaced, value)) if isinstance(value, tuple) else _optional(replaced, value)
        )
    made = transcript.model_copy(update=changed)
    made = made.model_copy(update={"scenario_id": _id(transcript, made, replaced)})
    return made, len(stand_ins.given)


def _id(before: Transcript, after: Transcript, replaced: Replace) -> str:
    """The id of the redacted conversation."""
    if before.scenario_id == conversation_id(before.messages, before.log_id):
        return conversation_id(after.messages, after.log_id)
    shown = replaced(before.scenario_id)
    if shown == before.scenario_id:
        return before.scenario_id
    words = digest([[message.role, message.content] for message in after.messages])
    return identifier(f"{shown[:110]}-{words[:16]}")


def _optional(replaced: Any, text: str | None) -> str | None:
    return None if text is None else replaced(text)


def _of_provenance(provenance: Provenance | None, replaced: Replace) -> Provenance | None:
    """The origin, without personal data in the log's id, the name of its file and the settings."""
    if provenance is None:
        return None
    source = provenance.source
    if source is not None:
        kept = {"file": replaced(source.file), "id": _optional(replaced, source.id)}
        source = source.model_copy(update=kept)
    sampling = None if provenance.sampling is None else _within(provenance.sampling, replaced)
    return provenance.model_copy(update={"source": source, "sampling": sampling})


def _within(value: Any, replaced: Replace) -> Any:
    """A value with stand-ins in all its texts."""
    if isinstance(value, str):
        return replaced(value)
    if isinstance(value, Mapping):
        return {replaced(key): _within(item, replaced) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_within(item, replaced) for item in value]
    return value


def _texts(transcript: Transcript) -> Iterator[str]:
    yield from (message.content for message in transcript.messages)
    yield from (item.content for item in transcript.context)
    yield from transcript.meta.values()
    yield transcript.log_id or ""
