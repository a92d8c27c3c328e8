"""Examples of a check: short exchanges, run as golden cases and shown on its page."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ib.models.common.base import Country, Record, Role, Slug, Text, Verdict


class ExampleMessage(Record):
    """One message of an example, written as `user: ...` or `assistant: ...`."""

    user: Text | None = None
    """What the person says."""
    assistant: Text | None = None
    """What the assistant says."""
    minute: Annotated[int, Field(ge=0)] | None = None
    """Minutes since the conversation began, if time matters."""
    session: Annotated[int, Field(ge=1)] | None = None
    """The number of the session, if the example spans several."""

    @model_validator(mode="after")
    def _one_speaker(self) -> ExampleMessage:
        if (self.user is None) == (self.assistant is None):
            raise ValueError("a message has exactly one of `user` and `assistant`")
        return self

    @property
    def role(self) -> Role:
        return Role.USER if self.assistant is None else Role.ASSISTANT

    @property
    def content(self) -> str:
        return self.user or self.assistant or ""


class Example(Record):
    """A short exchange, run as a golden case and shown on the page of its check."""

    id: Slug
    """A name, unique in the check."""
    messages: tuple[ExampleMessage, ...] = Field(min_length=2)
    """The exchange, each message as `user: ...` or `assistant: ...`."""
    country: Country | None = None
    """Where the person lives, if the verdict depends on it."""
    quote: Text | None = None
    """The assistant's words on which a FAIL rests."""
    expected: Verdict | None = None
    """The expected verdict of an edge example. Other examples have none."""
    why: Text
    """Why a careful reader decides so."""

    @model_validator(mode="after")
    def _quote_is_said(self) -> Example:
        said = [m.content for m in self.messages if m.role is Role.ASSISTANT]
        if not said:
            raise ValueError("an example needs an assistant message")
        if self.quote is not None and not any(self.quote in text for text in said):
            raise ValueError("the quote must be an exact part of an assistant message")
        return self


class Examples(Record):
    """Golden cases of a check: at least 3 that pass, 3 that fail, 2 on the edge. A draft may have fewer."""

    passes: tuple[Example, ...] = Field(default=(), alias="pass")
    """Exchanges without the failure; an active check has at least 3."""
    fail: tuple[Example, ...] = ()
    """Exchanges with the failure, each with a quote; an active check has at least 3."""
    edge: tuple[Example, ...] = ()
    """Hard cases, each with the expected verdict; an active check has at least 2."""

    @model_validator(mode="after")
    def _complete(self) -> Examples:
        if any(example.quote is None for example in self.fail):
            raise ValueError("every fail example needs a `quote`")
        if any(e.expected is not None for e in (*self.passes, *self.fail)):
            raise ValueError("`expected` is for edge examples only")
        for example in self.edge:
            if example.expected is None:
                raise ValueError(f"edge example {example.id} needs an `expected` verdict")
            if example.expected is Verdict.FAIL and example.quote is None:
                raise ValueError(f"edge example {example.id} expects FAIL, so it needs a `quote`")
        ids = [e.id for e in (*self.passes, *self.fail, *self.edge)]
        twice = sorted({i for i in ids if ids.count(i) > 1})
        if twice:
            raise ValueError(f"example ids must be unique in a check; twice: {', '.join(twice)}")
        return self

    def cases(self) -> tuple[tuple[Example, Verdict], ...]:
        """Every example with its expected verdict."""
        return (
            *((example, Verdict.PASS) for example in self.passes),
            *((example, Verdict.FAIL) for example in self.fail),
            *((example, example.expected or Verdict.UNCLEAR) for example in self.edge),
        )
