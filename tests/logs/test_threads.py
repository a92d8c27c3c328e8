"""Calls of models become conversations: what is repeated in a longer call, and what stands alone."""

from __future__ import annotations

import pytest

from ib.logs.reading.message import Entry, Speaker
from ib.logs.reading.notes import Change, Notes
from ib.logs.reading.threads import Call, conversations
from ib.models.conversation.context import ContextKind

SPEAKERS = {"u": Speaker.USER, "a": Speaker.ASSISTANT}
SYSTEM = Entry(Speaker.SYSTEM, "", ((ContextKind.SYSTEM, None, "now"),))
TOOL = Entry(Speaker.ASSISTANT, "", ((ContextKind.TOOL_CALL, "find", "{}"),))


def call(said: str, reply: str = "", thread: str | None = None, *, failed: bool = False) -> Call:
    """A call from words such as `u:hi a:ho u:yes`, and the text of its reply; empty for a call of a tool."""
    entries = [Entry(SPEAKERS[word[0]], word[2:]) for word in said.split()]
    answer = Entry(Speaker.ASSISTANT, reply) if reply else TOOL
    return Call(Notes(), lambda keys: (1, keys), [SYSTEM, *entries], [answer], failed, thread)


def told(*calls: Call) -> tuple[list[str], dict[Change, int]]:
    """The conversations as words, and what was counted."""
    made, changes = [], Notes().changes
    for talk in conversations(calls):
        changes.update(talk.notes.changes)
        if not talk.left_out:
            made.append(" ".join(f"{entry.speaker[0]}:{entry.text}" for entry in talk.entries if entry.text))
    return made, {change: count for change, count in changes.items() if count}


ALONE: dict[str, tuple[tuple[Call, ...], list[str], dict[Change, int]]] = {
    "each turn in the next call": (
        (call("u:1", "2"), call("u:1 a:2 u:3", "4"), call("u:1 a:2 u:3 a:4 u:5", "6")),
        ["u:1 a:2 u:3 a:4 u:5 a:6"],
        {Change.CONTAINED: 2},
    ),
    "two people who begin alike": (
        (call("u:hi", "ho"), call("u:hi", "hey"), call("u:hi a:ho u:yes", "good")),
        ["u:hi a:hey", "u:hi a:ho u:yes a:good"],
        {Change.CONTAINED: 1},
    ),
    "a longer call first": (
        (call("u:1 a:2 u:3", "4"), call("u:1", "2")),
        ["u:1 a:2 u:3 a:4"],
        {Change.CONTAINED: 1},
    ),
    "a call of a tool before the words": (
        (call("u:1"), call("u:1", "2")),
        ["u:1 a:2"],
        {Change.CONTAINED: 1},
    ),
    "a call of a tool and no more": (
        (call("u:1"), call("u:2", "3")),
        ["u:2 a:3"],
        {Change.UNANSWERED_CALLS: 1},
    ),
    "a failed call": (
        (call("u:1", "x", failed=True), call("u:1", "2")),
        ["u:1 a:2"],
        {Change.FAILED_CALLS: 1},
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_calls_without_ids_are_joined_by_their_words(name: str) -> None:
    """A call is part of a longer one only with its reply, word for word."""
    calls, expected, changes = ALONE[name]
    assert told(*calls) == (expected, changes)


def test_calls_of_one_thread_are_its_longest() -> None:
    """What the longest call does not repeat is left out, and counted apart from what it repeats."""
    made, changes = told(
        call("u:1", "2", "a"),
        call("u:title-please", "Bread", "a"),
        call("u:1 a:2 u:3", "4", "a"),
        call("u:1", "2", "b"),
    )
    assert made == ["u:1 a:2 u:3 a:4", "u:1 a:2"]
    assert changes == {Change.CONTAINED: 1, Change.APART: 1}


def test_a_thread_in_which_every_call_failed_is_left_out() -> None:
    """An error of a provider is not an answer."""
    assert told(call("u:1", "x", "a", failed=True)) == ([], {Change.FAILED_CALLS: 1})


def test_equally_long_calls_of_a_thread_end_with_the_last() -> None:
    """The reply that was generated last is the one that stayed."""
    assert told(call("u:1", "first", "a"), call("u:1", "second", "a"))[0] == ["u:1 a:second"]


@pytest.mark.gate
def test_many_calls_become_one_conversation() -> None:
    """A thousand calls of one thread, without ids."""
    said, calls = "", []
    for at in range(1000):
        said = f"{said} u:{at}".strip()
        calls.append(call(said, f"r{at}"))
        said += f" a:r{at}"
    made, changes = told(*calls)
    assert (len(made), changes) == (1, {Change.CONTAINED: 999})
