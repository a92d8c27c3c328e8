"""What the caller of an import chose to keep of each log: the id, metadata, and the field of the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from ib.errors import UsageError
from ib.logs.reading.form import Talk, text_of, values_in
from ib.logs.reading.notes import kind_of
from ib.models.conversation.context import MOST_META, is_meta_name, meta_text


@dataclass(frozen=True)
class Field:
    """A key of a log, with dots between the keys that lead to it, and the name under which it is kept."""

    name: str
    key: str


def fields_of(given: Sequence[str]) -> tuple[Field, ...]:
    """The fields that `--meta KEY` or `--meta NAME=KEY` name. Raises UsageError for a name that cannot be."""
    fields = []
    for item in given:
        name, _, key = item.rpartition("=")
        field = Field(name or key, key)
        if not is_meta_name(field.name):
            raise UsageError(
                f"--meta {item}: {field.name!r} cannot be the name of metadata; use letters, digits and "
                f"_.:- and give another name, such as --meta version={key or 'KEY'}"
            )
        fields.append(field)
    names = [field.name for field in fields]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--meta {twice}: given twice; use another name, such as --meta other={twice}")
    return tuple(fields)


def meta_of(talk: Talk, fields: Sequence[Field]) -> dict[str, str]:
    """The metadata of a conversation; the notes get an error for each value that cannot be kept."""
    kept = {}
    for field in fields:
        found = dict.fromkeys(_texts(talk, field))
        if len(found) > 1:
            said = f"has {len(found)} values in one conversation: {', '.join(found)[:80]}"
            talk.notes.error(tuple(field.key.split(".")), said, "one value, or leave out --meta for it")
        elif found:
            kept[field.name] = next(iter(found))
            talk.notes.unread.discard(field.key.partition(".")[0])
    return kept


def _texts(talk: Talk, field: Field) -> Iterator[str]:
    """The values of a field in the records of a conversation, as texts."""
    for record in talk.records:
        for value in values_in(record, field.key):
            text = meta_text(value)
            if text is None or text == "":
                continue
            if not isinstance(text, str):
                allowed = "a text, a number, or true or false"
                talk.notes.error(tuple(field.key.split(".")), f"is {kind_of(value)}", allowed)
            elif len(text) > MOST_META:
                said = f"has {len(text):,} characters"
                talk.notes.error(tuple(field.key.split(".")), said, f"at most {MOST_META}")
            else:
                yield text


def id_of(talk: Talk, key: str | None) -> str | None:
    """The id of a conversation: that of its form, or the value of the key that the caller named."""
    if key is None:
        return talk.id
    found = dict.fromkeys(
        text for record in talk.records for value in values_in(record, key) if (text := text_of(value))
    )
    if len(found) == 1:
        return next(iter(found))
    said = "is missing" if not found else f"has {len(found)} values in one conversation"
    talk.notes.error(tuple(key.split(".")), said, "one text or number in each conversation, as --id says")
    return None


def refuse_unknown(fields: Sequence[Field], kept: Mapping[str, int], seen: Sequence[str]) -> None:
    """Raises UsageError if no conversation has a field. `seen` are the keys of the first record."""
    for field in fields:
        if not kept.get(field.name):
            near = get_close_matches(field.key, seen, n=1, cutoff=0.6)
            hint = f"did you mean {near[0]!r}?" if near else f"the first record has {', '.join(seen[:12])}"
            raise UsageError(f"--meta {field.key}: no conversation has this key; {hint}")
