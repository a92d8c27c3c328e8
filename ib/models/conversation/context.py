"""What stands beside the messages of an imported conversation: its source, and text that nobody said."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

from ib.models.common.base import Record, Text

MOST_META = 200
"""The most characters of a metadata value."""


def meta_text(value: Any) -> Any:
    """A number, true or false as text, as JSON writes it. Any other value is returned as it is."""
    return json.dumps(value) if isinstance(value, bool | int | float) else value


_META_NAME = r"^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,79}$"


def is_meta_name(name: str) -> bool:
    """True if a text can be the name of metadata."""
    return re.fullmatch(_META_NAME, name) is not None


Meta = dict[
    Annotated[str, StringConstraints(pattern=_META_NAME)],
    Annotated[
        str,
        BeforeValidator(meta_text, json_schema_input_type=str | int | float | bool),
        StringConstraints(min_length=1, max_length=MOST_META),
    ],
]
"""Metadata of a conversation that its owner chose: a name and a text for each."""


class ContextKind(StrEnum):
    """What a text beside the messages is."""

    SYSTEM = "system"
    """Instructions to the model."""
    TOOL_CALL = "tool_call"
    """What the model asked a tool for."""
    TOOL_RESULT = "tool_result"
    """What the tool returned to the model."""
    REASONING = "reasoning"
    """What the model wrote for itself."""


class Context(Record):
    """A text that the model read or wrote, and the person did not see."""

    turn: Annotated[int, Field(ge=1, le=10_000)]
    """The turn in which it was read or written."""
    kind: ContextKind
    """What the text is."""
    name: str | None = None
    """The name of the tool."""
    content: str
    """The text. It is never evidence, and no phrase is searched in it."""
    shown: bool = False
    """True if judges are shown it, because the import was asked to."""


class Source(Record):
    """Where in which log a conversation was found."""

    form: Text
    """The form of the log, as `ib import` names it."""
    file: str
    """The name of the file, without its folder. Empty if the conversation came from Python."""
    line: Annotated[int, Field(ge=1)] | None = None
    """The line of the file, if the log has one conversation a line."""
    id: str | None = None
    """The id that the log gives the conversation."""
