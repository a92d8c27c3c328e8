"""The hostile conversations of `transcripts.yaml`, indexed as verifiers receive them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import yaml

from ib.engine.reading.lexicons import Matcher
from ib.engine.reading.searched import NONCE_LEAST, IndexedTranscript
from ib.models.common.base import Role
from ib.models.conversation.transcript import Transcript
from tests.build import transcript

FILE = Path(__file__).with_name("transcripts.yaml")
LONG = "All is well. " * 3_077
"""What `{long}` stands for: 40,001 characters."""
CLOSING = ("Thank you.", "You are welcome.")
"""The second turn of every conversation."""


def rows() -> list[dict[str, Any]]:
    """The rows of the file."""
    found: list[dict[str, Any]] = yaml.safe_load(FILE.read_text("utf-8"))
    return found


def hash_of_id(name: str) -> str:
    """The hash that stands for that of a conversation, so that a row can know its code in advance."""
    return hashlib.sha256(name.encode()).hexdigest()


def code_of(name: str) -> str:
    """The code that the markers of a conversation would have if it did not contain it."""
    return hash_of_id(name)[:NONCE_LEAST]


def filled(value: Any, code: str) -> Any:
    """A value with its placeholders filled in."""
    if isinstance(value, str):
        return value.replace("{code}", code).replace("{long}", LONG)
    if isinstance(value, list):
        return [filled(item, code) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, code) for key, item in value.items()}
    return value


def conversation(row: dict[str, Any]) -> Transcript:
    """A row as a transcript of two turns."""
    fields = filled({**row}, code_of(row["id"]))
    del fields["id"], fields["kind"]
    said = fields.pop("said")
    context = [{"shown": True, **item} for item in fields.pop("context", ())]
    return transcript(*said, *CLOSING, context=context, **fields)


def indexed(item: Transcript, transcript_hash: str) -> IndexedTranscript:
    """A transcript under a given hash."""
    return IndexedTranscript(item, Matcher((), Role.ASSISTANT), Matcher((), Role.USER), transcript_hash)


ROWS = {row["id"]: row for row in rows()}
"""The rows of the file by id."""
HOSTILE = {name: indexed(conversation(row), hash_of_id(name)) for name, row in ROWS.items()}
"""The conversations by the ids of their rows."""
