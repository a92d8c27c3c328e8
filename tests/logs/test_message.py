"""One message of a log: text in any of its forms, and what stands beside it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from ib.logs.reading.message import ROLES, Entry, moment, read_message
from ib.logs.reading.notes import Change, Notes

OPENAI = ("role", "content")


def read(**message: Any) -> tuple[Entry | None, Notes]:
    """One message of an assistant, or of another role."""
    notes = Notes()
    return read_message({"role": "assistant", **message}, OPENAI, ("messages", 0), notes), notes


TEXTS = {
    "text": "Hello.",
    "parts": [{"type": "text", "text": "Hello."}],
    "parts without type": [{"text": "Hello."}],
    "parts that are texts": ["Hello."],
    "output parts": [{"type": "output_text", "text": "Hello."}, {"type": "text", "text": " "}],
    "refusal part": [{"type": "refusal", "refusal": "Hello."}],
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_read_in_every_form(name: str) -> None:
    """A text or a list of parts."""
    entry, notes = read(content=TEXTS[name])
    assert entry is not None
    assert (entry.text, notes.findings) == ("Hello.", [])


def test_parts_are_joined_and_counted() -> None:
    """With a blank line; a part without text is replaced by its type."""
    parts = [{"type": "text", "text": "One."}, {"type": "image_url", "image_url": {"url": "data:"}}, "Two."]
    entry, notes = read(content=parts)
    assert entry is not None
    assert entry.text == "One.\n\n[image_url]\n\nTwo."
    assert (notes.changes[Change.JOINED], notes.changes[Change.MEDIA]) == (1, 1)


BESIDE: dict[str, tuple[dict[str, Any], list[tuple[str, str | None, str]]]] = {
    "OpenAI tool call": (
        {"content": None, "tool_calls": [{"function": {"name": "find", "arguments": '{"a": 1}'}}]},
        [("tool_call", "find", '{"a": 1}')],
    ),
    "older function call": (
        {"content": None, "function_call": {"name": "find", "arguments": "{}"}},
        [("tool_call", "find", "{}")],
    ),
    "Inspect tool call": (
        {"content": "", "tool_calls": [{"id": "1", "function": "find", "arguments": {"a": 1}}]},
        [("tool_call", "find", '{"a": 1}')],
    ),
    "tool use part": (
        {"content": [{"type": "tool_use", "id": "1", "name": "find", "input": {"a": 1}}]},
        [("tool_call", "find", '{"a": 1}')],
    ),
    "reasoning part": (
        {"content": [{"type": "thinking", "thinking": "Hm."}]},
        [("reasoning", None, "Hm.")],
    ),
    "reasoning key": ({"content": "", "reasoning_content": "Hm."}, [("reasoning", None, "Hm.")]),
    "system": ({"role": "system", "content": "Be kind."}, [("system", None, "Be kind.")]),
    "developer": ({"role": "developer", "content": "Be kind."}, [("system", None, "Be kind.")]),
    "tool": ({"role": "tool", "name": "find", "content": "None."}, [("tool_result", "find", "None.")]),
    "failed tool": (
        {"role": "tool", "content": "", "error": {"type": "timeout"}},
        [("tool_result", None, 'error: {"type": "timeout"}')],
    ),
    "tool result part": (
        {
            "role": "user",
            "content": [{"type": "tool_result", "content": [{"type": "text", "text": "None."}]}],
        },
        [("tool_result", None, "None.")],
    ),
    "ShareGPT call": ({"role": "function_call", "content": "{}"}, [("tool_call", None, "{}")]),
}


@pytest.mark.parametrize("name", BESIDE)
def test_what_nobody_said_is_kept_apart(name: str) -> None:
    """Instructions, tools and reasoning are no words of the conversation."""
    message, expected = BESIDE[name]
    entry, notes = read(**message)
    assert entry is not None, notes.findings
    assert entry.text == ""
    assert [*entry.beside] == expected


BROKEN: dict[str, tuple[Any, str, str]] = {
    "no mapping": ("hi", "messages.0", "is text"),
    "no role": ({"content": "hi"}, "messages.0.role", "is missing"),
    "unknown role": ({"role": "narrator", "content": "hi"}, "messages.0.role", 'is "narrator"'),
    "role of another type": ({"role": 1, "content": "hi"}, "messages.0.role", "is 1"),
    "no content": ({"role": "user"}, "messages.0.content", "is missing"),
    "null": ({"role": "assistant", "content": None}, "messages.0.content", "is missing"),
    "empty": ({"role": "assistant", "content": " \n"}, "messages.0.content", "is empty"),
    "only marks": ({"role": "assistant", "content": "---"}, "messages.0.content", "is empty"),
    "number": ({"role": "user", "content": 5}, "messages.0.content", "is a number"),
    "mapping": ({"role": "user", "content": {"text": "hi"}}, "messages.0.content", "is a mapping"),
    "part that is a number": ({"role": "user", "content": [5]}, "messages.0.content.0", "is a number"),
    "part without text": (
        {"role": "user", "content": [{"type": "text"}]},
        "messages.0.content.0.text",
        "is missing",
    ),
    "part with a type of another type": (
        {"role": "user", "content": [{"type": ["text"], "text": "hi"}]},
        "messages.0.content.0.type",
        "is '[\"text\"]'",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_message_is_an_error_with_its_place(name: str) -> None:
    """The error names the key, and what was found there."""
    message, key, found = BROKEN[name]
    notes = Notes()
    assert read_message(message, OPENAI, ("messages", 0), notes) is None
    assert [(one.key, one.found) for one in notes.findings] == [(key, found)]


def test_an_unknown_role_lists_the_known() -> None:
    """The message says what is allowed."""
    _, notes = read(role="narrator", content="hi")
    assert notes.findings[0].hint == f"one of {', '.join(ROLES)}"


def test_keys_that_are_not_read_are_named() -> None:
    """A key with a value that was not read is said; a key without a value is not."""
    _, notes = read(content="hi", feedback="thumbs up", annotations=[], audio=None)
    assert notes.unread == {"feedback"}


TIMES: dict[str, tuple[object, datetime | None]] = {
    "ISO": ("2026-11-01T12:00:00Z", datetime(2026, 11, 1, 12, tzinfo=UTC)),
    "seconds": (1793534400, datetime(2026, 11, 1, 12, tzinfo=UTC)),
    "milliseconds": (1793534400000, datetime(2026, 11, 1, 12, tzinfo=UTC)),
    "words": ("yesterday", None),
    "true": (True, None),
    "a huge number": (1e300, None),
    "null": (None, None),
}


@pytest.mark.parametrize("name", TIMES)
def test_times_in_their_forms(name: str) -> None:
    """ISO 8601, or seconds or milliseconds since 1970; anything else is no time."""
    value, expected = TIMES[name]
    assert moment(value) == expected


def test_a_reply_that_was_cut_off_is_marked() -> None:
    """OpenAI says so with `finish_reason`."""
    entry, _ = read(content="And then", finish_reason="length")
    assert entry is not None
    assert entry.truncated


def test_arguments_stay_as_they_are() -> None:
    """Arguments that are JSON text are not parsed: they may be broken, and are evidence of that."""
    entry, _ = read(content=None, tool_calls=[{"function": {"name": "f", "arguments": '{"a": '}}])
    assert entry is not None
    assert entry.beside[0][2] == '{"a": '
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(entry.beside[0][2])
