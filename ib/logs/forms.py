"""The forms of chat logs that are known, and how they are told apart: by their keys, never by a name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """One form of chat log."""

    name: str
    """As `provenance.source.form` has it."""
    title: str
    """As messages name it."""
    container: str
    """The key of the list of messages; empty if the conversation is that list."""
    keys: tuple[str, str]
    """The keys of a message: who speaks, and the text."""


OPENAI = Form("openai", "OpenAI chat format", "messages", ("role", "content"))
SHAREGPT = Form("sharegpt", "ShareGPT format", "conversations", ("from", "value"))
WILDCHAT = Form("wildchat", "WildChat format", "conversation", ("role", "content"))
MESSAGES = Form("messages", "one message after the other", "", ("role", "content"))
TRANSCRIPT = Form("transcript", "transcripts of this project", "messages", ("role", "content"))
INSPECT = Form("inspect", "an Inspect log", "samples", ("role", "content"))

KNOWN = (
    "`messages` with `role` and `content` (OpenAI), `conversations` with `from` and `value` (ShareGPT), "
    "`conversation` with `role` and `content` (WildChat), a list or lines of messages with `role` and "
    "`content`, or a transcript of this project"
)
"""The forms that `ib import chat` reads, for messages."""


def form_of(value: object) -> Form | None:
    """The form of one parsed conversation, or of one message of it; None if it has no known form."""
    if isinstance(value, list):
        return MESSAGES if value and is_message(value[0]) else None
    if not isinstance(value, dict):
        return None
    if "eval" in value and value.keys() & {"status", "samples", "plan"}:
        return INSPECT
    for form in (OPENAI, SHAREGPT, WILDCHAT):
        if form.container in value:
            own = form is OPENAI and value.keys() & {"model_id", "scenario_id"}
            return TRANSCRIPT if own else form
    return MESSAGES if is_message(value) else None


def is_message(value: object) -> bool:
    """True for one message with `role` and `content`."""
    return isinstance(value, dict) and value.keys() >= {"role", "content"}
