"""Rows of a table of conversations: the columns of this project, or those of Inspect Scout.

A row has one conversation. Rows of any other form are read by `ib import`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ib.logs.forms import scout
from ib.logs.reading.chat import chat_talk
from ib.logs.reading.conversation import transcript_of_talk
from ib.logs.reading.form import Record, Talk
from ib.logs.reading.notes import Notes, kind_of
from ib.models.conversation.context import MOST_META, Source, is_meta_name, meta_text
from ib.models.conversation.transcript import Transcript

WHOLE = "transcript"
"""The column with whole transcripts of this project, each as its JSON."""
ROWS = "rows"
"""`provenance.source.form` of a conversation in the columns of this project."""
ABOUT = ("tags", "eligible_checks", "country", "jurisdiction", "language", "category")
"""The optional columns that are fields of a transcript under the same name."""


def is_table_of_conversations(columns: object) -> bool:
    """True if a table with these columns has one conversation in each row."""
    return isinstance(columns, list | tuple | set) and bool({WHOLE, "messages"} & set(columns))


def transcript_of_row(record: Record) -> tuple[Transcript | None, Notes]:
    """The conversation of a row, and what there is to say about it.

    Returns None if the notes have an error, or if the row is no conversation to judge. The transcript is the
    same whichever file or batch the row is in.
    """
    value = record.value
    is_scout = "transcript_id" in value and scout.FORM.one is not None
    talk = scout.FORM.one(record) if is_scout and scout.FORM.one else _own(record)
    if talk.left_out or talk.notes.findings:
        return None, talk.notes
    meta, fields = ({}, {}) if is_scout else (_meta(value.get("meta"), talk.notes), _fields(value))
    if talk.notes.findings:
        return None, talk.notes
    form = scout.FORM.name if is_scout else ROWS
    source = Source(form=form, file="", id=talk.id)
    harness = scout.FORM.harness if is_scout else f"import/{ROWS}"
    return transcript_of_talk(talk, source, harness, None, meta, **fields), talk.notes


def _own(record: Record) -> Talk:
    talk = chat_talk(record, "messages", ("role", "content"))
    talk.sampling = None
    return talk


def _fields(value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the transcript that a row has."""
    return {name: value[name] for name in ABOUT if value.get(name) not in (None, [], "")}


def _meta(value: object, notes: Notes) -> dict[str, str]:
    """The metadata of a row: a mapping, or the pairs of a map."""
    if value is None:
        return {}
    try:
        pairs = dict(value) if isinstance(value, Mapping | list) else None
    except (TypeError, ValueError):
        pairs = None
    if pairs is None:
        notes.error(("meta",), f"is {kind_of(value)}", "a mapping of names to texts")
        return {}
    kept = {}
    for name, item in pairs.items():
        text = meta_text(item)
        if text in (None, ""):
            continue
        if not isinstance(name, str) or not is_meta_name(name):
            notes.error(("meta", str(name)[:80]), "is no name of metadata", "letters, digits and _.:-")
        elif not isinstance(text, str) or len(text) > MOST_META:
            found = f"is {kind_of(item)}" if not isinstance(text, str) else f"has {len(text):,} characters"
            notes.error(("meta", name), found, f"a text of at most {MOST_META} characters")
        else:
            kept[name] = text
    return kept
