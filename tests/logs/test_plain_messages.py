"""A message that is a role and a text alone is read on a short way, which says what the long one says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ib.logs.reading.message import ROLES, Entry, read_message
from ib.logs.reading.notes import Notes

TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["", "---", "<br>", "\u200b", "<think>x</think> y", "> ", "a < b", "\u3164", "**", "&nbsp;"]
    ),
    st.sampled_from([None, 5, ["a", "b"], [{"type": "image"}]]),
)


@given(st.sampled_from([*ROLES, "narrator", None, "User"]), TEXTS)
@example("assistant", "<br>")
def test_the_short_way_says_what_the_long_one_says(role: Any, text: Any) -> None:
    """A key without a value sends a message on the long way; entry, errors and changes are the same."""
    said: list[tuple[Entry | None, Notes]] = []
    for more in ({}, {"name": None}):
        notes = Notes()
        said.append(
            (read_message({"role": role, "content": text, **more}, ("role", "content"), (), notes), notes)
        )
    assert said[0] == said[1]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_most_messages_take_the_short_way(role: str) -> None:
    """The short way leaves no count behind, not even of zero."""
    notes = Notes()
    read_message({"role": role, "content": "Hello."}, ("role", "content"), (), notes)
    assert not dict(notes.changes)
