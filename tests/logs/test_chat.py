"""Whole conversations of chat logs, whatever values they have."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ib.logs.reading.conversation import transcript_of_talk
from ib.logs.reading.form import Record
from ib.logs.registry import forms_of
from ib.models.conversation.context import Source
from ib.models.conversation.transcript import Transcript, transcript_line

KEYS = (
    *("role", "content", "from", "value", "model", "id", "system", "time", "timestamp", "session", "type"),
    *("tool_calls", "function_call", "function", "name", "arguments", "refusal", "reasoning", "error"),
    *("finish_reason", "temperature", "text", "messages", "conversations", "conversation"),
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
)
VALUES = st.recursive(
    SCALARS | st.sampled_from(("user", "assistant", "system", "tool", "text", "tool_result", "thinking")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=6,
)
MESSAGES = st.builds(
    lambda role, content, more: {**more, "role": role, "content": content},
    st.sampled_from(("user", "assistant", "system", "tool")),
    st.sampled_from(("hello", "yes")) | VALUES,
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=2),
)
TALKS = st.builds(
    lambda key, messages, more: {**more, key: messages},
    st.sampled_from(("messages", "conversations", "conversation")),
    st.lists(MESSAGES, max_size=5) | VALUES,
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=2),
)


@settings(max_examples=300, deadline=None)
@given(TALKS)
def test_any_conversation_is_a_transcript_or_an_error(value: dict[str, Any]) -> None:
    """Never both, never neither, never an exception; and a transcript is read again as it was written."""
    form = forms_of(value)[0]
    assert form.one is not None
    talk = form.one(Record(value, lambda keys: (1, keys)))
    source = Source(form=form.name, file="log.jsonl", id=talk.id)
    made = None if talk.notes.findings else transcript_of_talk(talk, source, form.harness, None, {})
    assert (made is None) == bool(talk.notes.findings)
    if made is not None:
        assert Transcript.model_validate_json(transcript_line(made)) == made
